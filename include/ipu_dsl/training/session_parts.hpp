// SPDX-License-Identifier: MIT
// What a session is made of: plain structs.
#pragma once

#include <span>

#include <ipu_dsl/operators/run_context.hpp>
#include <ipu_dsl/plan/model_interface.hpp>
#include <ipu_dsl/plan/program_plan_view.hpp>
#include <ipu_dsl/plan/run_settings.hpp>

namespace ipu_dsl {

/// A program with its code.
struct loaded_program {
  program_plan_view plan;
  std::span<const kernel_code> functions;
};

/// What a session is made of; none of it points to a family. `train` and `evaluate` are empty plans
/// without a loss.
struct session_parts {
  model_interface model;
  run_settings settings;
  std::span<const parameter_place> places;
  loaded_program train;
  loaded_program evaluate;
  loaded_program predict;
};

}  // namespace ipu_dsl
