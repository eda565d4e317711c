#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Holds the documents to the code.

Every block marked `cpp` of README.md and docs/*.md equals a tagged region of a compiled file: the
lines between `// [tag]` and `// [/tag]` in examples/ or docs/samples/. Every block marked `text`
equals a region of a recorded output (`[tag]` to `[/tag]` in docs/samples/*.txt, or all of a file
without tags) or the golden of a compile-fail case. Every path in backticks or in a link of *.md and docs/*.md exists,
and so does every test that is named behind the path of its file: `tests/x/y.cpp` "the case".

usage: docs.py                       compares the documents
       docs.py --output FILE PROGRAM runs a sample and compares what it prints with FILE
       docs.py --self-test           plants faults and demands that each is found
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
SOURCES = ["examples/*.cpp", "examples/*.hpp", "examples/*/*.hpp", "docs/samples/*.cpp",
           "docs/samples/*.hpp"]
OUTPUTS = ["docs/samples/*.txt"]
GOLDENS = "tests/compile_fail/golden/*.txt"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"`((?:docs|examples|include|tests|scripts|cmake)/[\w./-]+)`")
NAMED_TEST = re.compile(r'`(tests/[\w./-]+\.cpp)`\s+"([^"]+)"')
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
COMPARED = ["cpp", "text"]


def without_indent(lines):
    """Lines as a block of their own: no common indent, no blank lines around them."""
    while lines and not lines[0].strip():
        lines = lines[1:]
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    return "\n".join(line[min(indents, default=0):].rstrip() for line in lines)


def regions(text, mark):
    """The tagged regions of a file, each as (tag, block); a tag that is not closed is a fault."""
    found = []
    opened = {}
    for number, line in enumerate(text.splitlines()):
        tag = re.fullmatch(mark + r"\[(/?)(\w+)\]", line.strip())
        if tag and not tag.group(1):
            opened[tag.group(2)] = number
        elif tag and tag.group(2) in opened:
            begin = opened.pop(tag.group(2))
            found.append((tag.group(2), without_indent(text.splitlines()[begin + 1:number])))
    return found, sorted(opened)


def collect(root, patterns, mark):
    """All regions of the files, by their block, and what is wrong with the tags."""
    blocks = {}
    faults = []
    for path in sorted(path for pattern in patterns for path in root.glob(pattern)):
        found, unclosed = regions(path.read_text(), mark)
        if not found and mark == "":
            found = [("all", without_indent(path.read_text().splitlines()))]
        for tag, block in found:
            blocks.setdefault(block, f"{path.relative_to(root)} [{tag}]")
        faults += [f"{path.relative_to(root)}: [{tag}] is not closed" for tag in unclosed]
    return blocks, faults


def nearest(block, blocks):
    """Where the region that begins most like the block differs from it."""
    def common(other):
        pairs = zip(block.splitlines(), other.splitlines())
        return next((i for i, (a, b) in enumerate(pairs) if a != b),
                    min(len(block.splitlines()), len(other.splitlines())))
    best = max(blocks, key=common, default="")
    line = common(best)
    wanted = (best.splitlines() + ["(the region ends)"])[min(line, len(best.splitlines()))]
    return f"nearest is {blocks.get(best, 'nothing')}, whose line {line + 1} is: {wanted.strip()}"


def check_blocks(root, document, languages, known):
    """Faults of the code blocks of one document, and how many were compared."""
    faults = []
    compared = 0
    text = document.read_text()
    for fence in FENCE.finditer(text):
        language, body = fence.groups()
        if language not in languages:
            continue
        compared += 1
        block = without_indent(body.splitlines())
        if block not in known[language]:
            line = text[:fence.start()].count("\n") + 1
            faults.append(f"{document.relative_to(root)}:{line}: this {language} block is of no "
                          f"file; {nearest(block, known[language])}")
    return faults, compared


def check_references(root, document):
    """Faults of paths, links and named tests, and how many there are."""
    text = FENCE.sub("", document.read_text())
    here = document.relative_to(root)
    faults = [f"{here}: {path} does not exist" for path in PATH.findall(text)
              if not (root / path).exists()]
    faults += [f"{here}: the link {link} leads nowhere" for link in LINK.findall(text)
               if not (document.parent / link).exists()]
    for path, name in NAMED_TEST.findall(text):
        name = " ".join(name.split())
        if (root / path).exists() and f'"{name}"' not in (root / path).read_text():
            faults.append(f'{here}: {path} has no case "{name}"')
    return faults, len(PATH.findall(text)) + len(LINK.findall(text)) + len(NAMED_TEST.findall(text))


def check(root):
    sources, faults = collect(root, SOURCES, "// ")
    outputs, more = collect(root, OUTPUTS, "")
    faults += more
    for path in sorted(root.glob(GOLDENS)):
        outputs.setdefault(without_indent(path.read_text().splitlines()),
                           str(path.relative_to(root)))
    known = {"cpp": sources, "text": outputs}
    blocks = references = 0
    for document in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        found, compared = check_blocks(root, document, COMPARED, known)
        faults += found
        blocks += compared
    for document in [*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md"))]:
        found, compared = check_references(root, document)
        faults += found
        references += compared
    return faults, blocks, references


def recording_for(recorded, printed):
    """The recorded lines to compare with. What depends on the width of vectors says so in its first
    line, and has a file for each width: other ones than the documents quote lie in a folder of that
    name. None if there is no such file."""
    expected = recorded.read_text().splitlines()
    if printed[:1] == expected[:1] or not expected[0].startswith("vectors of"):
        return expected
    other = recorded.parent / "_".join(printed[0].split()[:3]) / recorded.name
    return other.read_text().splitlines() if other.is_file() else None


def compare_output(recorded, program):
    """A sample prints what the documents say it prints."""
    with tempfile.TemporaryDirectory() as empty:
        ran = subprocess.run([program], cwd=empty, capture_output=True, text=True)
    printed = ran.stdout.splitlines()
    if ran.returncode or not printed:
        print(f"{program} printed {len(printed)} lines and ended with {ran.returncode}: {ran.stderr}")
        return 1
    expected = recording_for(pathlib.Path(recorded), printed)
    if expected is None:
        print(f"skipped: nothing is recorded of {program} with {printed[0]}")
        return SKIPPED
    differing = [i for i, (a, b) in enumerate(zip(printed, expected)) if a != b]
    if differing or len(printed) != len(expected):
        at = differing[0] if differing else min(len(printed), len(expected))
        print(f"{recorded}:{at + 1}: recorded {(expected + ['(the end)'])[at]!r}, "
              f"printed {(printed + ['(the end)'])[at]!r}")
        return 1
    print(f"compared {len(printed)} lines")
    return 0 if printed else 1


PLANTED = [
    ("a changed cpp block", "docs/tutorial.md", "```cpp\nint planted;\n```\n", "is of no file"),
    ("a changed text block", "docs/tutorial.md", "```text\nplanted\n```\n", "is of no file"),
    ("a cpp block of the README", "README.md", "```cpp\nint planted;\n```\n", "is of no file"),
    ("a text block of the README", "README.md", "```text\nplanted\n```\n", "is of no file"),
    ("a path", "docs/semantics.md", "`tests/planted.cpp`\n", "does not exist"),
    ("a path of CONTRIBUTING", "CONTRIBUTING.md", "`docs/planted.md`\n",
     "docs/planted.md does not exist"),
    ("a link", "docs/semantics.md", "[planted](planted.md)\n", "leads nowhere"),
    ("a test", "docs/semantics.md", '`tests/schedule/facts.cpp` "planted"\n', "has no case"),
    ("an open tag", "examples/hello.cpp", "// [planted]\n", "is not closed"),
]


# What a program prints, and what becomes of it beside recordings of 16 and of 8 numbers.
PRINTED = [("vectors of 16 numbers\none", 0), ("vectors of 8 numbers\ntwo", 0),
           ("vectors of 8 numbers\none", 1), ("vectors of 16 numbers\none\nmore", 1),
           ("vectors of 4 numbers\none", SKIPPED), ("", 1)]


def test_outputs():
    """How many of these were not found to be what they are."""
    missed = 0
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        (root / "vectors_of_8").mkdir()
        (root / "sample.txt").write_text(PRINTED[0][0] + "\n")
        (root / "vectors_of_8" / "sample.txt").write_text(PRINTED[1][0] + "\n")
        for printed, expected in PRINTED:
            program = root / "program"
            program.write_text(f"#!/bin/sh\nprintf '%s' '{printed}'\n")
            program.chmod(0o755)
            missed += compare_output(root / "sample.txt", program) != expected
    return missed


def self_test():
    missed = test_outputs()
    for what, path, planted, expected in PLANTED:
        with tempfile.TemporaryDirectory() as temporary:
            root = pathlib.Path(temporary)
            for folder in ("docs", "examples", "tests", "include", "scripts", "cmake"):
                shutil.copytree(ROOT / folder, root / folder)
            for name in ROOT.glob("*.*"):
                if name.is_file():
                    shutil.copy(name, root / name.name)
            with open(root / path, "a") as file:
                file.write("\n" + planted)
            found = [fault for fault in check(root)[0] if expected in fault and path in fault]
        print(f"{what}: {found[0] if found else 'NOT FOUND'}")
        missed += not found
    print(f"checked {len(PLANTED)} planted faults and {len(PRINTED)} outputs, {missed} not found")
    return 1 if missed else 0


def main():
    if sys.argv[1:2] == ["--output"]:
        return compare_output(*sys.argv[2:4])
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    faults, blocks, references = check(ROOT)
    print("\n".join(faults))
    print(f"compared {blocks} blocks of code and output, checked {references} paths, links and "
          f"tests, {len(faults)} faults")
    return 1 if faults or blocks == 0 or references == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
