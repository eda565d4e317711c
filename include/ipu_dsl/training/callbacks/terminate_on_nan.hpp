// SPDX-License-Identifier: MIT
// Ends training whose loss is no number any more.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include <ipu_dsl/training/hooks.hpp>

namespace ipu_dsl {

/// Ends training behind the first execution whose mean loss is NaN or infinite; with the default
/// `steps_per_execution` that is an epoch.
class terminate_on_nan {
 public:
  void on_train_begin() { epoch_.reset(); }

  stop_request on_train_batch_end(const execution_record& record) {
    if (std::isfinite(record.loss)) {
      return stop_request::no;
    }
    epoch_ = record.epoch;
    return stop_request::yes;
  }

  /// The epoch in which training was ended, counted from 0; none if it was not.
  std::optional<std::int32_t> stopped_epoch() const { return epoch_; }

 private:
  std::optional<std::int32_t> epoch_;
};

}  // namespace ipu_dsl
