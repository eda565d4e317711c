// SPDX-License-Identifier: MIT
// Gradients of activations as layers of their own, and of Dropout.
#include <ipu_dsl/kernels/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>

#include "training/gradient_check.hpp"

namespace {

using namespace ipu_dsl;
using reference::activation;
using reference::dense;
using reference::function;
using tests::check_gradients;
using tests::gradient_case;

template <typename Model>
struct step_of : compile<Model, micro_batch<5>, gradient_accumulation<2>,
                         loss<sparse_categorical_crossentropy>> {};

template <typename... Layers>
using chain_of = step_of<model<input<9>, sequential<Layers...>>>;

gradient_case about(const char* name, reference::chain network) {
  return {.name = name,
          .network = std::move(network),
          .inputs = 9,
          .classes = 4,
          .micro_batch = 5,
          .accumulated = 2};
}

struct with_dropout
    : model<input<9>,
            sequential<Dense<7, relu>, Dropout<0.3F>, Dense<6>, Dropout<0.5F>, Dense<4>>> {};

/// The mask that a dropout of this node and rate has for the samples of a micro-batch.
reference::matrix mask_of(std::int32_t node, std::size_t units, float rate,
                          std::size_t micro_batch) {
  const list<std::uint64_t> streams = streams_of_nodes(graph_of<with_dropout>);
  const std::vector<float> ones(5 * 16, 1.0F);
  std::vector<float> kept(5 * 16);
  const auto elements = static_cast<std::int32_t>(units);
  kernels::dropout(ones.data(), kept.data(), 5, elements,
                   {.seed = session_options{}.seed,
                    .stream = streams[static_cast<std::size_t>(node)],
                    .first_element = micro_batch * 5 * units,
                    .rate = rate});
  reference::matrix mask(5, units);
  const auto stride = static_cast<std::size_t>(layout::row_stride(elements));
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t n = 0; n < units; ++n) {
      mask.row(row)[n] = static_cast<double>(kept[row * stride + n]);
    }
  }
  return mask;
}

/// The nodes of a model that are dropouts.
std::vector<std::int32_t> dropout_nodes(const graph_view& model) {
  std::vector<std::int32_t> found;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    if (model.nodes[i].rule == &dropout_family) {
      found.push_back(static_cast<std::int32_t>(i));
    }
  }
  return found;
}

int zeros_of(const reference::matrix& mask) {
  return static_cast<int>(std::count(mask.values.begin(), mask.values.end(), 0.0));
}

}  // namespace

TEST_CASE("gradients of the layers relu, leaky_relu, elu and softplus") {
  check_gradients<chain_of<Dense<7>, relu, Dense<6>, Activation<leaky_relu, alpha<0.1F>>, elu,
                           Dense<5>, softplus, Dense<4>>>(
      about("layers relu, leaky_relu, elu, softplus",
            {dense(9, 7), function(activation::relu), dense(7, 6),
             function(activation::leaky_relu, static_cast<double>(0.1F)),
             function(activation::elu, 1), dense(6, 5), function(activation::softplus),
             dense(5, 4)}));
}

TEST_CASE("gradients of the layers sigmoid, tanh, gelu, swish, linear and softmax") {
  check_gradients<chain_of<Dense<7>, sigmoid, gelu, Dense<6>, hyperbolic_tangent, Dense<5>, swish,
                           linear, softmax, Dense<4>>>(
      about("layers sigmoid, gelu, tanh, swish, linear, softmax",
            {dense(9, 7), function(activation::sigmoid), function(activation::gelu), dense(7, 6),
             function(activation::tanh), dense(6, 5), function(activation::swish),
             function(activation::softmax), dense(5, 4)}));
}

TEST_CASE("gradients of Dropout with the mask of its own forward") {
  const std::vector<std::int32_t> nodes = dropout_nodes(graph_of<with_dropout>);
  REQUIRE(nodes.size() == 2);
  const auto set_masks = [&](reference::chain& network, std::size_t micro_batch) {
    network[2].mask = mask_of(nodes[0], 7, 0.3F, micro_batch);
    network[4].mask = mask_of(nodes[1], 6, 0.5F, micro_batch);
  };
  CHECK(zeros_of(mask_of(nodes[0], 7, 0.3F, 0)) > 2);
  CHECK(zeros_of(mask_of(nodes[0], 7, 0.3F, 0)) < 20);
  CHECK(mask_of(nodes[0], 7, 0.3F, 0).values != mask_of(nodes[0], 7, 0.3F, 1).values);
  check_gradients<step_of<with_dropout>>(
      about("Dropout", {dense(9, 7), function(activation::relu), reference::scale({}), dense(7, 6),
                        reference::scale({}), dense(6, 4)}),
      set_masks);
}
