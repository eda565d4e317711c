#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compiles every header alone: it must include all that it needs and be free of warnings.

usage: headers.py COMPILER [FLAG...]
A header whose outside library is not installed is reported as skipped.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

INCLUDE_DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "include"
MISSING_LIBRARY = re.compile(r"fatal error: '?((?:xtensor|boost|zlib|mpi)[^':]*)'?")


def check(command, header):
    """(header, "passed" | "skipped" | "failed", what the compiler said)"""
    source = f"#include <{header}>\n#include <{header}>\n"
    ran = subprocess.run([*command, "-x", "c++", "-fsyntax-only", "-"], input=source, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode == 0:
        return header, "passed", ran.stdout
    missing = MISSING_LIBRARY.search(ran.stdout)
    if missing:
        return header, "skipped", f"{header}: skipped, {missing.group(1)} is not installed\n"
    return header, "failed", ran.stdout


def main():
    command = [*sys.argv[1:], f"-I{INCLUDE_DIRECTORY}"]
    headers = sorted(path.relative_to(INCLUDE_DIRECTORY).as_posix()
                     for path in INCLUDE_DIRECTORY.rglob("*.hpp"))
    count = {"passed": 0, "skipped": 0, "failed": 0}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, verdict, output in pool.map(lambda header: check(command, header), headers):
            count[verdict] += 1
            if output:
                print(f"{header}:\n{output}" if verdict == "failed" else output, end="")
    print(f"checked {len(headers)} headers alone: {count['passed']} passed, "
          f"{count['skipped']} skipped, {count['failed']} failed")
    return 1 if count["failed"] or count["passed"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
