// SPDX-License-Identifier: MIT
// From what a loss or a metric counted to the number that is reported.
#pragma once

#include <span>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Makes the number that is reported from the sums over micro-batches of what a loss or a metric
/// counted.
using final_value_function = double (*)(std::span<const double> sums);

/// The same of a metric that reports several numbers, for which there is room.
using final_values_function = void (*)(std::span<const double> sums, double* reported);

/// The mean, of {sum, samples}; 0 of nothing, as Keras has it of samples that all weigh 0.
inline double mean_of(std::span<const double> sums) {
  return sums[1] == 0 ? 0 : sums[0] / sums[1];
}

}  // namespace ipu_dsl
