# SPDX-License-Identifier: MIT
"""Layers that are drawn for a tensor: what is written, and the shape that Keras says it makes."""

ACTIVATIONS = ["relu", "hyperbolic_tangent", "sigmoid", "gelu", "elu", "selu", "softplus", "swish",
               "softsign", "mish", "hard_sigmoid", "linear"]
# As a layer of its own.
ELEMENTWISE = ["relu", "hyperbolic_tangent", "sigmoid", "gelu", "elu", "selu", "softplus", "swish",
               "softsign"]


class Layer:
    """One layer: its text, the shape behind it, and whether differences of the loss do not show its
    gradient: noise is another in every step, and a penalty is of the loss alone until the update.
    """

    def __init__(self, text, shape, hides_slope=False):
        self.text = text
        self.shape = shape
        self.hides_slope = hides_slope


def written(name, *arguments):
    """`name<first, second>`, without the arguments that are empty."""
    return f"{name}<{', '.join(str(each) for each in arguments if each != '')}>"


def window_outputs(length, window, stride, padding, dilation=1):
    """How many windows there are along an axis; none is possible."""
    reach = (window - 1) * dilation + 1
    if padding == "valid":
        return (length - reach) // stride + 1 if length >= reach else 0
    return -(-length // stride)


class LayerDraw:
    """Draws layers by a `random.Random`. A method answers None where its layer does not fit."""

    def __init__(self, random):
        self.random = random

    def chance(self, probability):
        return self.random.random() < probability

    def maybe(self, text, probability=0.25):
        return text if self.chance(probability) else ""

    def activation(self):
        return self.maybe(self.random.choice(ACTIVATIONS), 0.8)

    def padding_option(self, padding):
        return "" if padding == "valid" else f"{padding}_padding"

    def for_shape(self, shape):
        """A layer of a tensor of this shape."""
        kinds = {1: self.VECTORS, 2: self.SEQUENCES, 3: self.IMAGES, 4: self.VOLUMES}[len(shape)]
        drawn = None
        while drawn is None:
            drawn = self.random.choice(kinds)(self, *shape)
        return drawn

    # Of any shape.

    def elementwise(self, *shape):
        return Layer(self.random.choice(ELEMENTWISE), list(shape))

    def dropout(self, *shape):
        return Layer("Dropout<0.25F>", list(shape), hides_slope=True)

    def batch_normalization(self, *shape):
        return Layer("BatchNormalization<>", list(shape))

    def layer_normalization(self, *shape):
        options = ["LayerNormalization<>", "LayerNormalization<use_center<false>>",
                   "RMSNormalization<>", "Normalization<>"]
        return Layer(self.random.choice(options), list(shape)) if shape[-1] > 1 else None

    def group_normalization(self, *shape):
        return Layer("GroupNormalization<2>", list(shape)) if shape[-1] % 2 == 0 else None

    def parametric_relu(self, *shape):
        return Layer("PReLU<>", list(shape))

    def rescaling(self, *shape):
        return Layer("Rescaling<0.5F, 0.125F>", list(shape))

    # Of vectors.

    def dense(self, *shape):
        units = self.random.choice([1, 2, 3, 5, 7, 8, 9, 12, 16, 17, 24, 31, 33, 40])
        asked = self.random.choice(["", "", "use_bias<false>", "kernel_regularizer<l2<0.01F>>",
                                    "kernel_constraint<max_norm<2.0F>>"])
        return Layer(written("Dense", units, self.activation(), asked), [*shape[:-1], units],
                     hides_slope="regularizer" in asked)

    def residual_dense(self, *shape):
        dense = written("Dense", shape[-1], self.activation())
        return Layer(f"residual<{dense}>", list(shape))

    def noise(self, units):
        kinds = ["GaussianNoise<0.1F>", "GaussianDropout<0.2F>", "AlphaDropout<0.2F>"]
        return Layer(self.random.choice(kinds), [units], hides_slope=True)

    def repeat_vector(self, units):
        steps = self.random.randint(2, 6)
        return Layer(f"RepeatVector<{steps}>", [steps, units]) if units <= 12 else None

    def reshape(self, units):
        steps = self.random.choice([2, 3, 4, 5])
        if units % steps or units == steps:
            return None
        return Layer(f"Reshape<{steps}, {units // steps}>", [steps, units // steps])

    # Of sequences.

    def recurrent(self, steps, _):
        name = self.random.choice(["LSTM", "GRU", "SimpleRNN"])
        units = self.random.choice([1, 3, 4, 5, 8, 9, 16, 17])
        sequences = self.chance(0.5)
        options = [units, "return_sequences<true>" if sequences else "",
                   self.maybe("go_backwards<true>"), self.maybe("use_bias<false>"),
                   self.maybe("reset_after<false>", 0.4 if name == "GRU" else 0)]
        return Layer(written(name, *options), [steps, units] if sequences else [units])

    def bidirectional(self, steps, _):
        name = self.random.choice(["LSTM", "GRU", "SimpleRNN"])
        units = self.random.choice([1, 3, 4, 8, 9])
        sequences = self.chance(0.5)
        mode = self.random.choice(["concat", "sum", "mul", "ave"])
        inner = written(name, units, "return_sequences<true>" if sequences else "")
        width = 2 * units if mode == "concat" else units
        return Layer(f'Bidirectional<{inner}, merge_mode<"{mode}">>',
                     [steps, width] if sequences else [width])

    def conv1d(self, steps, channels):
        window = self.random.randint(1, min(4, steps))
        stride = self.random.choice([1, 1, 2])
        dilation = self.random.choice([1, 1, 2]) if stride == 1 else 1
        padding = self.random.choice(["valid", "same", "causal"])
        filters = self.random.choice([1, 2, 3, 4, 6, 8, 9, 16])
        groups = 2 if channels % 2 == 0 and filters % 2 == 0 and self.chance(0.3) else 1
        outputs = window_outputs(steps, window, stride, padding, dilation)
        if outputs < 1:
            return None
        text = written("Conv1D", filters, window, f"strides<{stride}>" if stride > 1 else "",
                       self.padding_option(padding),
                       f"dilation_rate<{dilation}>" if dilation > 1 else "",
                       f"groups<{groups}>" if groups > 1 else "", self.activation(),
                       self.maybe("use_bias<false>"))
        return Layer(text, [outputs, filters])

    def conv1d_transpose(self, steps, _):
        window = self.random.randint(1, 4)
        stride = self.random.randint(1, min(window, 2))
        filters = self.random.choice([1, 3, 4, 8])
        padding = self.random.choice(["valid", "same"])
        outputs = steps * stride if padding == "same" else (steps - 1) * stride + window
        text = written("Conv1DTranspose", filters, window,
                       f"strides<{stride}>" if stride > 1 else "", self.padding_option(padding),
                       self.activation())
        return Layer(text, [outputs, filters])

    def locally_connected1d(self, steps, _):
        window = self.random.randint(1, min(3, steps))
        filters = self.random.choice([1, 3, 4])
        return Layer(written("LocallyConnected1D", filters, window, self.activation()),
                     [window_outputs(steps, window, 1, "valid"), filters])

    def pooling1d(self, steps, channels):
        window = self.random.randint(2, 3)
        stride = self.random.choice([1, 2, window])
        padding = self.random.choice(["valid", "same"])
        outputs = window_outputs(steps, window, stride, padding)
        if outputs < 1:
            return None
        text = written(self.random.choice(["MaxPooling1D", "AveragePooling1D"]), window,
                       f"strides<{stride}>", self.padding_option(padding))
        return Layer(text, [outputs, channels])

    def global_pooling1d(self, _, channels):
        kinds = ["GlobalAveragePooling1D", "GlobalMaxPooling1D"]
        return Layer(self.random.choice(kinds), [channels])

    def time_distributed(self, steps, _):
        units = self.random.choice([3, 5, 8])
        return Layer(f"TimeDistributed<{written('Dense', units, self.activation())}>",
                     [steps, units])

    def attention(self, steps, channels):
        text = written("MultiHeadAttention", self.random.choice([1, 2, 3]),
                       self.random.choice([2, 4, 5]), self.maybe("use_causal_mask<true>", 0.5))
        return Layer(text, [steps, channels])

    def position_embedding(self, steps, channels):
        return Layer("PositionEmbedding<>", [steps, channels])

    def transposed_sequence(self, steps, channels):
        return Layer("Permute<2, 1>", [channels, steps])

    def resized_sequence(self, steps, channels):
        options = [Layer("UpSampling1D<2>", [2 * steps, channels]),
                   Layer("ZeroPadding1D<2, 1>", [steps + 3, channels])]
        if steps > 3:
            options.append(Layer("Cropping1D<1, 1>", [steps - 2, channels]))
        return self.random.choice(options)

    def spatial_dropout1d(self, *shape):
        return Layer("SpatialDropout1D<0.25F>", list(shape), hides_slope=True)

    # Of images.

    def conv2d(self, rows, columns, channels):
        window = (self.random.randint(1, 3), self.random.randint(1, 3))
        strides = self.random.choice([(1, 1), (1, 1), (2, 2), (1, 2)])
        dilation = self.random.choice([1, 1, 2]) if strides == (1, 1) else 1
        padding = self.random.choice(["valid", "same"])
        filters = self.random.choice([1, 2, 3, 4, 6, 8, 9, 16, 17])
        groups = 2 if channels % 2 == 0 and filters % 2 == 0 and self.chance(0.3) else 1
        made = [window_outputs(rows, window[0], strides[0], padding, dilation),
                window_outputs(columns, window[1], strides[1], padding, dilation)]
        if min(made) < 1:
            return None
        text = written("Conv2D", filters, f"kernel_size{{{window[0]}, {window[1]}}}",
                       f"strides<{strides[0]}, {strides[1]}>", self.padding_option(padding),
                       f"dilation_rate<{dilation}>" if dilation > 1 else "",
                       f"groups<{groups}>" if groups > 1 else "", self.activation(),
                       self.maybe("use_bias<false>"))
        return Layer(text, [*made, filters])

    def depthwise(self, rows, columns, channels):
        window = self.random.randint(1, 3)
        stride = self.random.choice([1, 2])
        padding = self.random.choice(["valid", "same"])
        made = [window_outputs(rows, window, stride, padding),
                window_outputs(columns, window, stride, padding)]
        if min(made) < 1:
            return None
        options = [f"strides<{stride}>", self.padding_option(padding), self.activation()]
        if self.chance(0.5):
            filters = self.random.choice([1, 3, 8, 9])
            return Layer(written("SeparableConv2D", filters, window, *options), [*made, filters])
        twice = self.chance(0.3)
        text = written("DepthwiseConv2D", window, "depth_multiplier<2>" if twice else "", *options)
        return Layer(text, [*made, 2 * channels if twice else channels])

    def conv2d_transpose(self, rows, columns, _):
        window = self.random.randint(1, 3)
        stride = self.random.randint(1, min(window, 2))
        filters = self.random.choice([1, 3, 4, 8])
        padding = self.random.choice(["valid", "same"])
        rest = 0 if padding == "same" else window - stride
        return Layer(written("Conv2DTranspose", filters, window, f"strides<{stride}>",
                             self.padding_option(padding), self.activation()),
                     [rows * stride + rest, columns * stride + rest, filters])

    def pooling2d(self, rows, columns, channels):
        window = self.random.randint(2, 3)
        stride = self.random.choice([1, 2, window])
        padding = self.random.choice(["valid", "same"])
        made = [window_outputs(rows, window, stride, padding),
                window_outputs(columns, window, stride, padding)]
        if min(made) < 1:
            return None
        text = written(self.random.choice(["MaxPooling2D", "AveragePooling2D"]), window,
                       f"strides<{stride}>", self.padding_option(padding))
        return Layer(text, [*made, channels])

    def global_pooling2d(self, _, __, channels):
        kinds = ["GlobalAveragePooling2D", "GlobalMaxPooling2D"]
        return Layer(self.random.choice(kinds), [channels])

    def resized_image(self, rows, columns, channels):
        options = [Layer("UpSampling2D<2>", [2 * rows, 2 * columns, channels]),
                   Layer("UpSampling2D<2, 2, bilinear>", [2 * rows, 2 * columns, channels]),
                   Layer("ZeroPadding2D<1, 0, 2, 1>", [rows + 1, columns + 3, channels])]
        if min(rows, columns) > 3:
            options.append(Layer("Cropping2D<1, 0, 1, 1>", [rows - 1, columns - 2, channels]))
        return self.random.choice(options)

    def permuted_image(self, *shape):
        axes = self.random.choice([(2, 1, 3), (3, 1, 2), (1, 3, 2)])
        return Layer(written("Permute", *axes), [shape[axis - 1] for axis in axes])

    def residual_conv2d(self, *shape):
        conv = written("Conv2D", shape[-1], 3, "same_padding", self.activation())
        return Layer(f"residual<{conv}>", list(shape))

    def shared_slopes(self, *shape):
        return Layer("PReLU<shared_axes<1, 2>>", list(shape))

    def flatten_positions(self, rows, columns, channels):
        return Layer(f"Reshape<{rows * columns}, {channels}>", [rows * columns, channels])

    # Of volumes.

    def conv3d(self, planes, rows, columns, _):
        window = [self.random.randint(1, 3) for _ in range(3)]
        strides = self.random.choice([(1, 1, 1), (1, 1, 1), (2, 2, 2), (1, 2, 1)])
        dilation = self.random.choice([1, 1, 2]) if strides == (1, 1, 1) else 1
        padding = self.random.choice(["valid", "same"])
        filters = self.random.choice([1, 2, 3, 4, 8, 9, 16])
        made = [window_outputs(length, *along, padding, dilation)
                for length, *along in zip((planes, rows, columns), window, strides)]
        if min(made) < 1:
            return None
        text = written("Conv3D", filters, f"kernel_volume{{{', '.join(map(str, window))}}}",
                       f"strides<{', '.join(map(str, strides))}>", self.padding_option(padding),
                       f"dilation_rate<{dilation}>" if dilation > 1 else "", self.activation(),
                       self.maybe("use_bias<false>"))
        return Layer(text, [*made, filters])

    def flattened_planes(self, planes, rows, columns, channels):
        return Layer(f"Reshape<{planes}, {rows}, {columns * channels}>",
                     [planes, rows, columns * channels])

    ANYWHERE = [elementwise, dropout, batch_normalization, layer_normalization,
                group_normalization, parametric_relu, rescaling]
    VECTORS = ANYWHERE + 4 * [dense] + [residual_dense, noise, repeat_vector, reshape]
    SEQUENCES = ANYWHERE + 2 * [recurrent, conv1d] + [
        dense, residual_dense, bidirectional, conv1d_transpose, locally_connected1d, pooling1d,
        global_pooling1d, time_distributed, attention, position_embedding, transposed_sequence,
        resized_sequence, spatial_dropout1d]
    IMAGES = ANYWHERE + 3 * [conv2d] + [
        depthwise, conv2d_transpose, pooling2d, global_pooling2d, resized_image, permuted_image,
        residual_conv2d, shared_slopes, flatten_positions]
    VOLUMES = ANYWHERE + 5 * [conv3d] + [flattened_planes, dense]


class StepDraw(LayerDraw):
    """Layers that can be given a step of a sequence at a time."""

    def for_shape(self, shape):
        drawn = None
        while drawn is None:
            drawn = self.random.choice(self.STEPS)(self, *shape)
        return drawn

    def causal_conv1d(self, steps, channels):
        filters = self.random.choice([1, 2, 3, 4, 6, 8, 9, 16, 20])
        dilation = self.random.choice([1, 1, 2, 3, 4])
        is_grouped = channels % 2 == 0 and filters % 2 == 0 and self.chance(0.3)
        text = written("Conv1D", filters, self.random.randint(1, 4), "causal_padding",
                       f"dilation_rate<{dilation}>" if dilation > 1 else "",
                       "groups<2>" if is_grouped else "", self.activation(),
                       self.maybe("use_bias<false>"))
        return Layer(text, [steps, filters])

    def forward_recurrent(self, steps, _):
        name = self.random.choice(["LSTM", "GRU", "SimpleRNN"])
        units = self.random.choice([1, 3, 4, 5, 8, 9, 16, 17])
        options = [self.maybe("use_bias<false>"), self.maybe("relu"),
                   self.maybe("reset_after<false>", 0.4 if name == "GRU" else 0)]
        return Layer(written(name, units, "return_sequences<true>", *options), [steps, units])

    def of_each_step(self, steps, channels):
        kinds = ["BatchNormalization<>", "PReLU<shared_axes<1>>", "Dropout<0.25F>",
                 "SpatialDropout1D<0.25F>", "Rescaling<0.5F, 0.125F>", "GaussianNoise<0.1F>",
                 "softmax", "LayerNormalization<>", "RMSNormalization<>", "MaxPooling1D<1>"]
        return Layer(self.random.choice(kinds), [steps, channels])

    def residual_steps(self, steps, channels):
        inner = self.random.choice([written("Dense", channels, self.activation()),
                                    f"GRU<{channels}, return_sequences<true>>",
                                    f"Conv1D<{channels}, 3, causal_padding>"])
        return Layer(f"residual<{inner}>", [steps, channels])

    STEPS = 3 * [causal_conv1d, forward_recurrent] + [
        of_each_step, residual_steps, LayerDraw.dense, LayerDraw.time_distributed,
        LayerDraw.elementwise]
