// SPDX-License-Identifier: MIT
// The losses of the micro-batches of an update, and who hears of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/runtime/regions.hpp>
#include <ipu_dsl/training/result_sums.hpp>
#include <ipu_dsl/training/run_listener.hpp>
#include <ipu_dsl/training/session_parts.hpp>

namespace ipu_dsl {

/// Reads in a session's memory what an update's micro-batches came to. `parts` and `memory` outlive
/// it.
class update_losses {
 public:
  update_losses(const session_parts& parts, region_set& memory)
      : parts_(parts), memory_(memory), losses_(parts.settings.micro_batches_of_update()) {}

  update_losses(const update_losses&) = delete;
  update_losses& operator=(const update_losses&) = delete;

  ~update_losses() {
    if (heard_by_ != nullptr) {
      heard_by_->lose_session();
    }
  }

  /// By what the gradients of a sample are multiplied: one over the samples that a mean is over.
  float scale() const {
    const int samples = parts_.settings.micro_batch *
                        (parts_.settings.mean_gradients ? micro_batches_of_update() : 1);
    return 1.0F / static_cast<float>(samples);
  }

  /// What the parameters add to the loss, as they are.
  double penalty() const {
    double sum = 0;
    for (std::size_t i = 0; parts_.penalty != nullptr && i < parts_.places.size(); ++i) {
      const parameter_place& place = parts_.places[i];
      if (place.stored.rules != nullptr && place.stored.rules->penalizes()) {
        std::byte* const begin = memory_.at(place.region) + place.offset;
        sum += parts_.penalty({place.stored.lies, place.stored.extents}, *place.stored.rules,
                              reinterpret_cast<float*>(begin));
      }
    }
    return sum;
  }

  /// Before an update: its losses contain the penalty of the parameters as they are now.
  void begin() { penalty_ = penalty(); }

  /// Behind an update: takes the losses of its micro-batches, tells whoever listens, and returns
  /// their sum.
  double take() {
    double sum = 0;
    for (int i = 0; i < micro_batches_of_update(); ++i) {
      const double loss = of_micro_batch(i);
      losses_[i] = static_cast<float>(loss);
      sum += loss;
    }
    if (heard_by_ != nullptr) {
      heard_by_->take_losses(all());
    }
    return sum;
  }

  /// Those that were taken last: [gradient_accumulation, replicas].
  list_view<float> all() const { return losses_; }

  /// Tells the losses to somebody, or to nobody any more. Throws `error` if somebody else is told
  /// already.
  void listen(run_listener* heard_by) {
    if (heard_by != nullptr && heard_by_ != nullptr) {
      raise_error("A session hands its losses to one outfeed, and has one already.");
    }
    heard_by_ = heard_by;
  }

  /// Where an update writes the outputs of its micro-batches; null if nobody wants them.
  float* const* rows_of_listener() const {
    return heard_by_ == nullptr ? nullptr : heard_by_->training_rows().data();
  }

  /// Before so many micro-batches are trained on, in all.
  void expect(std::int64_t micro_batches) {
    if (heard_by_ != nullptr) {
      heard_by_->expect_losses(micro_batches);
    }
  }

 private:
  int micro_batches_of_update() const { return parts_.settings.micro_batches_of_update(); }

  /// The mean loss of its samples, which in training are as many as it can hold, with the factor by
  /// which gradients are scaled.
  double of_micro_batch(int micro_batch) const {
    const double of_update = parts_.settings.mean_gradients ? micro_batches_of_update() : 1;
    double sum = 0;
    for (std::size_t i = 0; i < parts_.results.size() && parts_.results[i].is_loss; ++i) {
      const double* const counted = result_sums::counted_in(memory_, parts_.train.results[i],
                                                            micro_batch, parts_.settings.replicas);
      sum += static_cast<double>(parts_.results[i].weight) * counted[0];
    }
    return of_update * (sum * static_cast<double>(scale())) + penalty_;
  }

  const session_parts& parts_;
  region_set& memory_;
  list<float> losses_;
  double penalty_ = 0;  ///< of the weights, before the update at hand
  run_listener* heard_by_ = nullptr;
};

}  // namespace ipu_dsl
