#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compiles the description of the processor with many flags: which architecture they select, what a
program may say of it, and that flags which change numbers are refused with their sentence.

usage: flags.py COMPILER
"""
import pathlib
import platform
import subprocess
import sys

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
SKIPPED = 77
BITS = "ipu_dsl promises the same bits"
FLOATS = "ipu_dsl needs floats that are computed as floats"

# Flags, the architecture's name and value, and how its note begins (empty if there is none).
SELECTED = [
    ("-march=x86-64", "sse2", "4, 16, false", "Compiled without fused multiply-add"),
    ("-march=x86-64-v2", "sse2", "4, 16, false", "Compiled without fused multiply-add"),
    ("-mavx2", "sse2", "4, 16, false", "Compiled without fused multiply-add"),
    ("-mfma", "fma3", "4, 16, true", ""),
    ("-mavx2 -mfma", "avx2", "8, 16, true", ""),
    ("-march=x86-64-v3", "avx2", "8, 16, true", ""),
    ("-march=x86-64-v4", "avx512", "16, 32, true", ""),
    ("-march=bdver1", "portable_fused", "4, 16, true", "Compiled with portable vectors"),
    ("-DIPU_DSL_PORTABLE", "portable", "4, 16, false", "Compiled without fused multiply-add"),
    ("-DIPU_DSL_PORTABLE -march=x86-64-v4", "portable_fused", "4, 16, true",
     "Compiled with portable vectors"),
    ("-O3 -march=x86-64-v3 -ffp-contract=off", "avx2", "8, 16, true", ""),
]
REFUSED = {
    "gcc": [("-ffast-math", BITS), ("-Ofast", BITS), ("-funsafe-math-optimizations", BITS),
            ("-ffinite-math-only", BITS), ("-freciprocal-math", BITS), ("-mfpmath=387", FLOATS)],
    # clang says by no macro that it was given one of the others.
    "clang": [("-ffast-math", BITS), ("-Ofast -Wno-deprecated", BITS),
              ("-ffinite-math-only", BITS)],
}

# Headers of what throws, refused with one error where there are no exceptions.
THROWING = ["ipu_dsl.hpp", "interface.hpp", "data/dataset.hpp", "training/checkpoint.hpp"]
NO_EXCEPTIONS = "ipu_dsl: expected exceptions for sessions, files and data sets"


def program(name, value, note):
    return f"""#include <ipu_dsl/layout/architecture.hpp>
static_assert(ipu_dsl::for_{name}::layout::native == ipu_dsl::layout::architecture{{{value}}});
static_assert(ipu_dsl::architecture_note().empty() == {"false" if note else "true"});
static_assert(ipu_dsl::architecture_note().starts_with("{note}"));
"""


class Compiler:
    def __init__(self, command):
        self.command = command
        said = subprocess.run([command, "--version"], stdout=subprocess.PIPE, text=True, check=True)
        self.kind = "clang" if "clang" in said.stdout else "gcc"

    def compile(self, flags, source):
        """Whether it compiled, and what the compiler said."""
        ran = subprocess.run([self.command, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic",
                              "-fsyntax-only", f"-I{INCLUDE}", *flags.split(), "-x", "c++", "-"],
                             input=source, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        return ran.returncode == 0, ran.stdout

    def faults(self):
        for flags, name, value, note in SELECTED:
            compiled, said = self.compile(flags, program(name, value, note))
            if not compiled or said:
                yield f"{flags}: is not {name} {{{value}}}\n{said}"
        for flags, sentence in REFUSED[self.kind]:
            compiled, said = self.compile(flags, "#include <ipu_dsl/layout/architecture.hpp>\n")
            if compiled or sentence not in said or said.count("error: ") != 1:
                yield f"{flags}: is not refused with one error, \"{sentence}\"\n{said}"
        for header in THROWING:
            compiled, said = self.compile("-fno-exceptions", f"#include <ipu_dsl/{header}>\n")
            if compiled or NO_EXCEPTIONS not in said or said.count("error: ") != 1:
                yield f"{header} without exceptions: is not refused with one error\n{said}"


def main():
    if platform.machine() not in ("x86_64", "AMD64"):
        print("skipped: these are flags for x86-64")
        return SKIPPED
    compiler = Compiler(sys.argv[1])
    faults = list(compiler.faults())
    print("\n".join(faults))
    refused = len(REFUSED[compiler.kind]) + len(THROWING)
    print(f"checked {len(SELECTED)} selections and {refused} refusals of flags, "
          f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
