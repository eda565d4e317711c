// SPDX-License-Identifier: MIT
// The numbers of an epoch, one after the other.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <ipu_dsl/plan/reported_names.hpp>
#include <ipu_dsl/training/history.hpp>

namespace ipu_dsl {

/// Calls `take(prefix, name, numbers)` for the loss and each metric of an epoch, then with the
/// prefix "val_" for those of its validation, if it was validated. Most have one number.
template <typename Take>
void for_each_number(const epoch_record& record, const Take& take) {
  const auto each = [&take](std::string_view prefix, const double& loss,
                            const metric_values& metrics) {
    take(prefix, std::string_view("loss"), std::span<const double>(&loss, 1));
    for (const std::string_view name : metrics.names()) {
      take(prefix, name, metrics.numbers(name));
    }
  };
  each("", record.loss, record.metrics);
  if (record.validation.samples > 0) {
    each(validation_prefix, record.validation.loss, record.validation.metrics);
  }
}

}  // namespace ipu_dsl
