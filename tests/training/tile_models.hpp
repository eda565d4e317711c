// SPDX-License-Identifier: MIT
// Models that together have calls of every family, for what is checked tile by tile.
#pragma once

#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/conv1d.hpp>
#include <ipu_dsl/vocabulary/layers/conv1d_transpose.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d_transpose.hpp>
#include <ipu_dsl/vocabulary/layers/conv3d.hpp>
#include <ipu_dsl/vocabulary/layers/depthwise_conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/embedding.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/separable_conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "training/shape_models.hpp"

namespace ipu_dsl::tests {

template <typename Model, typename Loss, int Accumulation, typename Optimizer = sgd<momentum>,
          typename... Options>
struct tiled : compile<Model, micro_batch<5>, gradient_accumulation<Accumulation>, Loss,
                       optimizer<Optimizer>, Options...> {};

using from_scores = loss<sparse_categorical_crossentropy>;
using on_probabilities = loss<sparse_categorical_crossentropy, from_probabilities>;
using on_clipped = loss<sparse_categorical_crossentropy, from_clipped_probabilities>;

/// Fan-out and sums of gradients, joins of vectors and of rows, masks, activations with a node of
/// their own and without, layers without a bias, a softmax before a loss on logits.
struct branching
    : model<
          input<6, 6>,
          pipeline<stage<Flatten, Dense<24, gelu>, residual<Dense<24, relu>, Dropout<0.25F>>>,
                   stage<concat<Dense<7>, sequential<Dense<12, hyperbolic_tangent, use_bias<false>>,
                                                     Dense<5, leaky_relu>>>,
                         swish, Dense<9, elu>>,
                   stage<Dense<13, softplus>, softmax, Dense<4, sigmoid>>>> {};

struct images
    : model<input<3, 4>,
            sequential<concat<sequential<relu>, sequential<swish>>, Flatten, Dense<6, softmax>>> {};

/// Statistics of channels, over rows and over vectors, of the first layer and behind others.
struct channels
    : model<input<4, 3>, sequential<BatchNormalization<>, Flatten, Dense<7>,
                                    BatchNormalization<use_scale<false>>, relu, Dense<4>>> {};

/// Extents that fill no vector and no panel.
struct odd_extents
    : model<input<37>, pipeline<stage<Dense<19, relu>>, stage<Dense<133, relu>, Dense<5>>>> {};

/// Convolutions on rows and on positions of pixels, with and without padding, stride and bias, in
/// front of what lays pixels out anew; an image that has a gradient in one row.
struct convolutions
    : model<input<6, 5, 2>,
            pipeline<stage<Conv2D<3, 3, same_padding, relu>,
                           Conv2D<5, kernel_size{2, 3}, strides<2>, hyperbolic_tangent>>,
                     stage<Flatten, Dense<12>, Reshape<3, 2, 2>,
                           concat<Conv2D<2, 1, use_bias<false>>,
                                  sequential<Conv2D<2, 2, same_padding>, Dropout<0.25F>>>,
                           Flatten, Dense<3>>>> {};

/// Convolutions of sequences, with holes, in groups (narrow and wide), of single channels, of
/// volumes and transposed; windows with weights of their own.
struct convolution_kinds
    : model<
          input<7, 3>,
          pipeline<
              stage<Conv1D<4, 3, causal_padding, dilation_rate<2>, relu>, Conv1D<8, 2, strides<2>>,
                    Reshape<2, 3, 2, 2>, Conv3D<2, 2, same_padding, strides<1, 2, 1>, relu>,
                    Conv3D<3, kernel_volume{1, 2, 1}>, Reshape<3, 4, 1>,
                    Conv2D<2, 2, dilation_rate<1, 2>>>,
              stage<DepthwiseConv2D<3, same_padding, depth_multiplier<3>>, Conv2D<32, 1>,
                    Conv2D<32, 2, same_padding, groups<2>>, Conv2D<32, 2, same_padding, groups<16>>,
                    Conv2D<4, 1, groups<2>, hyperbolic_tangent>,
                    SeparableConv2D<3, 2, same_padding, strides<2>, relu>,
                    Conv2DTranspose<2, 3, strides<2>, relu>, Reshape<3, 6>,
                    Conv1DTranspose<2, 2, use_bias<false>>,
                    LocallyConnected1D<3, 2, hyperbolic_tangent>, Flatten, Dense<3>>>> {};

/// Windows beside and over each other, beyond the image, over all of it, with a gradient to give.
using pooled_lines =
    sequential<Reshape<8, 3>, concat<sequential<MaxPooling1D<3>, Dense<4>, GlobalAveragePooling1D>,
                                     sequential<AveragePooling1D<3>, GlobalMaxPooling1D>>>;

struct pooled_windows
    : model<input<6, 5, 2>,
            pipeline<stage<Conv2D<3, 1>, MaxPooling2D<3, strides<2, 1>, same_padding>>,
                     stage<AveragePooling2D<2, strides<1>>,
                           concat<GlobalAveragePooling2D, GlobalMaxPooling2D, pooled_lines>,
                           Dense<3>>>> {};

/// Merges, noise, and numbers that are moved, repeated and left out.
struct moved_numbers : shaped<3, 3, 4, true, true> {};

/// Recurrent layers with all states and the last, with and without a bias.
struct recurrent
    : model<input<4, 3>, pipeline<stage<SimpleRNN<5, return_sequences<true>>>,
                                  stage<SimpleRNN<4, sigmoid, use_bias<false>>, Dense<3>>>> {};

/// Positions and groups of channels normalised among themselves, with and without gamma and beta;
/// attention that may be causal, and attention to all.
template <bool Causal>
struct normalized
    : model<input<2, 3, 7>,
            pipeline<stage<Normalization<>, LayerNormalization<use_center<false>>, Dense<6>,
                           GroupNormalization<3>, Reshape<4, 9>, PositionEmbedding<>,
                           MultiHeadAttention<2, 3, use_causal_mask<Causal>>>,
                     stage<RMSNormalization<>, Normalization<>,
                           residual<MultiHeadAttention<3, 2, value_dim<5>, use_bias<false>>>,
                           Dense<4>, GroupNormalization<-1, use_scale<false>>,
                           LayerNormalization<use_scale<false>, use_center<false>>, Flatten,
                           Dense<3>>>> {};

struct normalized_positions : normalized<true> {};

/// Attention that is told to which steps of others each query attends, beside the mask of these,
/// and to which of its own. Of the numbers that tell it some are 0, and none is learned.
struct told_attention {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor queries = build.input({4, 5});
    const symbolic_tensor others = build.layer<Masking<>>("", build.input({3, 6}));
    const symbolic_tensor told = build.layer<relu>("", build.input({4, 3}));
    const symbolic_tensor chosen = build.layer<relu>("", build.input({4, 4}));
    const symbolic_tensor first =
        build.layer<MultiHeadAttention<2, 3, use_attention_mask<true>>>("", queries, others, told);
    const symbolic_tensor second =
        build.layer<MultiHeadAttention<1, 3, use_attention_mask<true>>>("", first, chosen);
    return build.layer<Dense<3>>("", build.layer<Flatten>("", second));
  }
};

/// Gates, all states and the last, from the first step and from the last.
struct gated
    : model<input<3, 2>, pipeline<stage<LSTM<5, return_sequences<true>, go_backwards<true>>,
                                        GRU<3, return_sequences<true>, reset_after<false>>>,
                                  stage<GRU<4, return_sequences<true>, go_backwards<true>>,
                                        LSTM<3, elu, use_bias<false>>, Dense<3>>>> {};

/// Rows of a table by number.
struct of_words : model<input<dtype::int32, 4>,
                        pipeline<stage<Embedding<7, 5>>, stage<SimpleRNN<3>, Dense<3>>>> {};

/// Masks of words and of numbers, which merges join, both ways of a sequence pass over and means
/// leave out; the states of these.
struct passed_over {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor words = build.input({4}, dtype::int32);
    const symbolic_tensor beside = build.input({4, 3});
    const symbolic_tensor both =
        build.layer<Add>("", build.layer<Embedding<5, 3, mask_zero<true>>>("", words),
                         build.layer<Masking<>>("", beside));
    const auto [all, state, back] =
        build.layers<Bidirectional<GRU<2, return_sequences<true>, return_state<true>>>, 3>("",
                                                                                           both);
    const symbolic_tensor last = build.layer<LSTM<3>>("", all);
    const symbolic_tensor mean = build.layer<GlobalAveragePooling1D>("", all);
    return build.layer<Dense<3>>("", build.layer<Concatenate>("", last, mean, state, back));
  }
};

/// What stands at every step of a sequence of bytes and of one beside it, of several inputs and
/// outputs; products and cosines of rows, a value, a penalty of what is put out.
struct at_every_step {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor bytes = build.input({3, 4, 2}, dtype::uint8);
    const symbolic_tensor beside = build.input({3, 5});
    const symbolic_tensor numbers = build.layer<Rescaling<1.0F / 128>>("", bytes);
    const auto [rows, last] =
        build.layers<TimeDistributed<SimpleRNN<5, return_sequences<true>, return_state<true>>>, 2>(
            "", build.layer<TimeDistributed<Conv1D<3, 2>>>("", numbers));
    const symbolic_tensor products = build.layer<TimeDistributed<Dot<2, 1>>>("", rows, beside);
    const symbolic_tensor scaled = build.layer<ScaleByValue>(
        "", build.layer<Activation<swish>>("", products), build.value("scale", 0.5F));
    const symbolic_tensor cosines =
        build.layer<Dot<2, 2, l2_normalize<true>>>("", scaled, products);
    const symbolic_tensor all = build.layer<ActivityRegularization<l2<0.01F>>>(
        "", build.layer<Concatenate>("", cosines, last));
    return build.layer<Dense<3>>("", build.layer<Flatten>("", all));
  }
};

/// Outputs that are judged by what they are told, number by number and as a whole.
struct judged : model<input<7>, sequential<Dense<9, relu>, Dense<19>, sigmoid>> {};

struct judged_classes : model<input<7>, sequential<Dense<9, relu>, Dense<19>, softmax>> {};

template <typename Model, typename Loss, typename... Metrics>
struct tiled_judges : compile<Model, micro_batch<5>, gradient_accumulation<2>, Loss,
                              metrics<Metrics...>, sequential_schedule> {};

/// A loss and metrics of every kind that there is code for.
using tiled_numbers =
    tiled_judges<judged, loss<binary_crossentropy>, auc, precision, mean_of_output,
                 metric<huber, delta<0.25F>>, root_mean_squared_error>;
using tiled_rows = tiled_judges<judged_classes, loss<categorical_crossentropy>, cosine_similarity,
                                kl_divergence, categorical_accuracy, top_k_categorical_accuracy<3>>;
using tiled_labels = tiled_judges<judged_classes, loss<sparse_categorical_crossentropy>, accuracy,
                                  sparse_top_k_categorical_accuracy<3>>;
using tiled_hinge = tiled_judges<judged, loss<categorical_hinge>, hinge>;

}  // namespace ipu_dsl::tests
