// SPDX-License-Identifier: MIT
// Training steps of any model of this library, and how many multiply-adds its plan has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "peers/model.hpp"

namespace ours {

/// Of the models that learn by descent.
inline constexpr ipu_dsl::sgd_momentum_settings descent{.learning_rate = peers::model_rate,
                                                        .momentum = peers::model_momentum};

/// 0, 1, ... `classes` - 1, 0, ...
inline std::vector<std::int32_t> labels_in_turn(std::int64_t count, std::int32_t classes) {
  std::vector<std::int32_t> made;
  for (std::int64_t i = 0; i < count; ++i) {
    made.push_back(static_cast<std::int32_t>(i % classes));
  }
  return made;
}

/// Whether a call is a product, so that its cost is multiply-adds. That of others is elements.
constexpr bool multiplies(const ipu_dsl::call_key& key) {
  using namespace ipu_dsl;
  if (key.is<dense_call>()) {
    return key.as<dense_call>().variant != dense_variant::output_gradient;
  }
  if (key.is<conv2d_call>()) {
    const conv2d_variant variant = key.as<conv2d_call>().variant;
    return variant == conv2d_variant::forward || variant == conv2d_variant::input_gradient ||
           variant == conv2d_variant::weight_gradient;
  }
  return key.is<lstm_call>() || key.is<multi_head_attention_call>();
}

/// Multiply-adds of a micro-batch through all stages, forward and backward, by the calls of the
/// plan. Taps in the padding count, and so do keys that a causal mask hides.
template <typename Compiled>
constexpr std::int64_t multiply_adds_of_plan() {
  using namespace ipu_dsl;
  std::int64_t sum = 0;
  for (const call& row : planned_program_of<Compiled, program_kind::train>.plan.view().calls) {
    sum += multiplies(row.key) ? row.operations : 0;
  }
  return sum;
}

inline std::vector<peers::model_parameter> parameters_of(const ipu_dsl::parameters& weights) {
  std::vector<peers::model_parameter> all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const ipu_dsl::tensor& stored = weights.at(i);
    peers::model_parameter each;
    each.name = weights.name(i);
    for (std::int32_t axis = 0; axis < stored.extents.rank; ++axis) {
      each.extents.push_back(stored.extents[axis]);
    }
    each.values = measure::zeros(stored.extents.elements());
    each.learns = stored.role == ipu_dsl::tensor_role::parameter;
    weights.get(i, each.values);
    all.push_back(each);
  }
  return all;
}

/// A session that trains on the same samples again and again. `Features` names those of a question
/// that the model reads.
template <typename Compiled, auto Features>
class trained_model final : public peers::model_contestant {
 public:
  using settings = typename ipu_dsl::session<Compiled>::settings;

  trained_model(const peers::model_question& question, const settings& wanted, int threads = 1)
      : question_(question), run_(wanted, {.threads = threads}) {
    for (std::size_t i = 0; i < question.start.size(); ++i) {
      run_.weights().set(i, question.start[i].values);
    }
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      loss_ = run_.train_step(question_.*Features, question_.labels);
    }
  }

  std::vector<measure::buffer> parameters() override {
    std::vector<measure::buffer> now;
    for (const peers::model_parameter& each : parameters_of(run_.weights())) {
      now.push_back(each.values);
    }
    return now;
  }

  double loss() override { return loss_; }

 private:
  const peers::model_question& question_;
  ipu_dsl::session<Compiled> run_;
  double loss_ = 0;
};

/// Completes a question by what the model starts from and by what its plan has to multiply.
template <typename Compiled>
void start(peers::model_question& question) {
  ipu_dsl::session<Compiled> fresh({}, {.threads = 1});
  fresh.weights().initialize(1);
  question.start = parameters_of(fresh.weights());
  question.multiply_adds = static_cast<double>(multiply_adds_of_plan<Compiled>());
}

}  // namespace ours
