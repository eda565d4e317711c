#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws models at random, and looks whether what holds of every model holds of them.

usage: random_models.py [--compiler g++] [--first 1] [--count 4] [--jobs 1] [--show SEED] [--keep DIR]

A model is drawn by its seed: one or two inputs, up to ten layers of any kind, joins, layers that are
shared, masks, states, and a loss; whole, and cut into up to four stages of a schedule. Each is a
program (check_everywhere.hpp says what it compares), compiled and run. Where the layers behind a mask
do not know it, the library refuses the model, and the next seed is drawn in its place. The exit status
is 0 if all that was compared is right, and something was.
"""
import argparse
import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from layers import LayerDraw, written

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
LARGEST = 1000
MERGES = ["Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"]
OPTIMIZERS = ["sgd<>", "sgd<momentum>", "adam"]
SCHEDULES = ["grouped", "interleaved", "sequential_schedule", "zb_h1"]
REFUSED = re.compile("expected a layer that knows which steps are masked")
# Where clang cuts a sentence into pieces.
CUT = re.compile(r'"\}, [a-z_:]*exact_text<\d+>\{"')
PROGRAM = """#include "random_models/check_everywhere.hpp"

using namespace ipu_dsl;

template <bool Cut>
struct net {{
  static constexpr symbolic_tensor build(functional_builder& build) {{
{body}
  }}
}};

struct whole_net : net<false> {{}};
struct cut_net : net<true> {{}};

struct drawn {{
  using whole = whole_net;
  using cut = cut_net;
  using schedule = {schedule};
  using judge = {judge};
  using optimizer = ipu_dsl::optimizer<{optimizer}>;
  static constexpr int samples = {samples};
  static constexpr int micro_batches = {micro_batches};
  static constexpr int outputs = {outputs};
  static constexpr bool labels = {labels};
  static constexpr bool is_smooth = {smooth};
  static constexpr std::array<shape, {input_count}> inputs{{{{{inputs}}}}};
}};

int main() {{
  return tests::check_everywhere<drawn>();
}}
"""


def elements_of(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


class Tensor:
    def __init__(self, name, shape):
        self.name = name
        self.shape = shape
        self.is_read = False


class ModelDraw:
    """A functional model, line by line."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.layers = LayerDraw(self.random)
        self.lines = []
        self.tensors = []
        self.hides_slope = self.layers.chance(0.3)
        self.smooth = True
        self.input_shapes = [self.input_shape() for _ in range(self.random.choice([1, 1, 2]))]
        for number, shape in enumerate(self.input_shapes):
            extents = ", ".join(map(str, shape))
            self.add(f'build.input("input_{number}", {{{extents}}})', shape)
        self.draw_layers(self.random.randint(4, 10))
        self.labels = self.random.choice([True, True, False])
        self.outputs = 5 if self.labels else 3
        self.draw_end()

    def input_shape(self):
        draw = self.random
        return draw.choice([[draw.randint(3, 20)],
                            [draw.randint(3, 9), draw.choice([1, 2, 3, 4, 6, 9])],
                            [draw.randint(4, 9), draw.randint(4, 9), draw.choice([1, 2, 3, 4, 8])]])

    def add(self, text, shape, *read):
        made = Tensor(f"t{len(self.tensors)}", shape)
        self.lines.append(f"const symbolic_tensor {made.name} = {text};")
        self.tensors.append(made)
        for each in read:
            each.is_read = True
        return made

    def pick(self):
        """A tensor that nobody reads, or any."""
        unread = [each for each in self.tensors if not each.is_read]
        unread_wanted = unread and self.layers.chance(0.75)
        return self.random.choice(unread if unread_wanted else self.tensors)

    def draw_layers(self, count):
        self.stages = self.random.choice([2, 2, 3, 4])
        begins = sorted(self.random.sample(range(1, count), self.stages - 1))
        for number in range(count):
            if number in begins:
                self.lines.append(f"if (Cut) build.stage({begins.index(number) + 1});")
            read = self.pick()
            kinds = [self.draw_merge, self.draw_shared, self.draw_states, self.draw_mask]
            drawn = self.layers.chance(0.4) and self.random.choice(kinds)(read)
            while not drawn:
                drawn = self.draw_layer(read)

    def draw_layer(self, read):
        layer = self.layers.for_shape(read.shape)
        if elements_of(layer.shape) > LARGEST or (layer.hides_slope and not self.hides_slope):
            return False
        self.smooth = self.smooth and not layer.hides_slope
        self.add(f'build.layer<{layer.text}>("", {read.name})', layer.shape, read)
        return True

    def draw_merge(self, read):
        others = [each for each in self.tensors
                  if each is not read and each.shape[:-1] == read.shape[:-1]]
        if not others:
            return False
        other = self.random.choice(others)
        names = f"{read.name}, {other.name}"
        if other.shape == read.shape:
            self.add(f'build.layer<{self.random.choice(MERGES)}>("", {names})', read.shape, read,
                     other)
        else:
            joined = read.shape[:-1] + [read.shape[-1] + other.shape[-1]]
            self.add(f'build.layer<Concatenate>("", {names})', joined, read, other)
        return True

    def draw_shared(self, read):
        name = f"shared_{len(self.tensors)}"
        dense = written("Dense", read.shape[-1], self.layers.activation())
        self.lines.append(f'auto {name} = build.shared<{dense}>("{name}");')
        self.add(f"{name}({name}({read.name}))", read.shape, read)
        return True

    def draw_states(self, read):
        if len(read.shape) != 2:
            return False
        units = self.random.choice([3, 4, 8])
        layer = self.random.choice(["LSTM", "GRU", "SimpleRNN"])
        count = 3 if layer == "LSTM" else 2
        names = [f"s{len(self.tensors)}_{number}" for number in range(count)]
        self.lines.append(f"const auto [{', '.join(names)}] = build.layers<"
                          f'{layer}<{units}, return_state<true>>, {count}>("", {read.name});')
        self.tensors += [Tensor(name, [units]) for name in names]
        read.is_read = True
        return True

    def draw_mask(self, read):
        if len(read.shape) != 2:
            return False
        self.add(f'build.layer<Masking<0.0F>>("", {read.name})', read.shape, read)
        return True

    def as_vector(self, read):
        """What nobody reads as a vector; a sequence by what heeds its mask."""
        if len(read.shape) == 1:
            return read
        if len(read.shape) == 3:
            return self.add(f'build.layer<Flatten>("", {read.name})', [elements_of(read.shape)],
                            read)
        layer, units = self.random.choice([("GRU<4>", 4), ("LSTM<3>", 3),
                                           ("GlobalAveragePooling1D", read.shape[1])])
        return self.add(f'build.layer<{layer}>("", {read.name})', [units], read)

    def draw_end(self):
        ends = [self.as_vector(each) for each in self.tensors if not each.is_read]
        last = ends[0]
        if len(ends) > 1:
            names = ", ".join(each.name for each in ends)
            units = sum(each.shape[0] for each in ends)
            last = self.add(f'build.layer<Concatenate>("", {names})', [units], *ends)
        last = self.add(f'build.layer<Dense<{self.outputs}>>("", {last.name})', [self.outputs],
                        last)
        self.lines.append(f"return {last.name};")

    def program(self):
        extents = [", ".join(map(str, shape)) for shape in self.input_shapes]
        return PROGRAM.format(
            body="\n".join("    " + line for line in self.lines),
            schedule=self.random.choice(SCHEDULES),
            judge="sparse_categorical_crossentropy" if self.labels else "mean_squared_error",
            optimizer=self.random.choice(OPTIMIZERS), samples=self.random.randint(1, 5),
            # Grouped wants a multiple of twice the stages.
            micro_batches=2 * self.stages * self.random.choice([1, 2]), outputs=self.outputs,
            labels=str(self.labels).lower(), smooth=str(self.smooth).lower(),
            input_count=len(extents), inputs=", ".join(f"shape{{{each}}}" for each in extents))


def compile_and_run(compiler, seed, directory):
    """(whether it is right, or None of a model that is refused; what is said)."""
    source = directory / f"seed_{seed}.cpp"
    program = directory / f"seed_{seed}"
    source.write_text(ModelDraw(seed).program())
    command = [compiler, "-std=c++20", "-O1", "-march=native", "-ffp-contract=off",
               f"-I{REPOSITORY / 'include'}", f"-I{REPOSITORY / 'tests'}", str(source), "-o",
               str(program), "-pthread"]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        if REFUSED.search(CUT.sub("", compiled.stderr)):
            return None, "refused for its masks"
        return False, compiled.stderr[:4000]
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=300)
    return ran.returncode == 0, ran.stdout + ran.stderr


def compare_all(arguments, directory):
    """How many models were right and wrong, of as many as are asked for."""
    counts = {True: 0, False: 0}
    seed = arguments.first
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while sum(counts.values()) < arguments.count:
            missing = arguments.count - sum(counts.values())
            seeds = range(seed, seed + missing)
            seed += missing
            results = pool.map(
                lambda each: compile_and_run(arguments.compiler, each, directory), seeds)
            for each, (right, said) in zip(seeds, results):
                print(f"seed {each}: {said.strip()}", flush=True)
                if right is not None:
                    counts[right] += 1
    return counts[True], counts[False]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.show is not None:
        print(ModelDraw(arguments.show).program(), end="")
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        directory = arguments.keep or pathlib.Path(temporary)
        right, wrong = compare_all(arguments, directory)
    print(f"compared {right + wrong} random models, {wrong} wrong")
    return 0 if right > 0 and wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
