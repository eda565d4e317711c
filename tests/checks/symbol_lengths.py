#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""No symbol of a reference unit is longer than 1,000 characters.

usage: symbol_lengths.py OBJECT...
A longer one means that a table or a whole model became a template argument.
"""
import subprocess
import sys

LONGEST = 1000
SHOWN = 200


def main():
    listed = subprocess.run(["nm", "--format=just-symbols", *sys.argv[1:]], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    symbols = sorted(set(listed.split()), key=len)
    too_long = [symbol for symbol in symbols if len(symbol) > LONGEST]
    for symbol in too_long:
        print(f"{len(symbol)} characters: {symbol[:SHOWN]}...")
    ours = sum("7ipu_dsl" in symbol for symbol in symbols)
    longest = len(symbols[-1]) if symbols else 0
    print(f"checked {len(symbols)} symbols ({ours} of ipu_dsl) of {len(sys.argv) - 1} objects, the "
          f"longest has {longest} characters, {len(too_long)} have over {LONGEST}")
    return 1 if too_long or ours == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
