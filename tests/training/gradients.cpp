// SPDX-License-Identifier: MIT
// Gradients of Dense with every activation, as an option of the layer.
#include "training/gradient_check.hpp"

namespace {

using namespace ipu_dsl;
using reference::activation;
using reference::dense;
using reference::function;
using tests::check_gradients;
using tests::gradient_case;

/// Every case: 9 inputs, 4 classes, micro-batches of 5, 2 of them accumulated. None of the extents
/// is a whole number of vectors.
template <typename... Layers>
struct chain_of : compile<model<input<9>, sequential<Layers...>>, micro_batch<5>,
                          gradient_accumulation<2>, loss<sparse_categorical_crossentropy>> {};

gradient_case about(const char* name, reference::chain network) {
  return {.name = name,
          .network = std::move(network),
          .inputs = 9,
          .classes = 4,
          .micro_batch = 5,
          .accumulated = 2};
}

}  // namespace

TEST_CASE("gradients of Dense with relu, leaky_relu and elu") {
  check_gradients<
      chain_of<Dense<7, relu>, Dense<6, leaky_relu, alpha<0.1F>>, Dense<5, elu>, Dense<4>>>(
      about("Dense with relu, leaky_relu, elu",
            {dense(9, 7), function(activation::relu), dense(7, 6),
             function(activation::leaky_relu, static_cast<double>(0.1F)), dense(6, 5),
             function(activation::elu, 1), dense(5, 4)}));
}

TEST_CASE("gradients of Dense with sigmoid, tanh and softplus") {
  check_gradients<
      chain_of<Dense<7, sigmoid>, Dense<6, hyperbolic_tangent>, Dense<5, softplus>, Dense<4>>>(
      about("Dense with sigmoid, tanh, softplus",
            {dense(9, 7), function(activation::sigmoid), dense(7, 6), function(activation::tanh),
             dense(6, 5), function(activation::softplus), dense(5, 4)}));
}

TEST_CASE("gradients of Dense with gelu, swish and softmax") {
  check_gradients<chain_of<Dense<7, gelu>, Dense<6, swish>, Dense<5, softmax>, Dense<4>>>(
      about("Dense with gelu, swish, softmax",
            {dense(9, 7), function(activation::gelu), dense(7, 6), function(activation::swish),
             dense(6, 5), function(activation::softmax), dense(5, 4)}));
}

TEST_CASE("gradients of Dense without bias, with the defaults of leaky_relu and a scaled elu") {
  check_gradients<chain_of<Dense<7, leaky_relu>, Dense<6, use_bias<false>>,
                           Dense<5, elu, alpha<0.5F>, use_bias<false>>, Dense<4>>>(
      about("Dense without bias",
            {dense(9, 7), function(activation::leaky_relu, static_cast<double>(0.3F)),
             dense(7, 6, false), dense(6, 5, false), function(activation::elu, 0.5), dense(5, 4)}));
}
