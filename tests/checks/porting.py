#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Holds docs/porting.md to docs/samples/porting.cpp, which is compiled and run.

The lines of the sample behind `// row: KEY` belong to the row of the document whose first cell is
KEY, up to the next such line or `// end of rows`; the lines of equal keys belong together. All code
that stands in the other cells of the row occurs there; "..." stands for anything. Rows of "What to
include" may have their code anywhere in the sample. The sample includes the library's headers that
the document names and no others. Apart are counted rows that say that there is nothing to write,
and those that name a program in examples/ instead.

usage: porting.py              compares them
       porting.py --self-test  plants faults and demands that each is found
"""
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = "docs/porting.md"
SAMPLE = "docs/samples/porting.cpp"
BUILD = "CMakeLists.txt"
ANYWHERE = "What to include"
SPAN = re.compile(r"`([^`]+)`|<code>(.*?)</code>")
PATH = re.compile(r"(?:docs|examples|include|tests)/[\w./-]+")
HEADER = re.compile(r"<ipu_dsl/[\w./]+>")
MARK = re.compile(r"^\s*// (?:row: (?P<key>.*)|end of rows)$")


def plain(cell):
    """A cell as the sample's marks write it: without signs for code."""
    return " ".join(html.unescape(re.sub(r"`|</?code>", "", cell)).split())


def spans(cell):
    return [html.unescape(a or b) for a, b in SPAN.findall(cell)]


def rows_of(document):
    """The rows of all tables, each as (section, cells)."""
    rows = []
    section = ""
    lines = document.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("#"):
            section = line.strip("# ")
        elif line.startswith("|") and not line.startswith("|---"):
            if number + 1 < len(lines) and lines[number + 1].startswith("|---"):
                continue  # the head of a table
            rows.append((section, [cell.strip() for cell in line.strip().strip("|").split("|")]))
    return rows


def regions_of(sample):
    """The code of each key, without comments."""
    regions = {}
    key = None
    for line in sample.splitlines():
        mark = MARK.match(line)
        if mark:
            key = mark["key"]
            if key is not None:
                regions.setdefault(key, "")
        elif key is not None:
            regions[key] += re.sub(r"//.*", "", line) + "\n"
    return regions


def words(text):
    """Names and signs with one space between them."""
    return " ".join(re.findall(r"\w+|[^\w\s]", text))


def occurs(span, code):
    """Whether code has the words of the span, whatever stands for "..."."""
    parts = [re.escape(words(part)) for part in span.split("...") if part.strip()]
    return re.search(" " + " .*? ".join(parts) + " ", f" {words(code)} ") is not None


def check_row(section, cells, regions, sample):
    """What is wrong with a row, and of which kind it is."""
    key = plain(cells[0])
    if section == ANYWHERE:
        wanted = spans(cells[0]) + spans(cells[1])
        code = sample
    else:
        wanted = [span for cell in cells[1:] for span in spans(cell)]
        programs = [span for span in wanted if span.startswith("examples/")]
        if key not in regions:
            if cells[1].startswith("nothing"):
                return [], "nothing"
            if programs:
                return [], "program"
            return [f"{DOCUMENT}: {SAMPLE} has no code for the row {key}"], "compiled"
        code = regions[key]
        if not code.strip():
            return [f"{DOCUMENT}: the code of the row {key} is empty"], "compiled"
    named = [span for span in wanted if not PATH.fullmatch(span) and not HEADER.fullmatch(span)]
    return [f"{DOCUMENT}: the row {key} has {span}, which its code in {SAMPLE} has not"
            for span in named if not occurs(span, code)], "compiled"


def check(document, sample, build):
    """All faults, and how many rows there are of each kind."""
    faults = []
    counts = {"compiled": 0, "nothing": 0, "program": 0}
    rows = rows_of(document)
    regions = regions_of(sample)
    for section, cells in rows:
        found, kind = check_row(section, cells, regions, sample)
        faults += found
        counts[kind] += 1
    keys = {plain(cells[0]) for _, cells in rows}
    faults += [f"{SAMPLE}: {DOCUMENT} has no row {key}" for key in regions if key not in keys]
    named = set(HEADER.findall(document))
    included = {line.split()[1] for line in sample.splitlines()
                if line.startswith("#include <ipu_dsl/")}
    faults += [f"{SAMPLE}: includes {header}, which {DOCUMENT} does not name"
               for header in sorted(included - named)]
    faults += [f"{DOCUMENT}: names {header}, which {SAMPLE} does not include"
               for header in sorted(named - included)]
    for target in sorted(set(re.findall(r"`ipu_dsl::(\w+)`", document)) - {"ipu_dsl"}):
        if not re.search(rf"ipu_dsl_add_components\([^)]*\b{target}\b", build):
            faults.append(f"{DOCUMENT}: names ipu_dsl::{target}, which {BUILD} does not add")
    return faults, counts


# (what, which of the three texts, what is replaced, by what, the fault that must be found)
PLANTED = [
    ("code that is not compiled", 0, "`gradient_accumulation<4>`", "`accumulation<4>`", "has accumulation<4>, which"),
    ("a row without code", 0, "| `name='logits'`", "| `name='x'`", "no code for the row name='x'"),
    ("code without a row", 1, "// row: x + f(x)", "// row: x + g(x)", "has no row x + g(x)"),
    ("code in a comment", 1, "    build.stage(1);", "    // build.stage(1);", "is empty"),
    ("code in another row", 1, "grouped>());", "interleaved>());", "has grouped, which"),
    ("a header that is not included", 0, "report/summary.hpp", "report/no.hpp", "not include"),
    ("a header that is not named", 1, "#include <ipu_dsl/interface.hpp>",
     "#include <ipu_dsl/core/list.hpp>", "does not name"),
    ("a target that does not exist", 0, "`ipu_dsl::gzip`", "`ipu_dsl::planted`", "does not add"),
]


def self_test(texts):
    missed = 0
    for what, which, old, new, expected in PLANTED:
        planted = list(texts)
        planted[which] = texts[which].replace(old, new)
        before = check(*texts)[0]
        found = [fault for fault in check(*planted)[0] if expected in fault and fault not in before]
        print(f"{what}: {found[0] if found else 'NOT FOUND'}")
        missed += not found
    print(f"checked {len(PLANTED)} planted faults, {missed} not found")
    return 1 if missed else 0


def main():
    texts = [(ROOT / path).read_text() for path in (DOCUMENT, SAMPLE, BUILD)]
    if sys.argv[1:] == ["--self-test"]:
        return self_test(texts)
    faults, counts = check(*texts)
    print("\n".join(faults))
    print(f"checked {counts['compiled']} rows whose code is compiled; {counts['program']} name a "
          f"program, {counts['nothing']} need nothing; {len(faults)} faults")
    return 1 if faults or counts["compiled"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
