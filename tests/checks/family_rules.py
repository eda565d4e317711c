#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""No rule of a family is compiled into a reference unit, nor anything that rules are written with.

usage: family_rules.py OBJECT...
Rules matter while the compiler evaluates. One of them in an object means that something that is
there at run time points to its family, and that every program pays for compiling all of them.
`--self-test` plants such symbols and demands that they are found.
"""
import re
import subprocess
import sys

SHOWN = 200
# What rules take, and families themselves.
RULE = re.compile(r"\bipu_dsl::(emitter\b|node_draft\b|family\b(?! const\*\)0))|^ipu_dsl::\w+_family$")
PLANTED = [
    "ipu_dsl::dense_rules::weight_gradient(ipu_dsl::emitter&)",
    "ipu_dsl::family::update::{lambda(ipu_dsl::emitter&)#1}::_FUN(ipu_dsl::emitter&)",
    "ipu_dsl::emitter::scratch(int, ipu_dsl::shape const&, ipu_dsl::storage)",
    "ipu_dsl::node_draft::output(ipu_dsl::shape const&)",
    "theirs::shapes(ipu_dsl::node_draft&)",
    "ipu_dsl::dense_rules::describe(ipu_dsl::family const&, ipu_dsl::attributes const&)",
    "ipu_dsl::dense_family",
]
# Code is named after its family, which is no reason to have it.
HARMLESS = [
    "void ipu_dsl::for_avx2::operators<&ipu_dsl::dense_family>::run<ipu_dsl::dense_call{},"
    " (ipu_dsl::family const*)0>()",
    "ipu_dsl::step_rules::check_pass(ipu_dsl::feed_reference const&, long)",
]


def rules_in(symbols):
    return [symbol for symbol in symbols if RULE.search(symbol)]


def self_test():
    missed = [symbol for symbol in PLANTED if not rules_in([symbol])]
    missed += rules_in(HARMLESS)
    for symbol in missed:
        print(f"NOT JUDGED: {symbol}")
    print(f"checked {len(PLANTED) + len(HARMLESS)} planted symbols, {len(missed)} not judged")
    return 1 if missed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    listed = subprocess.run(["nm", "--demangle", "--format=just-symbols", *sys.argv[1:]],
                            check=True, text=True, stdout=subprocess.PIPE).stdout
    symbols = sorted(set(listed.splitlines()))
    found = rules_in(symbols)
    for symbol in found:
        print(f"compiled into a program: {symbol[:SHOWN]}")
    ours = sum("ipu_dsl::" in symbol for symbol in symbols)
    print(f"checked {len(symbols)} symbols ({ours} of ipu_dsl) of {len(sys.argv) - 1} objects, "
          f"{len(found)} belong to rules of families")
    return 1 if found or ours == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
