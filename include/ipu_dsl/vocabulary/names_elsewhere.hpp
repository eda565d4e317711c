// SPDX-License-Identifier: MIT
// What Keras and PyTorch call what has another name or another place here. Declared, so that the
// library says what is wanted instead, in one sentence; a name that is not declared makes an error
// of its own at every level of a model. Layers that are missing here are not among them: those are
// what people write themselves, under those names. Nor are words that programs have for what is
// their own (activation, stride, axis, mse, batch_size): after `using namespace ipu_dsl` both would
// be ambiguous.
#pragma once

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/graph/element.hpp>

namespace ipu_dsl {

/// A layer under a name that it has elsewhere: refused with the one that it has here.
template <fixed_string Elsewhere, fixed_string Here>
struct layer_elsewhere {
 private:
  static constexpr problem fault = refuse(label() << Here.view(), Elsewhere.view());

 public:
  static constexpr element description = unfit_layer(Elsewhere.view(), fault);
};

/// An option under a name that it has elsewhere: refused with what is written here.
template <fixed_string Elsewhere, fixed_string Here>
struct option_elsewhere {
 private:
  static constexpr option_key key{Elsewhere.view(), Here.view()};

 public:
  static constexpr option as_option{&key};
};

/// Here: `sequential<...>`.
template <typename... Layers>
struct Sequential;

template <auto Inputs, auto Units, typename... Options>
struct Linear : layer_elsewhere<"Linear", "Dense<units>, which finds out its inputs"> {};

template <auto Inputs, auto Outputs, auto Kernel = 1, typename... Options>
struct Conv1d : layer_elsewhere<"Conv1d", "Conv1D<filters, kernel>"> {};

template <auto Inputs, auto Outputs, auto Kernel = 1, typename... Options>
struct Conv2d : layer_elsewhere<"Conv2d", "Conv2D<filters, kernel>"> {};

template <auto Inputs, auto Outputs, auto Kernel = 1, typename... Options>
struct Conv3d : layer_elsewhere<"Conv3d", "Conv3D<filters, kernel>"> {};

template <auto Inputs, auto Outputs, auto Kernel = 1, typename... Options>
struct ConvTranspose1d : layer_elsewhere<"ConvTranspose1d", "Conv1DTranspose<filters, kernel>"> {};

template <auto Inputs, auto Outputs, auto Kernel = 1, typename... Options>
struct ConvTranspose2d : layer_elsewhere<"ConvTranspose2d", "Conv2DTranspose<filters, kernel>"> {};

template <auto Filters, auto Kernel = 1, typename... Options>
struct Conv1dTranspose : layer_elsewhere<"Conv1dTranspose", "Conv1DTranspose<filters, kernel>"> {};

template <auto Filters, auto Kernel = 1, typename... Options>
struct Conv2dTranspose : layer_elsewhere<"Conv2dTranspose", "Conv2DTranspose<filters, kernel>"> {};

template <auto Kernel = 1, typename... Options>
struct DepthwiseConv2d : layer_elsewhere<"DepthwiseConv2d", "DepthwiseConv2D<kernel>"> {};

template <auto Kernel = 1, typename... Options>
struct DepthWiseConv2D : layer_elsewhere<"DepthWiseConv2D", "DepthwiseConv2D<kernel>"> {};

template <auto Filters, auto Kernel = 1, typename... Options>
struct SeparableConv2d : layer_elsewhere<"SeparableConv2d", "SeparableConv2D<filters, kernel>"> {};

template <auto Rate, typename... Options>
struct SpatialDropout
    : layer_elsewhere<"SpatialDropout", "SpatialDropout1D<rate> or SpatialDropout2D<rate>"> {};

template <auto Rate = 0.5F, typename... Options>
struct Dropout1d : layer_elsewhere<"Dropout1d", "SpatialDropout1D<rate>"> {};

template <auto Rate = 0.5F, typename... Options>
struct Dropout2d : layer_elsewhere<"Dropout2d", "SpatialDropout2D<rate>"> {};

template <auto Window = 2, typename... Options>
struct MaxPool1d : layer_elsewhere<"MaxPool1d", "MaxPooling1D<window>"> {};

template <auto Window = 2, typename... Options>
struct MaxPool2d : layer_elsewhere<"MaxPool2d", "MaxPooling2D<window>"> {};

template <auto Window = 2, typename... Options>
struct AvgPool1d : layer_elsewhere<"AvgPool1d", "AveragePooling1D<window>"> {};

template <auto Window = 2, typename... Options>
struct AvgPool2d : layer_elsewhere<"AvgPool2d", "AveragePooling2D<window>"> {};

template <auto Window = 2, typename... Options>
struct MaxPool1D : layer_elsewhere<"MaxPool1D", "MaxPooling1D<window>"> {};

template <auto Window = 2, typename... Options>
struct MaxPool2D : layer_elsewhere<"MaxPool2D", "MaxPooling2D<window>"> {};

template <auto Window = 2, typename... Options>
struct AvgPool1D : layer_elsewhere<"AvgPool1D", "AveragePooling1D<window>"> {};

template <auto Window = 2, typename... Options>
struct AvgPool2D : layer_elsewhere<"AvgPool2D", "AveragePooling2D<window>"> {};

struct GlobalMaxPool1D : layer_elsewhere<"GlobalMaxPool1D", "GlobalMaxPooling1D"> {};

struct GlobalMaxPool2D : layer_elsewhere<"GlobalMaxPool2D", "GlobalMaxPooling2D"> {};

struct GlobalAvgPool1D : layer_elsewhere<"GlobalAvgPool1D", "GlobalAveragePooling1D"> {};

struct GlobalAvgPool2D : layer_elsewhere<"GlobalAvgPool2D", "GlobalAveragePooling2D"> {};

template <auto Features, typename... Options>
struct BatchNorm1d : layer_elsewhere<"BatchNorm1d", "BatchNormalization<>"> {};

template <auto Features, typename... Options>
struct BatchNorm2d : layer_elsewhere<"BatchNorm2d", "BatchNormalization<>"> {};

template <auto Features, typename... Options>
struct LayerNorm : layer_elsewhere<"LayerNorm", "LayerNormalization<>"> {};

template <auto Features, typename... Options>
struct RMSNorm : layer_elsewhere<"RMSNorm", "RMSNormalization<>"> {};

template <auto Groups, auto Channels, typename... Options>
struct GroupNorm : layer_elsewhere<"GroupNorm", "GroupNormalization<groups>"> {};

template <auto Width, auto Heads, typename... Options>
struct MultiheadAttention
    : layer_elsewhere<"MultiheadAttention", "MultiHeadAttention<heads, key_dim>"> {};

template <auto Slope = 0.3F>
struct LeakyReLU : layer_elsewhere<"LeakyReLU", "Activation<leaky_relu, alpha<0.1F>>"> {};

/// A layer that is one here by its small letters, where it may stand as an option as well.
template <fixed_string Elsewhere, fixed_string Here>
struct activation_elsewhere : layer_elsewhere<Elsewhere, Here>,
                              option_elsewhere<Elsewhere, Here> {};

struct ReLU : activation_elsewhere<"ReLU", "relu, in Dense<64, relu> or behind Dense<64>"> {};

struct ReLU6 : activation_elsewhere<"ReLU6", "relu6, in Dense<64, relu6> or behind Dense<64>"> {};

template <typename... Initializer>
struct kernel_initializer : option_elsewhere<"kernel_initializer", "init<he_uniform>"> {};

template <typename... Initializer>
struct bias_initializer : option_elsewhere<"bias_initializer", "bias_init<zeros>"> {};

template <name_argument... Names>
struct padding
    : option_elsewhere<"padding", "same_padding, valid_padding or, of a Conv1D, causal_padding"> {};

struct causal : option_elsewhere<"causal", "causal_padding"> {};

template <auto... Value>
struct return_sequence : option_elsewhere<"return_sequence", "return_sequences<true>"> {};

template <auto... Value>
struct causal_mask : option_elsewhere<"causal_mask", "use_causal_mask<true>"> {};

template <auto... Value>
struct bidirectional : option_elsewhere<"bidirectional", "Bidirectional<LSTM<32>>"> {};

template <auto... Rate>
struct recurrent_dropout
    : option_elsewhere<"recurrent_dropout",
                       "nothing: states are not dropped; Dropout<rate> in front of the layer drops "
                       "what it reads"> {};

template <name_argument... Names>
struct data_format
    : option_elsewhere<"data_format", "nothing: channels are the last axis of an image"> {};

template <auto... Value>
struct trainable : option_elsewhere<"trainable", "frozen<Dense<64>>, around the layer"> {};

template <auto... Weights>
struct loss_weights : option_elsewhere<"loss_weights",
                                       "loss<for_output<\"price\", mean_squared_error, "
                                       "loss_weight<0.5>>, ...>"> {};

template <auto... Samples>
struct microbatch : option_elsewhere<"microbatch", "micro_batch<32>"> {};

/// Here: `sparse_categorical_crossentropy`.
struct SparseCategoricalCrossentropy;

/// Here: `sgd<...>`.
template <typename... Options>
struct SGD;

/// Here: `adam`, and the others below in small letters as well; `amsgrad` for `Adam(amsgrad=True)`.
struct Adam;
struct AdamW;
struct Adamax;
struct Nadam;
struct Adagrad;
struct Adadelta;
struct Ftrl;
struct Lion;

/// Here: `rmsprop<...>`.
template <typename... Options>
struct RMSprop;

template <auto... Steps>
struct steps_per_execution
    : option_elsewhere<"steps_per_execution", "run.fit(data, {.steps_per_execution = 10})"> {};

}  // namespace ipu_dsl
