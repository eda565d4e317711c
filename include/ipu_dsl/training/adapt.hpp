// SPDX-License-Identifier: MIT
// Mean and variance of data, for the Normalization that reads them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/runtime/parameters.hpp>

namespace ipu_dsl {

/// Takes the mean and the variance (that of the population, over samples and all axes but the last)
/// of `numbers` for those of the Normalization with this name, as Keras's `adapt`: samples of its
/// input one behind the other, in one piece. Sums are of float64.
/// Throws `error` if there is no such layer, or the numbers are none, not finite or no whole rows
/// of features; nothing is changed then.
inline void adapt(parameters& weights, std::string_view layer, std::span<const float> numbers) {
  const std::size_t mean = weights.find(layer, "mean");
  const std::size_t variance = weights.find(layer, "variance");
  const auto features = static_cast<std::size_t>(weights.at(mean).extents.elements());
  if (numbers.empty() || numbers.size() % features != 0) {
    raise_error({"adapt takes rows of ", features, " features, at least one, got ", numbers.size(),
                 " numbers."});
  }
  list<double> sums(features);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (is_non_finite(numbers[i])) {
      raise_error({"adapt takes finite numbers, got another at place ", i, "."});
    }
    sums[i % features] += static_cast<double>(numbers[i]);
  }
  const auto rows = static_cast<double>(numbers.size() / features);
  list<double> squares(features);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double from_mean = static_cast<double>(numbers[i]) - sums[i % features] / rows;
    squares[i % features] += from_mean * from_mean;
  }
  list<float> means(features);
  list<float> variances(features);
  for (std::size_t i = 0; i < features; ++i) {
    means[i] = static_cast<float>(sums[i] / rows);
    variances[i] = static_cast<float>(squares[i] / rows);
    if (is_non_finite(variances[i])) {
      raise_error(
          {"The variance of feature ", i, " is beyond float; adapt takes smaller numbers."});
    }
  }
  weights.set(mean, {means.data(), means.size()});
  weights.set(variance, {variances.data(), variances.size()});
}

}  // namespace ipu_dsl
