#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every case of the tests has a name under which it is found again.

CMake lists the cases of a program in a list of its own, where a semicolon ends a name and a bracket
that stays open takes in all that follow; a name that is not found runs nothing and passes.
`--self-test` demands that such names, and one that stands twice in a room, are seen.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
CASE = re.compile(r'\bTEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')


def cases_in(source):
    return ["".join(TEXT.findall(texts)) for texts in CASE.findall(source)]


def faults_of(names):
    """What is wrong with the names of a room's cases, given in order."""
    found = []
    seen = set()
    for name in names:
        if re.search(r"[;\\]", name) or name.count("[") != name.count("]"):
            found.append(f"{name!r} has a semicolon, a backslash or a bracket that stays open")
        if name in seen:
            found.append(f"{name!r} stands twice")
        seen.add(name)
    return found


def self_test():
    wrong = [["rates in [0, 1)"], ["one; two"], ["twice", "twice"]]
    right = ["kernels are [inputs, units]", "a, b"]
    missed = [names for names in wrong if len(faults_of(names)) != 1]
    if missed or faults_of(right) or cases_in('TEST_CASE("a "\n  "b") {') != ["a b"]:
        sys.exit(f"missed {missed}")
    print(f"{len(wrong)} wrong rooms seen, {len(right)} right names")


def main():
    if "--self-test" in sys.argv:
        self_test()
        return
    checked = 0
    faults = 0
    for room in sorted(path for path in (ROOT / "tests").iterdir() if path.is_dir()):
        names = []
        for source in sorted(room.glob("*.cpp")):
            names += cases_in(source.read_text())
        checked += len(names)
        for fault in faults_of(names):
            print(f"tests/{room.name}: {fault}")
            faults += 1
    print(f"checked {checked} names of cases, {faults} faults")
    sys.exit(1 if faults or not checked else 0)


if __name__ == "__main__":
    main()
