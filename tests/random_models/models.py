# SPDX-License-Identifier: MIT
"""Models that are drawn layer by layer, as programs that look whether what holds of them does."""
import random

from layers import LayerDraw, StepDraw, written

LARGEST = 1000
MERGES = ["Add", "Subtract", "Multiply", "Average"]
# Of two slopes wherever their inputs meet, so that differences do not show the gradient.
EXTREMES = ["Maximum", "Minimum"]
OPTIMIZERS = ["sgd<>", "sgd<momentum>", "sgd<nesterov>", "adam", "amsgrad", "adamw", "nadam", "lion",
              "rmsprop<>", "rmsprop<momentum, centered>", "adagrad", "ftrl", "lamb",
              "adam, clipnorm<1.0F>", "sgd<momentum>, clipvalue<0.1F>", "adam, moving_average<0.9F>",
              "sgd<>, weight_decay<0.01F>"]
SCHEDULES = ["grouped", "interleaved", "sequential_schedule", "zb_h1"]
MODEL_PROGRAM = """#include "random_models/check_everywhere.hpp"

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
STREAM_PROGRAM = """#include "random_models/check_steps.hpp"

using namespace ipu_dsl;

struct net {{
  static constexpr symbolic_tensor build(functional_builder& build) {{
{body}
  }}
}};

struct drawn {{
  using whole = net;
  static constexpr int samples = {samples};
  static constexpr int steps = {steps};
  static constexpr int outputs = {outputs};
  static constexpr std::array<int, {input_count}> inputs{{{inputs}}};
}};

int main() {{
  return tests::check_steps<drawn>();
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

    Layers = LayerDraw

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.layers = self.Layers(self.random)
        self.lines = []
        self.tensors = []
        self.hides_slope = self.layers.chance(0.3)
        self.smooth = True
        self.input_shapes = [self.input_shape() for _ in range(self.random.choice([1, 1, 2]))]
        for number, shape in enumerate(self.input_shapes):
            extents = ", ".join(map(str, shape))
            self.add(f'build.input("input_{number}", {{{extents}}})', shape)
        count = self.random.randint(4, 10)
        self.stages = self.random.choice([2, 2, 3, 4])
        self.draw_layers(count, sorted(self.random.sample(range(1, count), self.stages - 1)))
        self.labels = self.random.choice([True, True, False])
        self.outputs = 5 if self.labels else 3
        self.draw_end()

    def input_shape(self):
        draw = self.random
        sequence = [draw.randint(3, 9), draw.choice([1, 2, 3, 4, 6, 9])]
        return draw.choice([[draw.randint(3, 20)], sequence, sequence,
                            [draw.randint(4, 9), draw.randint(4, 9), draw.choice([1, 2, 3, 4, 8])],
                            [draw.randint(2, 5), draw.randint(3, 6), draw.randint(3, 6),
                             draw.choice([1, 2, 3, 4])]])

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

    def joins(self):
        """What reads several tensors, or makes them, or reads one in a way of its own."""
        return [self.draw_merge, self.draw_dot, self.draw_attention, self.draw_shared,
                self.draw_states, self.draw_started, self.draw_mask]

    def draw_layers(self, count, begins):
        """So many layers; `begins` are the numbers of those that begin a stage."""
        for number in range(count):
            if number in begins:
                self.lines.append(f"if (Cut) build.stage({begins.index(number) + 1});")
            read = self.pick()
            joins = self.joins()
            self.random.shuffle(joins)
            drawn = self.layers.chance(0.4) and any(draw(read) for draw in joins)
            while not drawn:
                drawn = self.draw_layer(read)

    def draw_layer(self, read):
        layer = self.layers.for_shape(read.shape)
        if elements_of(layer.shape) > LARGEST or (layer.hides_slope and not self.hides_slope):
            return False
        self.smooth = self.smooth and not layer.hides_slope
        text = f"frozen<{layer.text}>" if self.layers.chance(0.15) else layer.text
        self.add(f'build.layer<{text}>("", {read.name})', layer.shape, read)
        return True

    def draw_merge(self, read):
        others = [each for each in self.tensors
                  if each is not read and each.shape[:-1] == read.shape[:-1]]
        if not others:
            return False
        other = self.random.choice(others)
        names = f"{read.name}, {other.name}"
        if other.shape == read.shape:
            merge = self.random.choice(MERGES + EXTREMES if self.hides_slope else MERGES)
            self.smooth = self.smooth and merge not in EXTREMES
            self.add(f'build.layer<{merge}>("", {names})', read.shape, read, other)
        else:
            joined = read.shape[:-1] + [read.shape[-1] + other.shape[-1]]
            self.add(f'build.layer<Concatenate>("", {names})', joined, read, other)
        return True

    def draw_dot(self, read):
        """Products along an axis that has one length in both."""
        pairs = [(other, first, second) for other in self.tensors
                 if other is not read and len(other.shape) == len(read.shape) <= 2
                 for first, length in enumerate(read.shape)
                 for second, other_length in enumerate(other.shape) if length == other_length]
        if not pairs:
            return False
        other, first, second = self.random.choice(pairs)
        kept = [length for axis, length in enumerate(read.shape) if axis != first]
        kept += [length for axis, length in enumerate(other.shape) if axis != second]
        dot = written("Dot", first + 1, second + 1, self.layers.maybe("l2_normalize<true>"))
        self.add(f'build.layer<{dot}>("", {read.name}, {other.name})', kept or [1], read, other)
        return True

    def draw_attention(self, read):
        """What is read asks another sequence, which may have keys of its own."""
        values = [each for each in self.tensors if each is not read and len(each.shape) == 2]
        if len(read.shape) != 2 or not values:
            return False
        value = self.random.choice(values)
        keys = [each for each in values if each is not value and each.shape[0] == value.shape[0]]
        asked = [read, value] + ([self.random.choice(keys)] if keys and self.layers.chance(0.5)
                                 else [])
        attention = written("MultiHeadAttention", self.random.choice([1, 2, 3]),
                            self.random.choice([2, 4, 5]), self.layers.maybe("value_dim<3>"),
                            self.layers.maybe("use_bias<false>"))
        names = ", ".join(each.name for each in asked)
        self.add(f'build.layer<{attention}>("", {names})', read.shape, *asked)
        return True

    def draw_started(self, read):
        """A recurrent layer that begins where others have ended."""
        ends = [each for each in self.tensors if len(each.shape) == 1 and each.shape[0] <= 17]
        if len(read.shape) != 2 or not ends:
            return False
        first = self.random.choice(ends)
        units = first.shape[0]
        layer = self.random.choice(["LSTM", "GRU", "SimpleRNN"])
        same = [each for each in ends if each.shape == first.shape]
        starts = [first] + ([self.random.choice(same)] if layer == "LSTM" else [])
        sequences = self.layers.chance(0.5)
        text = written(layer, units, "return_sequences<true>" if sequences else "",
                       self.layers.maybe("go_backwards<true>"))
        names = ", ".join(each.name for each in [read, *starts])
        self.add(f'build.layer<{text}>("", {names})',
                 [read.shape[0], units] if sequences else [units], read, *starts)
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
        if len(read.shape) >= 3:
            return self.add(f'build.layer<Flatten>("", {read.name})', [elements_of(read.shape)],
                            read)
        layer, units = self.random.choice([("GRU<4>", 4), ("LSTM<3>", 3),
                                           ("GlobalAveragePooling1D", read.shape[1])])
        return self.add(f'build.layer<{layer}>("", {read.name})', [units], read)

    def draw_end(self):
        unread = [each for each in self.tensors if not each.is_read]
        self.draw_last([self.as_vector(each) for each in unread])

    def draw_last(self, ends):
        """What is left over, together in one layer."""
        last = ends[0]
        if len(ends) > 1:
            names = ", ".join(each.name for each in ends)
            features = sum(each.shape[-1] for each in ends)
            last = self.add(f'build.layer<Concatenate>("", {names})',
                            [*last.shape[:-1], features], *ends)
        last = self.add(f'build.layer<Dense<{self.outputs}>>("", {last.name})',
                        [*last.shape[:-1], self.outputs], last)
        self.lines.append(f"return {last.name};")

    def body(self):
        return "\n".join("    " + line for line in self.lines)

    def program(self):
        extents = [", ".join(map(str, shape)) for shape in self.input_shapes]
        return MODEL_PROGRAM.format(
            body=self.body(),
            schedule=self.random.choice(SCHEDULES),
            judge="sparse_categorical_crossentropy" if self.labels else "mean_squared_error",
            optimizer=self.random.choice(OPTIMIZERS), samples=self.random.randint(1, 5),
            # Grouped wants a multiple of twice the stages.
            micro_batches=2 * self.stages * self.random.choice([1, 2]), outputs=self.outputs,
            labels=str(self.labels).lower(), smooth=str(self.smooth).lower(),
            input_count=len(extents), inputs=", ".join(f"shape{{{each}}}" for each in extents))


class StreamDraw(ModelDraw):
    """A model of sequences that can be given them a step at a time."""

    Layers = StepDraw

    def __init__(self, seed):
        self.steps = random.Random(seed).randint(2, 14)
        super().__init__(seed)

    def input_shape(self):
        return [self.steps, self.random.choice([1, 2, 3, 4, 6, 8, 9, 16, 17])]

    def joins(self):
        return [self.draw_merge, self.draw_shared, self.draw_mask]

    def draw_layers(self, count, _):
        super().draw_layers(count, [])

    def draw_end(self):
        self.draw_last([each for each in self.tensors if not each.is_read])

    def program(self):
        inputs = [str(shape[-1]) for shape in self.input_shapes]
        return STREAM_PROGRAM.format(
            body=self.body(), samples=self.random.randint(2, 4), steps=self.steps,
            outputs=self.outputs, input_count=len(inputs), inputs=", ".join(inputs))
