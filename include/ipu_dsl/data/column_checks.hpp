// SPDX-License-Identifier: MIT
// What numbers of data may be: weights that count, indices that lie in their range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/non_finite.hpp>

namespace ipu_dsl::datasets {

/// Throws `error` for the first weight that is negative, or not finite as no loss would be then.
inline void check_weights(std::span<const float> weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (is_non_finite(weights[i]) || weights[i] < 0.0F) {
      raise_error({"Weight ", i, " is ", std::to_string(weights[i]),
                   "; expected finite numbers of 0 or more."});
    }
  }
}

/// Throws `error` if one of the columns of a table is asked for twice.
inline void check_distinct(std::span<const std::string_view> columns, std::string_view table) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      if (columns[i] == columns[before]) {
        raise_error({table, " is asked for its column \"", columns[i], "\" twice in one array."});
      }
    }
  }
}

/// Throws `error` for the first of `numbers` that lies outside [0, below). `what` they are and
/// `where` they stand is part of the sentence: "Label 3 of array 1 is 10; expected 0 to 9."
inline void check_integers(std::span<const std::int32_t> numbers, std::int32_t below,
                           std::string_view what, std::string_view where = "of a column") {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= below) {
      raise_error(
          {what, " ", i, " ", where, " is ", numbers[i], "; expected 0 to ", below - 1, "."});
    }
  }
}

}  // namespace ipu_dsl::datasets
