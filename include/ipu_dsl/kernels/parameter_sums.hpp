// SPDX-License-Identifier: MIT
// Sums over a whole parameter by the rule of an optimizer, in an order that no vector's width
// changes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/update.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What a stage of an update reads of a parameter.
template <typename Rule>
struct summed_parameter {
  updated_parameter<Rule::kept> of;
  const float* gradient = nullptr;
};

/// Adds what one vector of a parameter, `element` behind its first, means for the sums of a stage.
template <typename Rule, int Stage, typename Vector>
IPU_DSL_ALWAYS_INLINE void add_vector(Vector* sums, const summed_parameter<Rule>& read,
                                      std::ptrdiff_t element,
                                      const typename Rule::numbers& numbers) {
  Vector kept[std::size_t{Rule::kept == 0 ? 1 : Rule::kept}];
  IPU_DSL_UNROLLED
  for (int i = 0; i < Rule::kept; ++i) {
    kept[i] = load<Vector>(read.of.kept[i] + element);
  }
  Rule::template add<Stage, arithmetic>(sums, load<Vector>(read.of.parameter + element), kept,
                                        load<Vector>(read.gradient + element), numbers);
}

/// The sums of a stage over a vector of columns, whose rows lie `stride` apart, from the first on:
/// of each column one chain in order of rows. `sums` is [sums][lanes].
template <typename Rule, int Stage, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void sum_columns(const summed_parameter<Rule>& read, std::int32_t rows,
                                   std::ptrdiff_t stride, const typename Rule::numbers& numbers,
                                   float* sums) noexcept {
  using lanes = vector<Architecture>;
  constexpr int count = Rule::sums.of_stage[Stage];
  const typename Rule::numbers of_update = numbers;
  lanes chains[std::size_t{count}];
  for (lanes& each : chains) {
    each = lanes(0.0F);
  }
  for (std::int32_t row = 0; row < rows; ++row) {
    add_vector<Rule, Stage>(chains, read, row * stride, of_update);
  }
  for (int i = 0; i < count; ++i) {
    store(sums + std::ptrdiff_t{i} * Architecture.lanes, chains[i]);
  }
}

inline constexpr std::int32_t chains_of_sum = 16;

/// The sums of a stage over `elements` numbers one behind the other, whole vectors of them: number
/// n is part of chain n % 16, and the chains are added in ascending order. `sums` is [sums].
template <typename Rule, int Stage, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void sum_elements(const summed_parameter<Rule>& read, std::int32_t elements,
                                    const typename Rule::numbers& numbers, float* sums) noexcept {
  using lanes = vector<Architecture>;
  constexpr int count = Rule::sums.of_stage[Stage];
  constexpr std::int32_t parts = chains_of_sum / Architecture.lanes;
  const typename Rule::numbers of_update = numbers;
  lanes chains[std::size_t{parts}][std::size_t{count}];
  for (auto& part : chains) {
    for (lanes& each : part) {
      each = lanes(0.0F);
    }
  }
  for (std::int32_t n = 0; n < elements; n += chains_of_sum) {
    for (std::int32_t part = 0; part < parts; ++part) {
      const std::int32_t at = n + part * Architecture.lanes;
      if (at < elements) {
        add_vector<Rule, Stage>(chains[part], read, at, of_update);
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    float chain[std::size_t{chains_of_sum}];
    for (std::int32_t part = 0; part < parts; ++part) {
      store(chain + part * Architecture.lanes, chains[part][i]);
    }
    sums[i] = 0.0F;
    for (const float each : chain) {
      sums[i] = sums[i] + each;
    }
  }
}

/// The sum of `count` numbers in float64: number n is part of chain n % 16, and the chains are
/// added in ascending order.
inline double fold_sums(const float* parts, std::int32_t count) noexcept {
  double chains[std::size_t{chains_of_sum}] = {};
  const std::int32_t whole = count / chains_of_sum * chains_of_sum;
  for (std::int32_t n = 0; n < whole; n += chains_of_sum) {
    for (std::int32_t chain = 0; chain < chains_of_sum; ++chain) {
      chains[chain] = chains[chain] + static_cast<double>(parts[n + chain]);
    }
  }
  for (std::int32_t n = whole; n < count; ++n) {
    chains[n - whole] = chains[n - whole] + static_cast<double>(parts[n]);
  }
  double sum = 0;
  for (const double each : chains) {
    sum = sum + each;
  }
  return sum;
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
