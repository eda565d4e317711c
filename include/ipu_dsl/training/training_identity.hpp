// SPDX-License-Identifier: MIT
// What tells a training from another one whose arrays have the same names and shapes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/hash.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// What the numbers of a training follow from, beside its arrays, its seed and its data: not where
/// and in which order it is computed.
struct training_identity {
  std::string_view optimizer;  ///< what its family is called; none without a loss
  std::uint64_t model = 0;     ///< see `number_of_model`
  std::int64_t samples_of_update = 0;
};

/// The words up to the last one that is not zero.
constexpr void take_options(fnv_1a& hash, const attributes& options) {
  std::size_t used = attributes::capacity;
  while (used > 0 && options.words[used - 1] == 0) {
    --used;
  }
  for (std::size_t i = 0; i < used; ++i) {
    hash.take(static_cast<std::uint32_t>(options.words[i]));
  }
}

/// FNV-1a over what a model's layers and losses are, which tensors they read, and whether an update
/// takes the mean of gradients or their sum. Metrics, which change nothing, stages and names are
/// left out.
constexpr std::uint64_t number_of_model(const graph_view& model, bool mean_gradients) {
  fnv_1a hash;
  hash.take(mean_gradients ? 1U : 0U);
  for (const node& each : model.nodes) {
    if (each.purpose == node_purpose::metric) {
      continue;
    }
    hash.take(each.rule->name);
    take_options(hash, each.options);
    hash.take(static_cast<std::uint32_t>(each.purpose));
    hash.take(std::bit_cast<std::uint32_t>(each.weight));
    hash.take(each.frozen ? 1U : 0U);
    const std::int32_t operands = each.inputs + each.outputs + each.parameters;
    for (std::int32_t i = 0; i < operands; ++i) {
      hash.take(static_cast<std::uint32_t>(model.operands[each.first_operand + i]));
    }
  }
  return hash.value;
}

}  // namespace ipu_dsl
