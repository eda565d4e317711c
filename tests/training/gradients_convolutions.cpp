// SPDX-License-Identifier: MIT
// Gradients of convolutions of sequences, of kernels with holes, of groups and single channels, and
// of transposed convolutions, of volumes, and of windows with weights of their own.
#include <ipu_dsl/vocabulary/library.hpp>

#include "training/gradient_check.hpp"

namespace {

using namespace ipu_dsl;
using reference::activation;
using reference::connect_locally;
using reference::convolve;
using reference::convolve_back;
using reference::convolve_volume;
using reference::dense;
using reference::function;
using tests::check_gradients;
using tests::gradient_case;

template <typename Model>
struct step_of : compile<Model, micro_batch<3>, gradient_accumulation<2>,
                         loss<sparse_categorical_crossentropy>> {};

gradient_case about(const char* name, reference::chain network, std::size_t inputs) {
  return {.name = name,
          .network = std::move(network),
          .inputs = inputs,
          .classes = 3,
          .micro_batch = 3,
          .accumulated = 2};
}

TEST_CASE("gradients of Conv1D and of kernels with holes") {
  check_gradients<step_of<
      model<input<7, 2>,
            sequential<Conv1D<3, 3, causal_padding, dilation_rate<2>, hyperbolic_tangent>,
                       Conv1D<5, 2, strides<2>, same_padding, hyperbolic_tangent>,
                       Conv1D<3, 2, use_bias<false>>, Reshape<3, 3, 1>,
                       Conv2D<2, 2, dilation_rate<2>, same_padding>,
                       Conv2D<2, kernel_size{1, 2}, dilation_rate<1, 2>>, Flatten, Dense<3>>>>>(
      about("Conv1D causal, of stride 2, valid, Conv2D with holes",
            {convolve({.rows = 1,
                       .columns = 7,
                       .channels = 2,
                       .filters = 3,
                       .kernel_rows = 1,
                       .kernel_columns = 3,
                       .dilation = 2,
                       .causal = true}),
             function(activation::tanh), convolve({1, 7, 3, 5, 1, 2, 2, true}),
             function(activation::tanh), convolve({1, 4, 5, 3, 1, 2}, false),
             convolve({3, 3, 1, 2, 2, 2, 1, true, 2}), convolve({3, 3, 2, 2, 1, 2, 1, false, 2}),
             dense(3 * 1 * 2, 3)},
            7 * 2));
}

TEST_CASE("gradients of groups and of DepthwiseConv2D") {
  check_gradients<step_of<model<
      input<5, 4, 4>, sequential<Conv2D<6, 2, groups<2>, same_padding, hyperbolic_tangent>,
                                 DepthwiseConv2D<3, strides<2>, same_padding, depth_multiplier<2>>,
                                 Flatten, Dense<3>>>>>(
      about("Conv2D of 2 groups, DepthwiseConv2D",
            {convolve({5, 4, 4, 6, 2, 2, 1, true, 1, false, 2}), function(activation::tanh),
             convolve({5, 4, 6, 12, 3, 3, 2, true, 1, false, 6}), dense(3 * 2 * 12, 3)},
            5 * 4 * 4));
}

TEST_CASE("gradients of groups that lie in the lanes of vectors") {
  check_gradients<step_of<
      model<input<5, 4, 2>, sequential<Conv2D<8, 1>, Conv2D<8, 2, groups<2>, strides<2>, softplus>,
                                       Conv2D<8, 3, groups<4>, same_padding, hyperbolic_tangent>,
                                       Flatten, Dense<3>>>>>(
      about("Conv2D of groups of four and of two",
            {convolve({5, 4, 2, 8, 1, 1}), convolve({5, 4, 8, 8, 2, 2, 2, false, 1, false, 2}),
             function(activation::softplus), convolve({2, 2, 8, 8, 3, 3, 1, true, 1, false, 4}),
             function(activation::tanh), dense(2 * 2 * 8, 3)},
            5 * 4 * 2));
}

TEST_CASE("gradients of SeparableConv2D behind single channels") {
  check_gradients<step_of<model<
      input<4, 3, 2>, sequential<DepthwiseConv2D<kernel_size{2, 1}, use_bias<false>>,
                                 SeparableConv2D<3, 2, same_padding, depth_multiplier<2>, softplus>,
                                 Flatten, Dense<3>>>>>(
      about("DepthwiseConv2D without a bias, SeparableConv2D",
            {convolve({4, 3, 2, 2, 2, 1, 1, false, 1, false, 2}, false),
             convolve({3, 3, 2, 4, 2, 2, 1, true, 1, false, 2}, false),
             convolve({3, 3, 4, 3, 1, 1}), function(activation::softplus), dense(3 * 3 * 3, 3)},
            4 * 3 * 2));
}

TEST_CASE("gradients of Conv1DTranspose and Conv2DTranspose") {
  check_gradients<step_of<
      model<input<3, 2>,
            sequential<Conv1DTranspose<4, 3, strides<2>, hyperbolic_tangent>, Reshape<7, 2, 2>,
                       Conv2DTranspose<2, kernel_size{1, 2}, use_bias<false>>,
                       Conv2DTranspose<1, 3, same_padding, softplus>, Flatten, Dense<3>>>>>(
      about(
          "Conv1DTranspose of stride 2, Conv2DTranspose without a bias, of same padding",
          {convolve_back({1, 7, 4, 2, 1, 3, 2}), function(activation::tanh),
           convolve_back({7, 3, 2, 2, 1, 2, 1}, false), convolve_back({7, 3, 1, 2, 3, 3, 1, true}),
           function(activation::softplus), dense(7 * 3 * 1, 3)},
          3 * 2));
}

TEST_CASE("gradients of Conv3D") {
  check_gradients<step_of<model<
      input<3, 4, 3, 2>,
      sequential<Conv3D<3, kernel_volume{2, 3, 2}, same_padding, strides<2>, hyperbolic_tangent>,
                 Conv3D<2, kernel_volume{2, 1, 2}>, Flatten, Dense<3>>>>>(
      about("Conv3D of stride 2 and same padding, then valid",
            {convolve_volume(3, 2, {4, 3, 2, 3, 3, 2, 2, true}), function(activation::tanh),
             convolve_volume(2, 2, {2, 2, 3, 2, 1, 2}), dense(1 * 2 * 1 * 2, 3)},
            3 * 4 * 3 * 2));
}

TEST_CASE("gradients of LocallyConnected1D") {
  check_gradients<
      step_of<model<input<7, 2>, sequential<LocallyConnected1D<3, 3, hyperbolic_tangent>,
                                            LocallyConnected1D<5, 2, strides<2>, use_bias<false>>,
                                            Flatten, Dense<3>>>>>(
      about("LocallyConnected1D, of stride 2 without a bias",
            {connect_locally({.rows = 1,
                              .columns = 7,
                              .channels = 2,
                              .filters = 3,
                              .kernel_rows = 1,
                              .kernel_columns = 3}),
             function(activation::tanh), connect_locally({1, 5, 3, 5, 1, 2, 2}, false),
             dense(2 * 5, 3)},
            7 * 2));
}

}  // namespace
