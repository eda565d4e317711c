#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Counts how many checks the compiler decides, in the rooms whose values are constexpr anyway.

Decided by the compiler is a static_assert, and each `that` of a constexpr function of checks that
a static_assert calls; decided at run time is a CHECK or REQUIRE, except of such a function, which
only runs it again. Fails where a room has fewer of the former than of the latter.
`--self-test` counts in texts whose numbers are known.
"""
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOMS = ("core", "graph", "vocabulary", "model", "schedule", "catalogue", "study", "layout",
         "machine", "plan")


def count(text):
    """How many checks of a file the compiler decides, and how many a run."""
    text = re.sub(r"//.*", "", text)
    asserted = set()
    for condition in re.findall(r"static_assert\((.*?)\);", text, re.DOTALL):
        asserted |= set(re.findall(r"\b(\w+)(?:<[^;()]*>)?\(", condition))
    static = len(re.findall(r"\bstatic_assert\s*\(", text))
    for name, body in re.findall(r"^constexpr checks (\w+)\([^{;]*\) \{\n(.*?)^\}", text,
                                 re.MULTILINE | re.DOTALL):
        static += len(re.findall(r"\.that\(", body)) if name in asserted else 0
    run = [name for name in re.findall(r"\b(?:CHECK|REQUIRE)(?:_\w+)?\s*\((\w*)", text)
           if name not in asserted]
    return static, len(run)


def check(tests):
    """One sentence for each room in which less than half is static, and the rooms' numbers."""
    faults = []
    counts = {}
    for room in ROOMS:
        static = run = 0
        for path in sorted((tests / room).glob("*.cpp")):
            found = count(path.read_text())
            static += found[0]
            run += found[1]
        counts[room] = (static, run)
        if static < run or static == 0:
            faults.append(f"{room}: {static} checks are static and {run} are not")
    return faults, counts


KNOWN = [
    ("static_assert(f(1) == 2);\nTEST_CASE(\"a\") { CHECK(g() == 2); }", (1, 1)),
    ("static_assert(f(1) == 2);\nTEST_CASE(\"a\") { CHECK(f(1) == 2); }", (1, 0)),
    ("constexpr checks test_f() {\n  done.that(a);\n  done.that(b);\n}\n", (0, 0)),
    ("constexpr checks test_f() {\n  done.that(a);\n  done.that(b);\n}\n"
     "static_assert(test_f());\nTEST_CASE(\"a\") { CHECK(test_f()); REQUIRE_FALSE(b); }", (3, 1)),
    ("// static_assert(no);\n", (0, 0)),
]


def self_test():
    wrong = 0
    for text, expected in KNOWN:
        found = count(text)
        wrong += found != expected
        print(f"{found} {'as expected' if found == expected else f'NOT {expected}'}")
    print(f"checked {len(KNOWN)} texts, {wrong} miscounted")
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    faults, counts = check(TESTS)
    for room, (static, run) in counts.items():
        print(f"{room}: {static} static, {run} at run time")
    static, run = (sum(numbers) for numbers in zip(*counts.values()))
    print("\n".join(faults))
    print(f"checked {len(counts)} rooms: {static} of {static + run} checks are static, "
          f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
