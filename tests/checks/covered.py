#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every loss stands in a test of gradients, and every optimizer in the test of bits.

What there is, is found in the headers of a folder; where it must stand, in the tests of that row.
A name counts where it is a template argument. `--self-test` takes each name away in turn and
demands that it is missed.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)

# What there is, by the folder of its headers and a line that its struct has; the tests that have it.
COVERED = {
    "losses": ("include/ipu_dsl/vocabulary/losses", "is_loss = true",
               ["tests/training/gradients_row_losses.cpp", "tests/training/gradients_losses.cpp"]),
    "optimizers": ("include/ipu_dsl/vocabulary/optimizers", "const family* rule",
                   ["tests/training/bits_optimizers.cpp"]),
}
# Structs with such a line that are none by themselves.
PARTS = {"adapted_optimizer"}


def names_in(folder, line):
    found = set()
    for header in sorted((ROOT / folder).glob("*.hpp")):
        for name, body in STRUCT.findall(header.read_text()):
            if line in body and name not in PARTS:
                found.add(name)
    return found


def missing(names, text):
    """The names that are no template argument in a text."""
    return sorted(name for name in names if not re.search(rf"[<,]\s*{name}\b", text))


def check(self_test):
    checked, faults = 0, 0
    for kind, (folder, line, tests) in COVERED.items():
        names = names_in(folder, line)
        text = "\n".join((ROOT / test).read_text() for test in tests)
        checked += len(names)
        if not names:
            print(f"{folder}: no {kind} found")
            faults += 1
        if self_test:
            for name in names:
                taken = re.sub(rf"\b{name}\b", "another", text)
                if missing(names, taken) != [name]:
                    print(f"NOT MISSED: {name}")
                    faults += 1
        else:
            for name in missing(names, text):
                print(f"{kind}: {name} does not stand in {' or '.join(tests)}")
                faults += 1
    what = "names taken away" if self_test else "losses and optimizers"
    print(f"checked {checked} {what}, {faults} faults")
    return 1 if faults or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1:] == ["--self-test"]))
