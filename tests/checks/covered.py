#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every loss stands in a test of gradients, every optimizer in the test of bits, every layer in a model
whose calls are checked block by block, and one with an activation in the test of what losses take for
probabilities.

What there is, is found in the headers of a folder; where it must stand, in the tests of that row.
A name counts where it is a template argument. `--self-test` takes each name away in turn and
demands that it is missed.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)

LAYERS = "include/ipu_dsl/vocabulary/layers"
# What there is, by the folder of its headers, a line that its struct has and what its header says; the
# tests that have it.
COVERED = {
    "losses": ("include/ipu_dsl/vocabulary/losses", "is_loss = true", r"",
               ["tests/training/gradients_row_losses.cpp", "tests/training/gradients_losses.cpp"]),
    "optimizers": ("include/ipu_dsl/vocabulary/optimizers", "const family* rule", r"",
                   ["tests/training/bits_optimizers.cpp"]),
    "layers": (LAYERS, "element description", r"",
               ["tests/training/tile_models.hpp", "tests/training/shape_models.hpp",
                "tests/training/state_models.hpp", "tests/training/activity_regularizers.cpp",
                "tests/training/asked_of_tables.cpp", "tests/training/dots.cpp",
                "tests/training/masks.cpp", "tests/training/run_values.cpp"]),
    "layers with an activation": (LAYERS, "element description",
                                  r"&activation_key\b|\bconvolution_reading<|\btransposed_reading<",
                                  ["tests/vocabulary/refused_losses.cpp"]),
}
# Structs with such a line that are none by themselves.
PARTS = {"adapted_optimizer", "activation_layer", "merge_layer"}


def names_in(folder, line, says):
    found = set()
    for header in sorted((ROOT / folder).glob("*.hpp")):
        text = header.read_text()
        for name, body in STRUCT.findall(text):
            if line in body and re.search(says, text) and name not in PARTS:
                found.add(name)
    return found


def missing(names, text):
    """The names that are no template argument in a text."""
    return sorted(name for name in names if not re.search(rf"[<,]\s*{name}\b", text))


def check(self_test):
    checked, faults = 0, 0
    for kind, (folder, line, says, tests) in COVERED.items():
        names = names_in(folder, line, says)
        text = "\n".join((ROOT / test).read_text() for test in tests)
        checked += len(names)
        if not names:
            print(f"{folder}: no {kind} found")
            faults += 1
        if self_test:
            for name in names:
                taken = re.sub(rf"\b{name}\b", "another", text)
                if missing(names, taken) != [name]:
                    print(f"NOT MISSED: {name}")
                    faults += 1
        else:
            for name in missing(names, text):
                print(f"{kind}: {name} does not stand in {' or '.join(tests)}")
                faults += 1
    what = "names taken away" if self_test else "losses, optimizers and layers"
    print(f"checked {checked} {what}, {faults} faults")
    return 1 if faults or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1:] == ["--self-test"]))
