#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the exporting lines of docs/weights.md: every block of Python whose packages are there, on a model
of PyTorch or a file of h5py, and checks that the file that it writes has every array with every number.
Blocks whose packages are missing are said and passed over; without any that runs it says so and is
skipped.

usage: exports.py
"""
import os
import pathlib
import re
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "weights.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PACKAGES = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)
SKIPPED = 77


def has(package):
    try:
        __import__(package)
        return True
    except ImportError:
        return False


def pytorch_model():
    from torch import nn
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 3))


def check_pytorch(lines):
    import numpy
    model = pytorch_model()
    exec(lines, {"model": model})
    written = numpy.load("model.npz")
    state = model.state_dict()
    assert sorted(written) == sorted(state) and len(state) == 9, sorted(written)
    for name, values in state.items():
        assert numpy.array_equal(written[name], values.numpy()), name


def check_hdf5(lines):
    import h5py
    import numpy
    arrays = {"dense/dense/kernel:0": numpy.arange(6, dtype="f4").reshape(2, 3),
              "dense/dense/bias:0": numpy.ones(3, "f4")}
    with h5py.File("model.h5", "w") as file:
        for name, values in arrays.items():
            file[name] = values
    exec(lines, {})
    written = numpy.load("model.npz")
    assert sorted(written) == sorted(arrays), sorted(written)
    for name, values in arrays.items():
        assert numpy.array_equal(written[name], values), name


CHECKS = {"torch": check_pytorch, "h5py": check_hdf5}


def main():
    blocks = BLOCK.findall(PAGE.read_text())
    assert len(blocks) == 4, f"docs/weights.md has {len(blocks)} blocks of Python, expected 4"
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for lines in blocks:
            packages = PACKAGES.findall(lines)
            missing = [package for package in packages if not has(package)]
            check = next((CHECKS[package] for package in packages if package in CHECKS), None)
            if missing or check is None:
                print("passed over, without", ", ".join(missing) or "a check")
                continue
            check(lines)
            ran += 1
    print(f"{ran} of {len(blocks)} blocks ran")
    return 0 if ran else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
