// SPDX-License-Identifier: MIT
// Gradients through residuals, branches and other shapes: sums of gradients where a value is used
// more than once.
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "training/gradient_check.hpp"

namespace {

using namespace ipu_dsl;
using reference::activation;
using reference::concat_of;
using reference::dense;
using reference::function;
using reference::residual_of;
using tests::check_gradients;
using tests::gradient_case;

template <typename Input, typename... Layers>
struct chain_of : compile<model<Input, sequential<Layers...>>, micro_batch<5>,
                          gradient_accumulation<2>, loss<sparse_categorical_crossentropy>> {};

gradient_case about(const char* name, std::size_t inputs, reference::chain network) {
  return {.name = name,
          .network = std::move(network),
          .inputs = inputs,
          .classes = 4,
          .micro_batch = 5,
          .accumulated = 2};
}

}  // namespace

TEST_CASE("gradients through a residual, its input below Dense and its output used once") {
  check_gradients<
      chain_of<input<9>, Dense<7, hyperbolic_tangent>, residual<Dense<7, relu>>, Dense<4>>>(
      about("residual", 9,
            {dense(9, 7), function(activation::tanh),
             residual_of({dense(7, 7), function(activation::relu)}), dense(7, 4)}));
}

TEST_CASE("gradients through branches side by side") {
  check_gradients<
      chain_of<input<9>, Dense<7, relu>,
               concat<Dense<5, sigmoid>, sequential<Dense<6, elu>, Dense<3>>>, Dense<4>>>(
      about("concat", 9,
            {dense(9, 7), function(activation::relu),
             concat_of({{dense(7, 5), function(activation::sigmoid)},
                        {dense(7, 6), function(activation::elu, 1), dense(6, 3)}}),
             dense(8, 4)}));
}

TEST_CASE("gradients through joins within joins") {
  check_gradients<
      chain_of<input<9>, Dense<7, swish>,
               residual<concat<sequential<Dense<4, hyperbolic_tangent>, residual<Dense<4, relu>>>,
                               residual<Dense<7>>, Dense<2, relu>>,
                        Dense<7>>,
               residual<residual<Dense<7, softplus>>>, Dense<4>>>(
      about("joins within joins", 9,
            {dense(9, 7), function(activation::swish),
             residual_of({concat_of({{dense(7, 4), function(activation::tanh),
                                      residual_of({dense(4, 4), function(activation::relu)})},
                                     {residual_of({dense(7, 7)})},
                                     {dense(7, 2), function(activation::relu)}}),
                          dense(13, 7)}),
             residual_of({residual_of({dense(7, 7), function(activation::softplus)})}),
             dense(7, 4)}));
}

TEST_CASE("gradients through Flatten and Reshape") {
  check_gradients<chain_of<input<3, 5>, Flatten, Dense<12, relu>, Reshape<3, 4>, hyperbolic_tangent,
                           residual<elu>, Flatten, Dense<4>>>(
      about("Flatten and Reshape", 15,
            {dense(15, 12), function(activation::relu), function(activation::tanh),
             residual_of({function(activation::elu, 1)}), dense(12, 4)}));
}
