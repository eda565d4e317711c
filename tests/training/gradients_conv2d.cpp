// SPDX-License-Identifier: MIT
// Gradients of Conv2D: kernels of odd and even sizes, both paddings, strides, odd images, channels
// that fill no vector, pixels read from rows and from positions.
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "training/gradient_check.hpp"

namespace {

using namespace ipu_dsl;
using reference::activation;
using reference::convolve;
using reference::dense;
using reference::function;
using tests::check_gradients;
using tests::gradient_case;

template <typename Model, int Batch = 3>
struct step_of : compile<Model, micro_batch<Batch>, gradient_accumulation<2>,
                         loss<sparse_categorical_crossentropy>> {};

gradient_case about(const char* name, reference::chain network, std::size_t inputs,
                    std::size_t micro_batch = 3) {
  return {.name = name,
          .network = std::move(network),
          .inputs = inputs,
          .classes = 3,
          .micro_batch = micro_batch,
          .accumulated = 2};
}

template <typename... Layers>
using on_image = model<input<7, 6, 2>, sequential<Layers..., Flatten, Dense<3>>>;

TEST_CASE("gradients of 3 x 3 kernels, same and valid") {
  check_gradients<
      step_of<model<input<5, 4, 2>, sequential<Conv2D<3, 3, same_padding, hyperbolic_tangent>,
                                               Conv2D<2, 3>, Flatten, Dense<3>>>>>(
      about("Conv2D 3 x 3, same, then valid",
            {convolve({5, 4, 2, 3, 3, 3, 1, true}), function(activation::tanh),
             convolve({5, 4, 3, 2, 3, 3, 1, false}), dense(3 * 2 * 2, 3)},
            5 * 4 * 2));
}

TEST_CASE("gradients of strides, on channels that fill a vector and one more") {
  check_gradients<step_of<
      on_image<Conv2D<17, 3, strides<2>, same_padding, relu>, Conv2D<3, 2, strides<2>, softplus>>>>(
      about("Conv2D of stride 2, same, then even and valid",
            {convolve({7, 6, 2, 17, 3, 3, 2, true}), function(activation::relu),
             convolve({4, 3, 17, 3, 2, 2, 2, false}), function(activation::softplus),
             dense(2 * 1 * 3, 3)},
            7 * 6 * 2));
}

TEST_CASE("gradients of 1 x 1 kernels, even kernels, and without a bias") {
  check_gradients<step_of<on_image<Conv2D<3, 1, use_bias<false>>, gelu,
                                   Conv2D<2, kernel_size{4, 2}, same_padding, sigmoid>>>>(
      about("Conv2D 1 x 1 without a bias, then 4 x 2",
            {convolve({7, 6, 2, 3, 1, 1}, false), function(activation::gelu),
             convolve({7, 6, 3, 2, 4, 2, 1, true}), function(activation::sigmoid),
             dense(7 * 6 * 2, 3)},
            7 * 6 * 2));
}

TEST_CASE("gradients of kernels that are larger than the image, and of wide strides") {
  check_gradients<
      step_of<on_image<Conv2D<3, 1, strides<3>>, Conv2D<2, kernel_size{7, 5}, same_padding>>>>(
      about("Conv2D 1 x 1 of stride 3, then 7 x 5 on 3 x 2",
            {convolve({7, 6, 2, 3, 1, 1, 3, false}), convolve({3, 2, 3, 2, 7, 5, 1, true}),
             dense(3 * 2 * 2, 3)},
            7 * 6 * 2));
}

TEST_CASE("gradients of single samples, and of an image that a Dense makes") {
  check_gradients<
      step_of<model<input<9>, sequential<Dense<24, hyperbolic_tangent>, Reshape<4, 3, 2>,
                                         Conv2D<5, 3>, elu, Flatten, Dense<3>>>,
              1>>(about("Dense, Reshape, Conv2D of single samples",
                        {dense(9, 24), function(activation::tanh), convolve({4, 3, 2, 5, 3, 3}),
                         function(activation::elu, 1), dense(2 * 1 * 5, 3)},
                        9, 1));
}

}  // namespace
