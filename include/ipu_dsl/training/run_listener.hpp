// SPDX-License-Identifier: MIT
// Who hears between two runs of a session what they found: outfeeds do.
#pragma once

#include <cstdint>
#include <span>

#include <ipu_dsl/core/list_view.hpp>

namespace ipu_dsl {

/// Hears of training, on the thread that trains. What it throws ends the `fit` as a callback's
/// exception does: the session is trained so far.
class run_listener {
 public:
  /// Before so many micro-batches are trained on, in all; nothing has begun yet.
  virtual void expect_losses(std::int64_t micro_batches) = 0;

  /// Where an update writes each output: [micro-batches of it, micro_batch, elements]; of models
  /// with `outfeed_outputs`. None where only losses are wanted.
  virtual list_view<float*> training_rows() = 0;

  /// The losses of the micro-batches of an update, in their order: [gradient_accumulation,
  /// replicas].
  virtual void take_losses(std::span<const float> losses) = 0;

  /// The session ends, and tells nothing any more.
  virtual void lose_session() noexcept = 0;

 protected:
  ~run_listener() = default;
};

/// Takes the outputs of predictions, on the thread that predicts.
class output_listener {
 public:
  /// Before so many micro-batches are run; nothing has begun yet.
  virtual void expect_outputs(std::int64_t micro_batches) = 0;

  /// Where a run writes each output: [micro-batches of a run, micro_batch, elements].
  virtual list_view<float*> rows() = 0;

  /// A micro-batch of the run stands there, and so many samples of it.
  virtual void take_outputs(std::int32_t micro_batch, std::int32_t samples) = 0;

 protected:
  ~output_listener() = default;
};

}  // namespace ipu_dsl
