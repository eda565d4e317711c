#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Models of growing depth, width, micro-batches, stages and tiles of the simulated machine: what
they cost to compile and to run.

Writes a list of models to standard output, each a list of rows {name, value, unit}: microseconds of
a training step (the shortest of many, one worker), CPU seconds of the compiler at -O2, bytes of code
of the object file.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

STEPS = 200
WARMING_STEPS = 5

DEPTHS = [4, 8, 16, 32]
WIDTHS = [64, 128, 256, 512]
MICRO_BATCHES = [4, 16, 64, 256]
STAGES = [1, 2, 4, 8]
TILES = [0, 1, 64, 1472, 5888]  # of a device; 0: no machine is simulated


def layers(count, units):
    return [f"Dense<{units}, relu>"] * count


def model(parts):
    """Layers in stages."""
    if len(parts) == 1:
        return f"sequential<{', '.join(parts[0])}>"
    return f"pipeline<{', '.join('stage<' + ', '.join(part) + '>' for part in parts)}>"


def machine(tiles):
    """A constant named `target`, an ipu2 but for its number of tiles."""
    return f"""constexpr machine_target target = [] {{
  machine_target made = ipu2;
  made.name = "target";
  made.tiles = {tiles};
  return made;
}}();
"""


def program(parts, micro_batches, tiles=0):
    target = machine(tiles) if tiles else ""
    option = "on<target>, " if tiles else ""
    # What is not asked for is not evaluated.
    question = "static_assert(training::memory.fits());\n" if tiles else ""
    return f"""#include <chrono>
#include <cstdio>
#include <ipu_dsl/ipu_dsl.hpp>
using namespace ipu_dsl;
{target}struct net : model<input<64>, {model(parts)}> {{}};
struct training : compile<net, micro_batch<32>, gradient_accumulation<{micro_batches}>,
    {option}loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {{}};
{question}int main() {{
  using clock = std::chrono::steady_clock;
  session<training> run{{{{.learning_rate = 0.001F, .momentum = 0.9F}}}};
  const std::vector<float> features(std::size_t{{{micro_batches}}} * 32 * 64, 0.1F);
  const std::vector<std::int32_t> labels(std::size_t{{{micro_batches}}} * 32, 3);
  double shortest = 1e9;
  for (int step = 0; step < {WARMING_STEPS + STEPS}; ++step) {{
    const auto start = clock::now();
    run.train_step(features, labels);
    const std::chrono::duration<double, std::micro> passed = clock::now() - start;
    shortest = step < {WARMING_STEPS} ? shortest : std::min(shortest, passed.count());
  }}
  std::printf("%.3f\\n", shortest);
}}
"""


def models(quick):
    """(name, source) of every model."""
    output = ["Dense<10>"]
    two_stages = [layers(2, 64), layers(1, 64) + output]
    for depth in DEPTHS[:2] if quick else DEPTHS:
        yield f"growth depth {depth}", program([layers(depth, 64) + output], 4)
    for width in [] if quick else WIDTHS:
        yield f"growth width {width}", program([layers(3, width) + output], 4)
    for micro_batches in [] if quick else MICRO_BATCHES:
        yield f"growth micro-batches {micro_batches}", program(two_stages, micro_batches)
    for stages in [] if quick else STAGES:
        parts = [layers(8 // stages, 64) for _ in range(stages)]
        parts[-1] = parts[-1] + output
        # Two micro-batches a stage and device are the fewest that the grouped schedule takes.
        yield f"growth stages {stages}", program(parts, 16)
    for tiles in TILES[:2] if quick else TILES:
        yield f"growth tiles {tiles or 'none'}", program(two_stages, 16, tiles)


def is_wanted(name, only):
    """As the table asks: the name, or names that begin with it, are asked for."""
    return not only or any(part in name or part.startswith(name) for part in only)


def compile_seconds(command, folder):
    """CPU seconds of a compiler that must succeed."""
    process = subprocess.Popen(command, cwd=folder, stdout=sys.stderr)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"this does not compile: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime


def code_bytes(folder):
    """Of the sections that hold code."""
    listed = subprocess.run(["size", "--format=sysv", "unit.o"], cwd=folder, check=True,
                            capture_output=True, text=True).stdout
    return sum(int(line.split()[1]) for line in listed.splitlines() if line.startswith(".text"))


def measure(name, source, arguments, folder):
    pathlib.Path(folder, "unit.cpp").write_text(source)
    compiler = [arguments.compiler, "-std=c++20", "-O2", *arguments.flags.split(),
                f"-I{arguments.include}", "-c", "unit.cpp", "-o", "unit.o"]
    seconds = compile_seconds(compiler, folder)
    subprocess.run([arguments.compiler, "unit.o", "-o", "unit", "-pthread"], cwd=folder, check=True)
    ran = subprocess.run(["./unit"], cwd=folder, check=True, capture_output=True, text=True)
    return [{"name": name, "value": float(ran.stdout), "unit": "us a step"},
            {"name": name, "value": seconds, "unit": "s of compiling"},
            {"name": name, "value": code_bytes(folder) / 1024, "unit": "KB of code"}]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", required=True, help="the folder of the library's headers")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--flags", default="-march=native", help="of the architecture")
    parser.add_argument("--quick", action="store_true", help="two depths and two machines")
    parser.add_argument("--only", action="append", default=[],
                        help="models whose name contains this; may be given again")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(name, source, arguments, folder)
                for name, source in models(arguments.quick) if is_wanted(name, arguments.only)]
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
