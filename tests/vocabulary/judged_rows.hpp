// SPDX-License-Identifier: MIT
// Rows of an output with what is wanted of them, for tests of losses and metrics: random ones, and
// those at the edges. A model whose output is its input is judged by them.
#pragma once

#include <cstddef>
#include <vector>

#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/reference/numbers.hpp"
#include "support/reference/row_losses.hpp"

namespace ipu_dsl::tests {

/// More than the sixteen chains of a sum, and no multiple of any vector.
inline constexpr int judged_units = 19;
inline constexpr std::size_t judged_samples = 37;
inline constexpr std::size_t judged_numbers = judged_samples * std::size_t{judged_units};

using judged_pairs = paired_dataset<shape{judged_units}, shape{judged_units}>;

struct output_is_input : model<input<judged_units>, sequential<linear>> {};

/// The last micro-batch of an evaluation is not full.
template <typename Loss, typename... Metrics>
struct judging : compile<output_is_input, micro_batch<8>, Loss, metrics<Metrics...>> {};

/// Random numbers of which every third is one of `edges`.
inline std::vector<float> numbers_with(std::uint64_t seed, float lowest, float highest,
                                       const std::vector<float>& edges) {
  std::vector<float> made = reference::numbers(judged_numbers, seed, 0.5F * (highest - lowest));
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] += 0.5F * (highest + lowest);
    if (i % 3 == 1) {
      made[i] = edges[i / 3 % edges.size()];
    }
  }
  return made;
}

/// One 1 in every row.
inline std::vector<float> one_hot_rows() {
  std::vector<float> made(judged_numbers);
  for (std::size_t sample = 0; sample < judged_samples; ++sample) {
    made[sample * std::size_t{judged_units} + sample * 7 % std::size_t{judged_units}] = 1;
  }
  return made;
}

/// What a loss of one sample says of all, in float64: its mean, and the mean of its size.
struct exact_mean {
  double value = 0;
  double size = 0;
};

using row_loss = double (*)(reference::numbers_of_row, reference::numbers_of_row);

inline exact_mean mean_of(row_loss loss, const judged_pairs& data) {
  const std::vector<double> predicted(data.features().begin(), data.features().end());
  const std::vector<double> wanted(data.targets().begin(), data.targets().end());
  exact_mean found;
  for (std::size_t sample = 0; sample < judged_samples; ++sample) {
    const std::size_t first = sample * std::size_t{judged_units};
    const double said = loss({predicted.data() + first, std::size_t{judged_units}},
                             {wanted.data() + first, std::size_t{judged_units}});
    found.value += said / static_cast<double>(judged_samples);
    found.size += std::abs(said) / static_cast<double>(judged_samples);
  }
  return found;
}

}  // namespace ipu_dsl::tests
