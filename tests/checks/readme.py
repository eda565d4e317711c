#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Holds the README to what someone finds who types what it says.

Its blocks marked `cpp`, in order, are one program: that of examples/hello.cpp, which is compiled
and run as it stands. The sentence that it quotes for a program that accumulates 6 micro-batches is the one that
the compiler prints for that program: as a case of tests/compile_fail, with all that such a case
must fulfil.

usage: readme.py                             compares the program
       readme.py --mistake COMPILER NAME     makes the mistake; NAME as in run_case.py
       readme.py --self-test                 plants faults and demands that each is found
"""
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "compile_fail"))
import run_case  # noqa: E402

PROGRAM = "examples/hello.cpp"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The comments of the file that are not of the program: licence, what it is, tags of regions.
OURS = re.compile(r"// (?:SPDX|The program of|\[/?\w+\])")


def without_blank_lines(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def blocks_of(readme, language):
    return [body for fenced, body in FENCE.findall(readme) if fenced == language]


def check_program(readme, program):
    """Faults of the program, and how many of its lines were compared."""
    shown = without_blank_lines("\n".join(blocks_of(readme, "cpp")))
    kept = "\n".join(line for line in program.splitlines() if not OURS.match(line))
    compiled = without_blank_lines(kept)
    lines = max(len(shown), len(compiled))
    pairs = zip(shown + ["(the end)"] * lines, compiled + ["(the end)"] * lines)
    differing = [f"README.md shows {a.strip()!r}, {PROGRAM} has {b.strip()!r}"
                 for a, b in pairs if a != b]
    return differing[:1], len(shown)


RIGHT, WRONG = "gradient_accumulation<4>", "gradient_accumulation<6>"


def case_of_mistake(readme):
    """The README's program as a case: the mistake is a count that the schedule has no rows for."""
    lines = "\n".join(blocks_of(readme, "cpp")).splitlines()
    made = []
    for line in lines:
        if RIGHT in line:
            made += ["#ifdef WITH_MISTAKE", line.replace(RIGHT, WRONG), "#else", line, "#endif"]
        else:
            made.append(line)
    return "\n".join(made) + "\n"


def check_mistake(readme, compiler, name):
    """Faults of the mistake, and the sentence that the compiler prints."""
    quoted = [text.strip() for text in blocks_of(readme, "") if "accumulation" in text]
    if len(quoted) != 1:
        return [f"README.md quotes {len(quoted)} sentences about the mistake"], ""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "golden").mkdir()
        (folder / "golden" / "readme.txt").write_text(quoted[0] + "\n")
        (folder / "readme.cpp").write_text(case_of_mistake(readme))
        driver = run_case.Driver(folder, name, compiler, [f"-I{ROOT / 'include'}"])
        return driver.check("readme")


PLANTED = [
    ("a line that is not compiled", "sgd<momentum>>", "sgd<>>", "README.md shows"),
    ("a block that is not compiled", "```cpp\nint main", "```cpp\nint other;\nint main", "int other"),
    ("a block left out", "```cpp\nint main", "```\nint main", "(the end)"),
]


def self_test(readme, program):
    missed = 0
    for what, old, new, expected in PLANTED:
        found = [fault for fault in check_program(readme.replace(old, new), program)[0]
                 if expected in fault]
        print(f"{what}: {found[0] if found else 'NOT FOUND'}")
        missed += not found
    print(f"checked {len(PLANTED)} planted faults, {missed} not found")
    return 1 if missed else 0


def main():
    readme = (ROOT / "README.md").read_text()
    program = (ROOT / PROGRAM).read_text()
    if sys.argv[1:] == ["--self-test"]:
        return self_test(readme, program)
    if sys.argv[1:2] == ["--mistake"]:
        faults, sentence = check_mistake(readme, *sys.argv[2:4])
        print("\n".join([sentence, *faults]))
        return 1 if faults or not sentence else 0
    faults, lines = check_program(readme, program)
    print("\n".join(faults))
    print(f"compared {lines} lines of the README's program, {len(faults)} faults")
    return 1 if faults or lines == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
