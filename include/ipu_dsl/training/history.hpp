// SPDX-License-Identifier: MIT
// What training reports: an epoch, and the loss of every micro-batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/training/metric_values.hpp>

namespace ipu_dsl {

/// One epoch, over its micro-batches: mean loss a sample, the metrics, seconds of host time.
struct epoch_record {
  std::int32_t epoch = 0;  ///< counts from 0
  double loss = 0;
  metric_values metrics;  ///< `epoch.metrics["accuracy"]`
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
/// session's and lasts: a `fit` that fits into what was reserved takes none, and a longer one takes
/// some between two epochs only, never within one.
class history {
 public:
  /// Room for so many in all. Throws `error` if there is no memory for them; nothing is changed
  /// then.
  void reserve(std::size_t epochs, std::size_t micro_batches) {
    try {
      epochs_.reserve(epochs);
      losses_.reserve(micro_batches);
    } catch (const std::exception&) {
      throw error(sentence_of({"There is no memory for a history of ", epochs, " epochs and ",
                               micro_batches, " losses, one a step."}));
    }
  }

  /// Room for an epoch more, of so many micro-batches. What has to grow at least doubles, so that
  /// it seldom does.
  void reserve_epoch(std::size_t micro_batches) {
    reserve(with_room(epochs_, 1), with_room(losses_, micro_batches));
  }

  void clear() {
    epochs_.clear();
    losses_.clear();
  }

  void add_loss(float loss) { losses_.push_back(loss); }

  void add_epoch(const epoch_record& record) { epochs_.push_back(record); }

  /// One record an epoch, in order.
  std::span<const epoch_record> epochs() const { return {epochs_.data(), epochs_.size()}; }

  /// The mean loss of every micro-batch, in order.
  std::span<const float> losses() const { return {losses_.data(), losses_.size()}; }

 private:
  template <typename T>
  static std::size_t with_room(const std::vector<T>& kept, std::size_t more) {
    const std::size_t wanted = kept.size() + more;
    return wanted <= kept.capacity() ? wanted : (std::max)(wanted, 2 * kept.capacity());
  }

  std::vector<epoch_record> epochs_;
  std::vector<float> losses_;
};

/// `for (const epoch_record& epoch : passed.epochs)`, without the brackets of the call.
template <typename Records>
void begin(Records (history::*)() const) = delete;

template <typename Records>
void end(Records (history::*)() const) = delete;

}  // namespace ipu_dsl
