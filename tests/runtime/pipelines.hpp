// SPDX-License-Identifier: MIT
// The small models of this room's tests, and a schedule that the library does not have.
#pragma once

#include <string_view>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>

#include "support/labelled_points.hpp"

namespace ipu_dsl::tests {

/// All forwards, then all backwards in ascending order of micro-batches (Huang et al., "GPipe",
/// 2019, with the order of the backwards that keeps the sums of gradients the same).
struct gpipe {
  static constexpr std::string_view name = "gpipe";

  static constexpr problem allows(int devices, int stages, int, purpose) {
    return devices == stages ? problem{} : refuse("a device for each stage", label() << devices);
  }

  static constexpr program make(int devices, int stages, int micro_batches) {
    return make_rows(devices, stages, micro_batches, true);
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return make_rows(devices, stages, micro_batches, false);
  }

 private:
  static constexpr program make_rows(int devices, int stages, int micro_batches, bool trains) {
    program rows(devices, neighbouring_placement(devices, stages), micro_batches);
    for (int stage = 0; stage < stages; ++stage) {
      for (int i = 0; i < micro_batches; ++i) {
        rows.put(action_kind::forward, stage, i);
      }
      for (int i = 0; trains && i < micro_batches; ++i) {
        rows.put(action_kind::backward, stage, i);
      }
      if (trains) {
        rows.put(action_kind::update, stage, 0);
      }
      rows.end_row();
    }
    return rows;
  }
};

/// Its masks are those of the sample's number: runs that end early must not use them up.
struct two_stages
    : model<input<8>, pipeline<stage<Dense<8, relu>, Dropout<0.25F>>, stage<Dense<3>>>> {};

struct three_stages
    : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<8, relu>>, stage<Dense<3>>>> {};

inline constexpr int samples_of_micro_batch = 4;

/// A model trained in runs of 12 micro-batches, which every schedule takes in 2 and in 3 stages.
template <typename Model, typename Schedule>
struct trained
    : compile<Model, micro_batch<samples_of_micro_batch>, gradient_accumulation<12>, Schedule,
              loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

/// The planned training program.
template <compiled_model C>
constexpr program_plan_view training_plan() {
  return frozen_plan_of<typename C::compiled, program_kind::train>.view();
}

inline constexpr fit_options two_updates{.steps_per_epoch = 24};

}  // namespace ipu_dsl::tests
