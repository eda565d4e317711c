#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A callback's options are those that compilers list of it.

A callback that is given others is refused by a deleted constructor, whose template parameter is a
type named after the fields of its options, `filename_or_append`: nothing else keeps the two alike.
`--self-test` demands that a field that is missing there, and a callback without the list, are seen.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLBACKS = ROOT / "include" / "ipu_dsl" / "training" / "callbacks"
OPTIONS = re.compile(r"^struct (\w+)_options \{\n(.*?)^\};", re.M | re.S)
FIELD = re.compile(r"^  [\w:<>* ]+? (\w+)(?: = [^;]+)?;", re.M)


def faults_of(text):
    """How many callbacks a header has that take options, and those that list others."""
    found = []
    made = OPTIONS.findall(text)
    for name, body in made:
        listed = "_or_".join(FIELD.findall(body))
        if not re.search(rf"\bstruct\s+{listed};", text):
            found.append(f"{name} does not list {listed}")
    return len(made), found


def self_test():
    options = "struct log_options {\n  std::string filename;\n  bool append = false;  ///< if so\n};\n"
    right = options + "class log {\n  struct filename_or_append;\n};\n"
    wrong = [options, options + "class log {\n  struct filename;\n};\n"]
    missed = [text for text in wrong if len(faults_of(text)[1]) != 1]
    if missed or faults_of(right) != (1, []):
        sys.exit(f"missed {missed}")
    print(f"{len(wrong)} faults found")


def main():
    if "--self-test" in sys.argv[1:]:
        self_test()
        return
    checked = 0
    faults = []
    for header in sorted(CALLBACKS.glob("*.hpp")):
        count, found = faults_of(header.read_text())
        checked += count
        faults += found
    print("\n".join([*faults, f"checked the options of {checked} callbacks, {len(faults)} faults"]))
    sys.exit(1 if faults or checked == 0 else 0)


main()
