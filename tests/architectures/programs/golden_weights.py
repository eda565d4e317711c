#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the golden fingerprints of golden_weights.hpp.

usage: golden_weights.py [--update]
Trains the small model with every installed compiler, at -O2 and -O3, for AVX2 and for SSE2 and with
portable vectors for both. All programs with fused multiply-add must end in the same weights, and
all without; `--update` writes them down. Commit the change with its reason: it changes every number
that the library computes.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
HEADER = HERE / "golden_weights.hpp"
COMPILERS = ["g++", "clang++-19"]
LEVELS = ["-O2", "-O3"]
PROCESSORS = ["-march=x86-64-v3", "-march=x86-64", "-march=x86-64-v3 -DIPU_DSL_PORTABLE",
              "-march=x86-64 -DIPU_DSL_PORTABLE"]


def train(compiler, flags):
    """The kind of architecture and the fingerprint."""
    with tempfile.TemporaryDirectory() as temporary:
        program = pathlib.Path(temporary) / "golden_weights"
        subprocess.run([compiler, "-std=c++20", *flags, f"-I{ROOT / 'include'}",
                        f"-I{ROOT / 'tests'}", str(HERE / "golden_weights.cpp"),
                        str(HERE / "trained_weights.cpp"), "-pthread", "-o", str(program)],
                       check=True)
        ran = subprocess.run([str(program), "--print"], stdout=subprocess.PIPE, text=True,
                             check=True)
    return ran.stdout.split()


def main():
    found = {"fused": set(), "unfused": set()}
    trained = 0
    for compiler in filter(shutil.which, COMPILERS):
        for level in LEVELS:
            for processor in PROCESSORS:
                kind, weights = train(compiler, [level, *processor.split()])
                found[kind].add(weights)
                trained += 1
                print(f"{weights} {kind:8} {compiler} {level} {processor}", flush=True)
    if any(len(weights) != 1 for weights in found.values()):
        print("these differ where they must not")
        return 1
    text = old = HEADER.read_text()
    for kind, weights in found.items():
        text = re.sub(rf"golden_{kind} = 0x[0-9a-f]+U", f"golden_{kind} = 0x{weights.pop()}U", text)
    if text != old and "--update" in sys.argv[1:]:
        HEADER.write_text(text)
        print(f"wrote {HEADER.name}")
    print(f"trained {trained} times: {'the golden weights' if text == old else 'other weights'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
