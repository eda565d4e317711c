// SPDX-License-Identifier: MIT
// One small network cut into 1, 4 and 8 stages, and what every schedule must make of it.
#pragma once

#include <string_view>
#include <vector>

#include <ipu_dsl/training/program_code.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>

namespace ipu_dsl::tests {

/// Few distinct kernels; a stage in which nothing learns, a join, masks by the sample's number.
struct in_one_stage
    : model<input<8>,
            sequential<Dense<8, relu>, Dense<8>, gelu, residual<Dense<8, relu>>, Dropout<0.25F>,
                       Dense<8>, relu, Dense<8, relu>, Dense<8, relu>, Dense<3>>> {};

struct in_four_stages
    : model<input<8>, pipeline<stage<Dense<8, relu>, Dense<8>, gelu>,
                               stage<residual<Dense<8, relu>>, Dropout<0.25F>, Dense<8>>,
                               stage<relu, Dense<8, relu>>, stage<Dense<8, relu>, Dense<3>>>> {};

struct in_eight_stages
    : model<input<8>,
            pipeline<stage<Dense<8, relu>>, stage<Dense<8>, gelu>, stage<residual<Dense<8, relu>>>,
                     stage<Dropout<0.25F>, Dense<8>>, stage<relu>, stage<Dense<8, relu>>,
                     stage<Dense<8, relu>>, stage<Dense<3>>>> {};

inline constexpr int scheduled_samples = 4;
inline constexpr int scheduled_micro_batches = 16;

inline constexpr sgd_momentum_settings scheduled_rates{.learning_rate = 0.05F, .momentum = 0.9F};

/// 16 micro-batches suit every schedule on 4 devices, and are more than most edges have slots.
template <typename Model, typename Schedule>
struct scheduled
    : compile<Model, micro_batch<scheduled_samples>, gradient_accumulation<scheduled_micro_batches>,
              Schedule, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

/// A compiled model, as values.
struct schedule_case {
  std::string_view name;
  session_parts parts;
  bool ascending = false;
};

/// One whose gradients are summed by ascending micro-batch has the bits of one stage.
template <compiled_model C, bool Ascending = true>
schedule_case case_of() {
  static_assert(check<C>());
  static_assert(C::timeline.ascending == Ascending);
  return {C::schedule_type::name, parts_of<typename C::compiled>(), C::timeline.ascending};
}

/// Trains three updates with 1, 2 and 4 threads, with and without poison, evaluates and predicts:
/// all numbers have the bits of `reference`. Then with traces: every device did its row, nothing
/// before what it depends on. Prints what was compared.
void check_executed(const schedule_case& scheduled, const session_parts& reference);

/// The same against the network in one stage.
void check_executed(const schedule_case& scheduled);

/// What some updates on one thread make of fresh weights.
struct trained_numbers {
  std::vector<float> losses;
  std::vector<float> weights;
};

trained_numbers train_updates(const session_parts& parts, int count);

}  // namespace ipu_dsl::tests
