#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws models at random, and looks whether what holds of every model holds of them.

usage: random_models.py [--compiler g++] [--also COMPILER] [--streams] [--first 1] [--count 4]
                        [--jobs 1] [--show SEED] [--keep DIR]

A model is drawn by its seed: one or two inputs of up to four axes, up to ten layers of any kind, joins,
layers that are shared or frozen, masks, states, and a loss; whole, and cut into up to four stages of a
schedule. With --streams it is a model of sequences that can be given them a step at a time. Each is a
program (check_everywhere.hpp and check_steps.hpp say what they compare), compiled and run. Each COMPILER
of --also, which may have flags, must make a program of it that prints the same bits. Where the layers
behind a mask do not know it, the library refuses the model, and the next seed is drawn in its place. The
exit status is 0 if all that was compared is right, and something was.
"""
import argparse
import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from models import ModelDraw, StreamDraw

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
REFUSED = re.compile("expected a layer that knows which steps are masked")
# Where clang cuts a sentence into pieces.
CUT = re.compile(r'"\}, [a-z_:]*exact_text<\d+>\{"')
WITH = ["-std=c++20", "-O1", "-march=native", "-ffp-contract=off"]


def compile_and_run(compiler, source):
    """(whether it is right, or None of a model that is refused; what is said)."""
    program = source.with_suffix("")
    name, *flags = compiler
    command = [name, *WITH, *flags, f"-I{REPOSITORY / 'include'}", f"-I{REPOSITORY / 'tests'}",
               str(source), "-o", str(program), "-pthread"]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        if REFUSED.search(CUT.sub("", compiled.stderr)):
            return None, "refused for its masks"
        return False, compiled.stderr[:4000]
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=300)
    said = ran.stdout + ran.stderr
    return ran.returncode == 0, said if ran.returncode >= 0 else f"{said} signal {-ran.returncode}"


def check_model(compilers, draw, seed, directory):
    """What the first compiler's program finds, and whether those of others print the same."""
    source = directory / f"seed_{seed}.cpp"
    source.write_text(draw(seed).program())
    right, said = compile_and_run(compilers[0], source)
    if right:
        for other in compilers[1:]:
            also, said_there = compile_and_run(other, source)
            if not also or said_there != said:
                return False, f"{said}and with {' '.join(other)}: {said_there}"
    return right, said


def compare_all(arguments, draw, directory):
    """How many models were right and wrong, of as many as are asked for."""
    compilers = [shlex.split(each) for each in [arguments.compiler, *arguments.also]]
    counts = {True: 0, False: 0}
    seed = arguments.first
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while sum(counts.values()) < arguments.count:
            missing = arguments.count - sum(counts.values())
            seeds = range(seed, seed + missing)
            seed += missing
            results = pool.map(
                lambda each: check_model(compilers, draw, each, directory), seeds)
            for each, (right, said) in zip(seeds, results):
                print(f"seed {each}: {said.strip()}", flush=True)
                if right is not None:
                    counts[right] += 1
    return counts[True], counts[False]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--also", action="append", default=[])
    parser.add_argument("--streams", action="store_true")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    draw = StreamDraw if arguments.streams else ModelDraw
    if arguments.show is not None:
        print(draw(arguments.show).program(), end="")
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        directory = arguments.keep or pathlib.Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        right, wrong = compare_all(arguments, draw, directory)
    print(f"compared {right + wrong} random models, {wrong} wrong")
    return 0 if right > 0 and wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
