// SPDX-License-Identifier: MIT
// What a session is asked with, and what it answers: plain structs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/runtime/pinning.hpp>
#include <ipu_dsl/training/history.hpp>

namespace ipu_dsl {

/// How a session runs. Nothing here changes a result except the seed.
struct session_options {
  int threads = 1;         ///< workers, at most 1,024; beyond one a device, as many for each
  pinning pinned = {};     ///< one processor a worker, or wherever the system likes
  std::uint64_t seed = 1;  ///< of initial weights, dropout and `shuffled` data
  bool poison_freed_slots = false;    ///< fills slots with NaN when nothing may read them any more
  bool trace = false;                 ///< keeps what the last run did
  std::size_t history_epochs = 1024;  ///< reserved, so that a `fit` within them takes no memory
  std::size_t history_micro_batches = 65'536;  ///< reserved as well: the losses of all epochs
};

/// What `evaluate` found: means over all samples.
struct evaluation {
  double loss = 0;
  metric_values metrics;  ///< `found.metrics["accuracy"]`
  std::int64_t samples = 0;
};

/// How far training has come: what an optimizer counts, and what numbers random words of samples.
struct training_progress {
  std::uint64_t updates = 0;
  std::uint64_t samples = 0;
};

/// How long to train. Steps are micro-batches, as in the reference.
struct fit_options {
  std::int32_t epochs = 1;
  std::int64_t steps_per_epoch = 0;      ///< 0: an epoch is one pass over the data
  std::int64_t steps_per_execution = 0;  ///< steps between calls of the host; 0: an epoch
};

/// Called on the calling thread after every execution and after every epoch; null: not called.
struct fit_callbacks {
  void (*execution)(void* object, const execution_record& record) = nullptr;
  void (*epoch)(void* object, const epoch_record& record) = nullptr;
  void* object = nullptr;
};

}  // namespace ipu_dsl
