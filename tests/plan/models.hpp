// SPDX-License-Identifier: MIT
// Models for the tests of the plan, and their graphs with a loss.
#pragma once

#include <span>

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/plan/loss.hpp>
#include <ipu_dsl/plan/lowering.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/library.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

namespace ipu_dsl::testing {

/// The model of the reference's tutorial.
struct mlp : model<input<28, 28>,
                   pipeline<stage<Flatten, Dense<256, relu>>,
                            stage<Dense<128, relu>, Dense<64, relu>, Dense<32, relu>, Dense<10>>>> {
};

/// Fan-out, joins, activations of their own, views in the middle, three stages.
struct branching
    : model<input<6, 6>,
            pipeline<
                stage<Flatten, Dense<24, gelu>, residual<Dense<24, relu>, Dropout<0.25F>>>,
                stage<concat<Dense<8>, sequential<Dense<12, hyperbolic_tangent>, Dense<4>>, relu>>,
                stage<Reshape<4, 9>, Flatten, Dense<12, swish>, Dense<5, softmax>>>> {};

/// Equal layers in one stage.
struct alike : model<input<16>, sequential<Dense<16, relu>, Dense<16, relu>, Dense<16, relu>>> {};

/// One layer a stage; stages hand on what others made.
struct slender : model<input<7>, pipeline<stage<Dense<3, sigmoid>>, stage<softplus>,
                                          stage<residual<elu>>, stage<Dense<9, use_bias<false>>>>> {
};

/// What an activation reads goes past it as well, and is read once more by another layer.
struct passing
    : model<input<8>,
            sequential<Dense<8>, residual<elu>, sigmoid, concat<elu, Dense<4>>, Dense<3>>> {};

/// The graph of a model with the loss and the accuracy behind it.
template <typename M>
constexpr graph with_loss(score_kind scores = score_kind::logits) {
  graph made = fold<M>();
  const result_choice losses[] = {
      {&sparse_categorical_crossentropy_family, attributes::of(crossentropy_options{scores})}};
  const result_choice metrics[] = {{&accuracy_family}};
  made.fault = attach_results(made, losses, metrics, 1);
  return made;
}

constexpr lowered_program lowered(const graph_view& model, program_kind kind,
                                  std::int32_t batch = 32) {
  return lowering(model, kind, batch, sgd<momentum>::rule).lower();
}

/// The calls of one kind of action of one stage.
constexpr std::span<const emitted_call> calls_of(const lowered_program& program, std::int32_t stage,
                                                 action_kind kind) {
  const std::size_t entry = action_entry(stage, kind);
  const auto begin = static_cast<std::size_t>(program.first_call[entry]);
  const auto end = static_cast<std::size_t>(program.first_call[entry + 1]);
  return {program.made.calls.data() + begin, end - begin};
}

/// The calls of a family; with a variant those whose key begins with it.
constexpr std::int32_t count_calls(std::span<const emitted_call> calls, const family& code,
                                   std::int32_t variant = -1) {
  std::int32_t count = 0;
  for (const emitted_call& row : calls) {
    count += row.code == &code && (variant < 0 || row.key[0] == variant) ? 1 : 0;
  }
  return count;
}

}  // namespace ipu_dsl::testing
