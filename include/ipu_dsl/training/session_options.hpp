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
  int threads = 1;  ///< workers, at most 1,024; beyond one a device, as many for each
  /// Operations of a call, multiply-adds or elements, from which the workers of a device share it:
  /// meeting for it, and what the others wrote on the way between two cores, take longer than a
  /// smaller one. 0: they share all that can be.
  std::int64_t shared_from = 100'000;
  pinning pinned = {};                ///< one processor a worker, or wherever the system likes
  std::uint64_t seed = 1;             ///< of initial weights, dropout and `shuffled` data
  bool poison_freed_slots = false;    ///< fills slots with NaN when nothing may read them any more
  bool trace = false;                 ///< keeps what the last run did
  std::size_t history_epochs = 1024;  ///< reserved, so that a `fit` within them takes no memory
  std::size_t history_micro_batches = 65'536;  ///< reserved as well: the losses of all epochs
};

/// How far training has come: what an optimizer counts, and what numbers random words of samples.
struct training_progress {
  std::uint64_t updates = 0;
  std::uint64_t samples = 0;
};

/// What a step is in the numbers of `fit_options`.
enum class step_unit : std::uint8_t {
  micro_batch,  ///< one micro-batch, as in the reference since TensorFlow 2.4
  update        ///< one update, all its micro-batches, as in `PipelineModel` before
};

/// How long to train.
struct fit_options {
  std::int32_t epochs = 1;                ///< the number of the last one, counted from 1
  std::int64_t steps_per_epoch = 0;       ///< 0: an epoch is one pass over the data
  std::int64_t steps_per_execution = 0;   ///< steps between calls of the host; 0: an epoch
  std::int32_t initial_epoch = 0;         ///< the first one, counted from 0
  std::int32_t validation_frequency = 1;  ///< epochs from one validation to the next
  double validation_split = 0;  ///< the share at the end of a data set that is validated on
  step_unit step = step_unit::micro_batch;
  /// Goes on where the fit stood that saved what `load_training` loaded, in its epoch and its data,
  /// instead of with `initial_epoch`.
  bool resume = false;
};

}  // namespace ipu_dsl
