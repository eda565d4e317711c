#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes rtneural_goldens.hpp: a model as RTNeural's python/model_utils.py writes one, an input, what the
model makes of it in float64, and how far off float32 may be. Needs NumPy alone.

usage: rtneural_goldens.py > rtneural_goldens.hpp

The formulas are Keras's, written here once more. How far off: every number has a bound beside it, which
goes through the same formulas (running error analysis; Higham, "Accuracy and Stability of Numerical
Algorithms", chapter 3). A sum of n products is off by what its operands are off, and by n + 1 roundings of
the sum of magnitudes, whatever its order; tanh and sigmoid by what their argument is off times their
steepest slope, and by 4 roundings of the result, as are quotients, square roots and exponentials. Twice
the bound stands for what is of second order.
"""
import json

import numpy

UNIT = 2.0 ** -24
STEPS, FEATURES = 6, 2
HEADER = """\
// SPDX-License-Identifier: MIT
// A model of RTNeural: weights, an input and its output; made by rtneural_goldens.py.
#pragma once

#include <string_view>
#include <vector>

namespace ipu_dsl::tests {

"""

random = numpy.random.default_rng(20)


def weights(*extents, around=0.0, width=0.7):
    """Numbers that float32 has."""
    drawn = around + width * random.uniform(-1, 1, extents)
    return drawn.astype(numpy.float32).astype(float)


class Bounded:
    """Numbers, and how far off they may be."""

    def __init__(self, value, off=0.0):
        self.value = numpy.asarray(value, float)
        self.off = numpy.zeros_like(self.value) + off

    def __getitem__(self, key):
        return Bounded(self.value[key], self.off[key])

    def rounded(self, roundings=1):
        return Bounded(self.value, self.off + roundings * UNIT * numpy.abs(self.value))

    def __add__(self, other):
        other = other if isinstance(other, Bounded) else Bounded(other)
        return Bounded(self.value + other.value, self.off + other.off).rounded()

    def __mul__(self, other):
        other = other if isinstance(other, Bounded) else Bounded(other)
        off = numpy.abs(self.value) * other.off + numpy.abs(other.value) * self.off
        return Bounded(self.value * other.value, off).rounded()

    def product(self, matrix):
        magnitudes = numpy.abs(self.value) @ numpy.abs(matrix)
        off = self.off @ numpy.abs(matrix) + (matrix.shape[0] + 1) * UNIT * magnitudes
        return Bounded(self.value @ matrix, off)


def tanh(x):
    return Bounded(numpy.tanh(x.value), x.off).rounded(4)


def sigmoid(x):
    return Bounded(1 / (1 + numpy.exp(-x.value)), x.off / 4).rounded(4)


def relu(x):
    return Bounded(numpy.maximum(x.value, 0), x.off)


def elu(x):
    return Bounded(numpy.where(x.value > 0, x.value, numpy.expm1(x.value)), x.off + 4 * UNIT)


def softmax(x):
    """Shares of exponentials: moved by at most twice what the scores are off, relative to themselves."""
    shares = numpy.exp(x.value - x.value.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    worst = x.off.max(axis=-1, keepdims=True)
    return Bounded(shares, 2 * worst * shares).rounded(8 + x.value.shape[-1])


def conv1d(x, kernel, bias, dilation):
    """Causal: before the first step there are zeros."""
    steps = x.value.shape[0]
    taps, _, filters = kernel.shape
    rows = []
    for step in range(steps):
        total = Bounded(numpy.zeros(filters))
        for tap in range(taps):
            at = step - (taps - 1 - tap) * dilation
            if at >= 0:
                total = total + x[at].product(kernel[tap])
        rows.append(total + bias)
    return stacked(rows)


def stacked(rows):
    return Bounded(numpy.stack([row.value for row in rows]), numpy.stack([row.off for row in rows]))


def batchnorm(x, gamma, beta, mean, variance, epsilon):
    scale = Bounded(gamma / numpy.sqrt(variance + epsilon)).rounded(4)
    return (x + -mean) * scale + beta


def prelu(x, alpha):
    return Bounded(numpy.where(x.value > 0, x.value, x.value * alpha),
                   x.off * numpy.maximum(1, numpy.abs(alpha))).rounded()


def gru(x, kernel, recurrent, bias):
    """reset_after: gates update, reset, candidate; both biases."""
    units = recurrent.shape[0]
    state, rows = Bounded(numpy.zeros(units)), []
    for step in range(x.value.shape[0]):
        read = x[step].product(kernel) + bias[0]
        kept = state.product(recurrent) + bias[1]
        update = sigmoid(read[:units] + kept[:units])
        reset = sigmoid(read[units:2 * units] + kept[units:2 * units])
        candidate = tanh(read[2 * units:] + reset * kept[2 * units:])
        state = update * state + (update * -1.0 + 1.0) * candidate
        rows.append(state)
    return stacked(rows)


def lstm(x, kernel, recurrent, bias):
    """Gates input, forget, candidate, output."""
    units = recurrent.shape[0]
    state, cell, rows = Bounded(numpy.zeros(units)), Bounded(numpy.zeros(units)), []
    for step in range(x.value.shape[0]):
        gates = x[step].product(kernel) + state.product(recurrent) + bias
        read, forget, candidate, written = (gates[i * units:(i + 1) * units] for i in range(4))
        cell = sigmoid(forget) * cell + sigmoid(read) * tanh(candidate)
        state = sigmoid(written) * tanh(cell)
        rows.append(state)
    return stacked(rows)


def layer(kind, activation, width, arrays, **more):
    """An entry of the file, its keys in RTNeural's order."""
    return {"type": kind, "activation": activation, "shape": [None, STEPS, width], **more,
            "weights": [array.tolist() for array in arrays]}


def main():
    conv = [weights(3, FEATURES, 4), weights(4)]
    norm = [weights(4, around=1.0, width=0.3), weights(4), weights(4), weights(4, around=1.0)]
    slopes = [weights(1, 4)]
    gates = [weights(4, 15), weights(5, 15), weights(2, 15)]
    cells = [weights(5, 16), weights(4, 16), weights(16)]
    each = [weights(4, 3), weights(3)]
    last = [weights(3, 2), weights(2)]
    model = {"in_shape": [None, None, FEATURES], "layers": [
        layer("conv1d", "tanh", 4, conv, kernel_size=[3], dilation=[2]),
        layer("batchnorm", "", 4, norm, epsilon=0.001),
        layer("prelu", "", 4, slopes),
        layer("gru", "tanh", 5, gates),
        layer("lstm", "tanh", 4, cells),
        layer("time-distributed-dense", "relu", 3, each),
        layer("dense", "elu", 2, last),
        layer("activation", "softmax", 2, [])]}
    x = weights(STEPS, FEATURES, width=1.0)
    y = tanh(conv1d(Bounded(x), *conv, dilation=2))
    y = prelu(batchnorm(y, *norm, epsilon=float(numpy.float32(0.001))), slopes[0])
    y = lstm(gru(y, *gates), *cells)
    y = relu(y.product(each[0]) + each[1])
    y = softmax(elu(y.product(last[0]) + last[1]))

    def numbers(values, ending):
        return ",\n    ".join(f"{value!r}{ending}" for value in numpy.ravel(values).tolist())

    print(HEADER + f"""/// {STEPS} steps of {FEATURES} features through a layer of each kind.
inline constexpr std::string_view rtneural_file = R"json({json.dumps(model, indent=1)})json";

inline const std::vector<float> rtneural_input = {{
    {numbers(x, "F")}}};

/// In float64.
inline const std::vector<double> rtneural_output = {{
    {numbers(y.value, "")}}};

/// How far off float32 may be, number by number.
inline const std::vector<double> rtneural_bounds = {{
    {numbers(2 * y.off, "")}}};

}}  // namespace ipu_dsl::tests""")


if __name__ == "__main__":
    main()
