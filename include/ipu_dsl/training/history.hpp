// SPDX-License-Identifier: MIT
// What training reports: an epoch, and the loss of every micro-batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ipu_dsl {

/// One epoch, over its micro-batches: mean loss a sample, share of samples whose class was found,
/// seconds of host time.
struct epoch_record {
  std::int32_t epoch = 0;  ///< counts from 0
  double loss = 0;
  double accuracy = 0;
  double seconds = 0;
  std::int64_t samples = 0;
};

/// A part of an epoch that ran without the host looking: the mean loss of its steps.
struct execution_record {
  std::int32_t epoch = 0;  ///< counts from 0
  std::int64_t steps = 0;  ///< of the epoch, done so far
  double loss = 0;
};

/// The epochs of a `fit` and the mean loss of each of its micro-batches. Its memory is the
/// session's and lasts: a `fit` that fits into what was reserved takes none.
class history {
 public:
  void reserve(std::size_t epochs, std::size_t micro_batches) {
    epochs_.reserve(epochs);
    losses_.reserve(micro_batches);
  }

  void clear() {
    epochs_.clear();
    losses_.clear();
  }

  void add_loss(float loss) { losses_.push_back(loss); }

  void add_epoch(const epoch_record& record) { epochs_.push_back(record); }

  /// One record an epoch, in order.
  std::span<const epoch_record> epochs() const { return epochs_; }

  /// The mean loss of every micro-batch, in order.
  std::span<const float> losses() const { return losses_; }

 private:
  std::vector<epoch_record> epochs_;
  std::vector<float> losses_;
};

}  // namespace ipu_dsl
