// SPDX-License-Identifier: MIT
// What a session is made of and asked with: plain structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/runtime/processors.hpp>
#include <ipu_dsl/training/history.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// How a session runs. Nothing here changes a result except the seed.
struct session_options {
  int threads = 1;                    ///< workers; beyond one a device, as many for each
  pinning pinned = {};                ///< one processor a worker, or wherever the system likes
  std::uint64_t seed = 1;             ///< of initial weights and dropout
  bool poison_freed_slots = false;    ///< fills slots with NaN when nothing may read them any more
  bool trace = false;                 ///< keeps what the last run did
  std::size_t history_epochs = 1024;  ///< reserved, so that `fit` takes no memory
  std::size_t history_micro_batches = 65'536;
};

/// What `evaluate` found: means over all samples.
struct evaluation {
  double loss = 0;
  double accuracy = 0;
  std::int64_t samples = 0;
};

/// A program with its code.
struct loaded_program {
  program_plan_view plan;
  std::span<const kernel_code> functions;
};

/// What a session is made of. `train` and `evaluate` are empty plans without a loss.
struct session_parts {
  graph_view model;
  compile_settings settings;
  std::span<const parameter_place> places;
  loaded_program train;
  loaded_program evaluate;
  loaded_program predict;
};

/// Called on the calling thread after every execution and after every epoch; null: not called.
struct fit_callbacks {
  void (*execution)(void* object, const execution_record& record) = nullptr;
  void (*epoch)(void* object, const epoch_record& record) = nullptr;
  void* object = nullptr;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
