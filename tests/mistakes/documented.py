#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the table of docs/mistakes.md with what a compiler says.

usage: documented.py [--compiler g++] [--output]

Each mistake of the first column stands among the layers of a model, is a statement, or what a
functional model makes of its input x. All that the column of the compiler says, between its colons
and commas, must be in the first error or what is said of it.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TABLE = REPOSITORY / "docs" / "mistakes.md"
HEADER = """#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/callbacks.hpp>
"""
PROGRAM = """using namespace ipu_dsl;
struct written : model<input<28, 28, 1>, sequential<{mistake}, Flatten, Dense<10>>> {{}};
static_assert(check<written>());
"""
STATEMENT = """using namespace ipu_dsl;
struct net : model<input<28, 28, 1>, sequential<Flatten, Dense<10>>> {{}};
struct training : compile<net, loss<sparse_categorical_crossentropy>> {{}};
void write() {{ {mistake}; }}
"""
BUILT = """using namespace ipu_dsl;
struct written {{
  static constexpr symbolic_tensor build(functional_builder& build) {{
    const symbolic_tensor x = build.input("x", {{8}});
    return {mistake};
  }}
}};
static_assert(check<written>());
"""
CALLED = re.compile(r".*\(x\)$")
STATED = re.compile(r"session<|[a-z_]+\(\{")
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


class Compiler:
    """A compiler that has read the library once, into a precompiled header of a folder."""

    def __init__(self, command, folder):
        self.folder = pathlib.Path(folder)
        self.call = [command, "-std=c++20", f"-I{REPOSITORY}/include"]
        header = self.folder / "library.hpp"
        header.write_text(HEADER)
        made = self.folder / ("library.hpp.pch" if is_clang(command) else "library.hpp.gch")
        subprocess.run([*self.call, "-x", "c++-header", str(header), "-o", str(made)], check=True)
        self.include = (["-include-pch", str(made)] if is_clang(command)
                        else ["-include", str(header)])

    def say_of(self, mistake):
        program = (BUILT if CALLED.match(mistake)
                   else STATEMENT if STATED.match(mistake) else PROGRAM)
        source = self.folder / "written.cpp"
        source.write_text(program.format(mistake=mistake))
        done = subprocess.run([*self.call, *self.include, "-fsyntax-only", str(source)],
                              capture_output=True, text=True, check=False)
        return done.stderr


def is_clang(command):
    return "clang" in pathlib.Path(command).name


def compare(compiler, column, output):
    """Prints what is not said; the numbers of mistakes, and of those of which something is not."""
    checked = faults = 0
    for mistakes, *said in rows(TABLE.read_text()):
        for mistake in mistakes:
            checked += 1
            whole = compiler.say_of(mistake)
            error = plain(first_error(whole))
            missing = [words for words in re.split(r"[:,] ", plain(said[column]))
                       if words not in error]
            if output:
                print(f"== {mistake}\n{whole}")
            if missing:
                faults += 1
                print(f"{TABLE.name}: {mistake}: not said: {'; '.join(missing)}\n{error}")
    return checked, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--output", action="store_true", help="all that is said")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checked, faults = compare(Compiler(given.compiler, folder),
                                  1 if is_clang(given.compiler) else 0, given.output)
    print(f"checked {checked} documented mistakes, {faults} faults")
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
