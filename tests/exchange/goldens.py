#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes goldens.hpp: modules of PyTorch with their weights, an input, what they make of it in float64,
and how far off float32 may be. Needs PyTorch and NumPy, python3-torch of Debian 12; made with
PyTorch 1.13.1.

usage: goldens.py > goldens.hpp

How far off: to first order, an error in what a module puts out reaches the result by the derivative
of the one by the other, which autograd says. A module puts out sums; one of n products, whatever their
order, is off by at most n roundings of the sum of their magnitudes, which is what the module makes of
magnitudes with the magnitudes of its weights. So a bound is the sum, over modules and the numbers they
put out, of |derivative| x n x 2^-24 x magnitude. Recurrent modules count as one of all their steps:
their weights are halved, so that an error of a step reaches the next at most once over. Twice the
first order stands for all others.
"""
import copy
import json
import struct

import numpy
import torch
from torch import nn

UNIT = 2.0 ** -24
HEADER = """\
// SPDX-License-Identifier: MIT
// Modules of PyTorch: weights, inputs and outputs; made by goldens.py.
#pragma once

#include <cstdint>
#include <vector>

namespace ipu_dsl::tests {

/// A module of PyTorch, and what it makes of an input. Images have their channels last here.
struct pytorch_golden {
  std::vector<std::uint8_t> file;  ///< its state_dict as safetensors
  std::vector<float> input;
  std::vector<double> output;  ///< in float64
  std::vector<double> bounds;  ///< how far off float32 may be, number by number
};
"""


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.each = nn.Conv2d(4, 8, (2, 3), groups=4)
        self.slopes = nn.PReLU(8)
        self.up = nn.ConvTranspose2d(8, 4, 3, stride=2)
        self.grouped = nn.Conv2d(4, 6, (3, 2), groups=2)
        self.groups = nn.GroupNorm(3, 6)
        self.separable = nn.ModuleDict({"depthwise": nn.Conv2d(6, 6, 2, groups=6, bias=False),
                                        "pointwise": nn.Conv2d(6, 4, 1)})
        self.fc = nn.Linear(80, 5)

    def forward(self, x):
        x = self.norm(torch.relu(self.first(x)))
        x = self.up(self.slopes(self.each(x)))
        x = self.groups(self.grouped(x))
        x = self.separable["pointwise"](self.separable["depthwise"](x))
        return self.fc(torch.flatten(x, 1))


class Sequences(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)
        self.both = nn.LSTM(8, 4, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(8, 5, batch_first=True)
        self.rnn = nn.RNN(5, 4, batch_first=True)
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        x = self.words(x)
        x = self.norm(self.attention(x, x, x)[0])
        x = self.rnn(self.gru(self.both(x)[0])[0])[0]
        return self.fc(x[:, -1])


class Signals(nn.Module):
    """A vector that was a sequence with its channels first, and one that becomes an image so."""
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 4, 3)
        self.up = nn.ConvTranspose1d(4, 3, 2, stride=2)
        self.norm = nn.BatchNorm1d(30)
        self.fc = nn.Linear(30, 24)
        self.after = nn.BatchNorm1d(24)
        self.image = nn.ConvTranspose2d(4, 2, 2)

    def forward(self, x):
        x = self.up(torch.max_pool1d(self.conv(x), 2))
        x = self.after(torch.relu(self.fc(self.norm(torch.flatten(x, 1)))))
        return self.image(x.reshape(-1, 4, 2, 3))


class Volumes(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(2, 3, (2, 2, 3))
        self.fc = nn.Linear(2 * 3 * 3 * 3, 2)

    def forward(self, x):
        return self.fc(torch.flatten(torch.tanh(self.conv(x)), 1))


RECURRENT = (nn.LSTM, nn.GRU, nn.RNN)


def prepare(module):
    """Weights that no layer leaves at 0 or 1, in float32."""
    for part in module.modules():
        if isinstance(part, RECURRENT):
            for weight in part.parameters():
                weight.data.mul_(0.5)
        elif isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d, nn.GroupNorm, nn.LayerNorm, nn.PReLU)):
            for weight in part.parameters():
                weight.data.uniform_(0.5, 1.5)
        if isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d)):
            part.running_mean.uniform_(-0.5, 0.5)
            part.running_var.uniform_(0.5, 1.5)
        if isinstance(part, nn.MultiheadAttention):
            part.in_proj_bias.data.uniform_(-0.5, 0.5)
            part.out_proj.bias.data.uniform_(-0.5, 0.5)
    return module.eval()


def magnitude_and_count(part, given, made):
    """Of the sums of a module: the magnitudes of their products, and how many there are."""
    if isinstance(part, RECURRENT):
        steps, inputs = given[0].shape[-2:]
        units = part.hidden_size
        largest = sum(w.abs().sum(-1).max() for w in part.parameters())
        scale = max(1.0, float(largest * max(1.0, float(given[0].abs().max()))))
        return torch.full_like(made, scale), steps * (inputs + units + 16)
    if isinstance(part, nn.MultiheadAttention):
        features = given[0].shape[-1]
        widest = float(part.in_proj_weight.abs().sum(-1).max() * given[0].abs().max()) + 1
        out = float(part.out_proj.weight.abs().sum(-1).max() + 1) * widest * widest
        return torch.full_like(made, out), 3 * features + given[0].shape[-2] + 32
    if isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d, nn.GroupNorm, nn.LayerNorm)):
        # Means of n numbers, twice, a root and a quotient; what is subtracted is no smaller.
        largest = float(given[0].abs().max()) + 1
        smallest = 1 if isinstance(part, (nn.GroupNorm, nn.LayerNorm)) else 2
        spread = float(given[0].std()) if smallest == 1 else 0.7
        scale = float(part.weight.abs().max()) * largest / spread + float(part.bias.abs().max())
        return torch.full_like(made, scale), 2 * given[0][0].numel() + 16
    if isinstance(part, (nn.PReLU, nn.Embedding)):
        return made.abs(), 2
    absolute = copy.deepcopy(part)
    absolute._forward_hooks.clear()  # they came along
    for weight in absolute.parameters():
        weight.data.abs_()
    products = part.weight[0].numel() if not isinstance(
        part, (nn.ConvTranspose1d, nn.ConvTranspose2d)) else part.weight.numel()
    return absolute(given[0].abs()), products + 4


def golden(module, given):
    """The output in float64, flat, and the bound of each number."""
    exact = copy.deepcopy(module).double()
    seen = []

    def note(part, inputs, made):
        made = made[0] if isinstance(made, tuple) else made
        if isinstance(part, nn.modules.linear.NonDynamicallyQuantizableLinear):
            return
        if not made.requires_grad:
            made.requires_grad_(True)
        made.retain_grad()
        seen.append((part, [i.detach() for i in inputs], made))

    for part in exact.modules():
        if not list(part.children()) or isinstance(part, nn.MultiheadAttention):
            part.register_forward_hook(note)
    # PyTorch has a way of attention without autograd, which it takes where there is no training.
    for part in exact.modules():
        if isinstance(part, nn.MultiheadAttention):
            part.train()
    output = exact(given.double() if given.is_floating_point() else given)
    places = output[0].permute(*range(1, output[0].dim()), 0) if output[0].dim() > 1 else output[0]
    bounds = []
    scales = [magnitude_and_count(*entry) for entry in list(seen)]
    for number in places.reshape(-1):
        for _, _, made in seen:
            made.grad = None
        number.backward(retain_graph=True)
        bound = 0.0
        for (_, _, made), (magnitude, count) in zip(seen, scales):
            if made.grad is not None:
                bound += float((made.grad.abs() * magnitude).sum()) * count * UNIT
        bounds.append(2 * bound)
    return places.detach().reshape(-1).numpy(), bounds


def safetensors(state):
    header = {"__metadata__": {"format": "pt"}}
    content = b""
    for name, values in state.items():
        array = values.numpy()
        kind = {"float32": "F32", "int64": "I64"}[str(array.dtype)]
        header[name] = {"dtype": kind, "shape": list(array.shape),
                        "data_offsets": [len(content), len(content) + array.nbytes]}
        content += numpy.ascontiguousarray(array).tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + content


def rows(values, width):
    for begin in range(0, len(values), width):
        print("        " + ", ".join(values[begin:begin + width]) + ",")


def show(name, comment, module, given):
    output, bounds = golden(module, given)
    worst = max(bounds)
    size = float(numpy.abs(output).max())
    assert worst < 1e-2 * size, (name, worst, size)
    places = given[0].permute(*range(1, given[0].dim()), 0) if given.dim() > 3 or (
        given.dim() == 3) else given[0]
    print(f"\n/// {comment}\n// clang-format off\ninline const pytorch_golden {name}{{\n    {{")
    rows([str(byte) for byte in safetensors(module.state_dict())], 24)
    print("    },\n    {")
    rows([f"{float(number)!r}F" for number in places.reshape(-1).float()], 6)
    print("    },\n    {")
    rows([repr(float(number)) for number in output], 5)
    print("    },\n    {")
    rows([f"{bound:.3g}" for bound in bounds], 8)
    print("    }};\n// clang-format on")


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    print(HEADER, end="")
    show("pytorch_images", "Convolutions of each kind on an image (6, 7, 3), then Linear.",
         prepare(Images()), torch.randn(1, 3, 6, 7))
    show("pytorch_sequences", "Embedding, attention and each kind of recurrence on 7 words.",
         prepare(Sequences()), torch.randint(0, 20, (1, 7)))
    show("pytorch_signals", "A sequence (12, 3) that becomes a vector, and that an image.",
         prepare(Signals()), torch.randn(1, 3, 12))
    show("pytorch_volumes", "Conv3d on a volume (3, 4, 5, 2), then Linear.",
         prepare(Volumes()), torch.randn(1, 2, 3, 4, 5))
    print("\n}  // namespace ipu_dsl::tests")


if __name__ == "__main__":
    main()
