#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the table of docs/mistakes.md with what a compiler says.

usage: documented.py [--compiler g++] [--output]

Each mistake of the first column stands among the layers of a model, or is a statement. All that the
column of the compiler says, between its colons and commas, must be in the first error or what is
said of it.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TABLE = REPOSITORY / "docs" / "mistakes.md"
PROGRAM = """#include <ipu_dsl/ipu_dsl.hpp>
using namespace ipu_dsl;
struct written : model<input<28, 28, 1>, sequential<{mistake}, Flatten, Dense<10>>> {{}};
static_assert(check<written>());
"""
STATEMENT = """#include <ipu_dsl/ipu_dsl.hpp>
using namespace ipu_dsl;
struct net : model<input<28, 28, 1>, sequential<Flatten, Dense<10>>> {{}};
struct training : compile<net, loss<sparse_categorical_crossentropy>> {{}};
void write() {{ {mistake}; }}
"""
CODE = re.compile(r"`([^`]+)`")
ERROR = re.compile(r"\berror: ")


def rows(text):
    """Mistakes and what g++ and clang say of them."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 4 and CODE.match(cells[0]):
            yield CODE.findall(cells[0]), cells[1], cells[2]


def plain(said):
    """Without quotation marks and the library's namespace."""
    return re.sub(r"[‘’'`\"]|ipu_dsl::", "", said)


def first_error(said):
    """The first error with what is said of it, up to the next one."""
    lines = said.splitlines()
    errors = [at for at, line in enumerate(lines) if ERROR.search(line)]
    return "\n".join(lines[errors[0]:errors[1] if len(errors) > 1 else None]) if errors else ""


def compile_mistake(compiler, mistake):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "written.cpp"
        program = STATEMENT if mistake.startswith("session<") else PROGRAM
        source.write_text(program.format(mistake=mistake))
        done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{REPOSITORY}/include",
                               str(source)], capture_output=True, text=True, check=False)
    return done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--output", action="store_true", help="all that is said")
    given = parser.parse_args()
    column = 1 if "clang" in pathlib.Path(given.compiler).name else 0
    checked = faults = 0
    for mistakes, *said in rows(TABLE.read_text()):
        for mistake in mistakes:
            checked += 1
            whole = compile_mistake(given.compiler, mistake)
            error = plain(first_error(whole))
            missing = [words for words in re.split(r"[:,] ", plain(said[column]))
                       if words not in error]
            if given.output:
                print(f"== {mistake}\n{whole}")
            if missing:
                faults += 1
                print(f"{TABLE.name}: {mistake}: not said: {'; '.join(missing)}\n{error}")
    print(f"checked {checked} documented mistakes, {faults} faults")
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
