#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes keras_goldens.hpp: a file of weights as `save_weights("model.h5")` of Keras 2.4 lays it out, of
layers in TimeDistributed and Bidirectional, put into an NPZ by the lines of docs/weights.md; and the same
weights under the names that they have in `model.weights`. Needs h5py and NumPy, of Debian 12; made with
h5py 3.7.0.

usage: keras_goldens.py > keras_goldens.hpp

A group is called as the outermost layer, and the datasets in it as the weights. Those of a wrapper's layer
have the wrapper's name before theirs; a model's have none, since it was built before it was wrapped. Number
k of array n is n + k / 64, so that each is told from all others.
"""
import io
import os
import pathlib
import re
import tempfile
import zipfile

import h5py
import numpy

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "weights.md"
HEADER = """\
// SPDX-License-Identifier: MIT
// Weights of wrapped layers under Keras's names; made by keras_goldens.py.
#pragma once

#include <cstdint>
#include <vector>

namespace ipu_dsl::tests {
"""


def cell(name, features, units, gates, biases=1):
    bias = (biases, gates * units) if biases > 1 else (gates * units,)
    return [(f"{name}/kernel:0", (features, gates * units)),
            (f"{name}/recurrent_kernel:0", (units, gates * units)), (f"{name}/bias:0", bias)]


# By outermost layer its weights, in Keras's order.
LAYERS = {
    # TimeDistributed(Conv1D(4, 2), name="head")
    "head": [("head/kernel:0", (2, 3, 4)), ("head/bias:0", (4,))],
    # TimeDistributed(Bidirectional(GRU(2)), name="each")
    "each": cell("each/forward_gru/gru_cell_1", 4, 2, 3, 2) +
            cell("each/backward_gru/gru_cell_2", 4, 2, 3, 2),
    # TimeDistributed(encoder, name="seen"), encoder = Sequential([Dense(3, name="code")])
    "seen": [("code/kernel:0", (4, 3)), ("code/bias:0", (3,))],
    # TimeDistributed(Dense(6), name="rows")
    "rows": [("rows/kernel:0", (3, 6)), ("rows/bias:0", (6,))],
    # Bidirectional(LSTM(3, return_sequences=True), name="both")
    "both": cell("both/forward_lstm/lstm_cell_4", 6, 3, 4) +
            cell("both/backward_lstm/lstm_cell_5", 6, 3, 4),
    # Bidirectional(SimpleRNN(2))
    "bidirectional_1": cell("bidirectional_1/forward_simple_rnn/simple_rnn_cell_7", 6, 2, 1) +
                       cell("bidirectional_1/backward_simple_rnn/simple_rnn_cell_8", 6, 2, 1),
    # Dense(3, name="logits")
    "logits": [("logits/kernel:0", (4, 3)), ("logits/bias:0", (3,))],
}


def numbered(number, extents):
    count = int(numpy.prod(extents))
    return (number + numpy.arange(count, dtype="f4") / 64).reshape(extents)


def write_hdf5(path):
    """As Keras's hdf5_format.save_weights_to_hdf5_group does."""
    number = 0
    with h5py.File(path, "w") as file:
        file.attrs["layer_names"] = [name.encode() for name in LAYERS]
        file.attrs["backend"] = b"tensorflow"
        file.attrs["keras_version"] = b"2.4.0"
        for layer, weights in LAYERS.items():
            group = file.create_group(layer)
            group.attrs["weight_names"] = [name.encode() for name, _ in weights]
            for name, extents in weights:
                group.create_dataset(name, extents, dtype="f4")[...] = numbered(number, extents)
                number += 1


def exported():
    """What the lines of the page make of it."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_hdf5("model.h5")
        exec(next(lines for lines in blocks if "h5py" in lines), {})
        made = dict(numpy.load("model.npz"))
        os.chdir(before)
    return made


def named_weights():
    made = {}
    for weights in LAYERS.values():
        for name, extents in weights:
            made[name] = numbered(len(made), extents)
    return made


def npz(arrays):
    """The same bytes whenever it is made."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(arrays):
            array = io.BytesIO()
            numpy.save(array, arrays[name])
            archive.writestr(zipfile.ZipInfo(name + ".npy"), array.getvalue())
    return file.getvalue()


def print_bytes(comment, name, content):
    print(f"\n/// {comment}\ninline const std::vector<std::uint8_t>& {name}() {{")
    print("  // clang-format off\n  static const std::vector<std::uint8_t> bytes = {")
    for first in range(0, len(content), 24):
        print("    " + ",".join(str(value) for value in content[first:first + 24]) + ",")
    print("  };\n  // clang-format on\n  return bytes;\n}")


print(HEADER, end="")
print_bytes("An NPZ of what stands in the HDF5 file.", "keras_wrapped_hdf5", npz(exported()))
print_bytes("An NPZ of `model.weights`.", "keras_wrapped_weights", npz(named_weights()))
print("\n}  // namespace ipu_dsl::tests")
