// SPDX-License-Identifier: MIT
// Sums and gradients of losses and metrics that judge the numbers of a sample together, by any
// rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/arithmetic.hpp>
#include <ipu_dsl/kernels/row_sum.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What a row adds, whose slopes have been written: what a loss makes of it. There is no other way
/// to make one, so that no loss forgets them.
class loss_of_row {
 public:
  constexpr operator float() const { return value_; }

 private:
  template <bool, layout::architecture>
  friend struct judged_row;

  explicit constexpr loss_of_row(float value) : value_(value) {}

  float value_;
};

/// A sample's numbers and what is wanted of them, as a rule sees them: see `no_row_rule`.
template <bool WithGradient, layout::architecture Architecture>
struct judged_row {
  using math = arithmetic;

  const float* predicted;  ///< [row_stride(units)]
  const float* wanted;     ///< [units], null if there is a label
  std::int32_t label;
  std::int32_t units;
  bool padded;      ///< what is wanted is padded as the rest is
  float scale;      ///< of the gradient
  float* gradient;  ///< [row_stride(units)], may be `predicted`

  template <typename Add>
  IPU_DSL_ALWAYS_INLINE float sum(const Add& add) const noexcept {
    return row_sum<Architecture>(predicted, wanted, units, add);
  }

  /// Of numbers, whose order cannot matter, so that vectors may be used.
  template <typename Value>
  IPU_DSL_ALWAYS_INLINE float largest(const Value& value) const noexcept {
    using lanes = vector<Architecture>;
    float found = value(predicted[0], wanted[0]);
    std::int32_t n = 0;
    if (units >= Architecture.lanes) {
      lanes largest_lanes = value(load<lanes>(predicted), load<lanes>(wanted));
      for (n = Architecture.lanes; n + Architecture.lanes <= units; n += Architecture.lanes) {
        const lanes next = value(load<lanes>(predicted + n), load<lanes>(wanted + n));
        largest_lanes = maximum(largest_lanes, next);
      }
      float elements[std::size_t{Architecture.lanes}];
      store(elements, largest_lanes);
      for (const float element : elements) {
        found = maximum(found, element);
      }
    }
    for (; n < units; ++n) {
      found = maximum(found, value(predicted[n], wanted[n]));
    }
    return found;
  }

  /// What is wanted from number `n` on, zero behind the row.
  IPU_DSL_ALWAYS_INLINE vector<Architecture> wanted_from(std::int32_t n) const noexcept {
    using lanes = vector<Architecture>;
    if (padded || n + Architecture.lanes <= units) {
      return load<lanes>(wanted + n);
    }
    float rest[std::size_t{Architecture.lanes}] = {};
    for (std::int32_t i = 0; n + i < units; ++i) {
      rest[i] = wanted[n + i];
    }
    return load<lanes>(rest);
  }

  /// What the row adds. Writes the gradient of it, if one is wanted; padding stays zero.
  template <typename Slope>
  IPU_DSL_ALWAYS_INLINE loss_of_row loss(float value, const Slope& slope) const noexcept {
    if constexpr (WithGradient) {
      using lanes = vector<Architecture>;
      for (std::int32_t n = 0; n < units; n += Architecture.lanes) {
        const lanes slopes = slope(load<lanes>(predicted + n), wanted_from(n));
        store(gradient + n, slopes * lanes(scale));
      }
      clear_padding(gradient, units, layout::row_stride(units, Architecture));
    }
    return loss_of_row(value);
  }
};

/// The sum over the first `valid` samples of what `Rule` says of each, in float64, sample after
/// sample; if `WithGradient`, also `scale` times the gradient of that by `predicted`.
///   predicted  [batch][row_stride(units)]
///   wanted     [batch][wanted_stride], of which `units` are read, or [batch] numbers of classes
///   gradient   the same, zero from sample `valid` on; may be `predicted`
template <auto Rule, bool WithGradient, layout::architecture Architecture = layout::native,
          typename Wanted>
[[gnu::noinline]] double rowwise_sum(const float* predicted, const Wanted* wanted,
                                     std::int32_t wanted_stride, std::int32_t batch,
                                     std::int32_t units, std::int32_t valid, float scale,
                                     float* gradient) noexcept {
  const std::int32_t stride = layout::row_stride(units, Architecture);
  double sum = 0;
  for (std::ptrdiff_t b = 0; b < valid; ++b) {
    judged_row<WithGradient, Architecture> row{.predicted = predicted + b * stride,
                                               .wanted = nullptr,
                                               .label = 0,
                                               .units = units,
                                               .padded = wanted_stride == stride,
                                               .scale = scale,
                                               .gradient = nullptr};
    if constexpr (std::is_same_v<Wanted, float>) {
      row.wanted = wanted + b * wanted_stride;
    } else {
      row.label = wanted[b * wanted_stride];
    }
    if constexpr (WithGradient) {
      row.gradient = gradient + b * stride;
    }
    const float added = Rule.judge(row);
    sum = sum + static_cast<double>(added);
  }
  if constexpr (WithGradient) {
    clear_rows(gradient, valid, batch, stride);
  }
  return sum;
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
