// SPDX-License-Identifier: MIT
// What a session is made of: plain structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/operators/final_value.hpp>
#include <ipu_dsl/operators/run_context.hpp>
#include <ipu_dsl/plan/model_interface.hpp>
#include <ipu_dsl/plan/program_plan_view.hpp>
#include <ipu_dsl/plan/run_settings.hpp>
#include <ipu_dsl/training/training_identity.hpp>

namespace ipu_dsl {

/// The code of some kernels of a program.
struct some_functions {
  list_view<std::int32_t> kernels;   ///< their numbers among the distinct kernels
  list_view<kernel_code> functions;  ///< of each
};

/// A program with its code.
struct loaded_program {
  program_plan_view plan;
  list_view<some_functions (*)()> stages;  ///< of each what it is the first to call
  list_view<placement>
      results;  ///< of each loss, each penalty of an output, each metric; none in prediction

  /// The code of all stages, by distinct kernel.
  [[gnu::cold]] list<kernel_code> functions() const {
    list<kernel_code> all;
    all.resize(plan.codes.size(), kernel_code{});
    for (some_functions (*const of_stage)() : stages) {
      const some_functions found = of_stage();
      for (std::size_t i = 0; i < found.kernels.size(); ++i) {
        all[found.kernels[i]] = found.functions[i];
      }
    }
    return all;
  }
};

/// A loss or a metric: how many numbers it counts in a micro-batch, and what their sums mean.
struct result_code {
  std::string_view name;  ///< with several outputs behind that of its output: "price_loss"
  bool is_loss = false;
  bool is_reported = true;  ///< by its name, if there are several losses
  float weight = 1;         ///< of a loss's mean in the sum of all
  double means = 1;         ///< of a loss: so often its mean is what its reduction gives
  std::int32_t numbers = 0;
  final_value_function final_value = nullptr;
  std::int32_t reported = 1;                     ///< numbers
  final_values_function final_values = nullptr;  ///< of a metric that reports several
};

/// What a session is made of; none of it points to a family. `train` and `evaluate` are empty plans
/// without a loss.
struct session_parts {
  model_interface model;
  run_settings settings;
  list_view<parameter_place> places;
  training_identity identity;
  list_view<parameter_place> kept;       ///< of the optimizer
  list_view<parameter_place> gradients;  ///< none but for `gradients_in_hand`
  penalty_function penalty;              ///< null if no parameter has one
  list_view<result_code> results;        ///< losses and penalties of outputs, then metrics
  loaded_program train;
  loaded_program evaluate;
  loaded_program predict;
};

}  // namespace ipu_dsl
