// SPDX-License-Identifier: MIT
// Which steps of tensors there are: what a graph knows of masks.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// The mask of the inputs of a layer; -1: none has one.
constexpr std::int32_t mask_of(const graph& model, list_view<std::int32_t> inputs) {
  std::int32_t found = -1;
  for (const std::int32_t input : inputs) {
    found = model.tensors[input].mask >= 0 ? model.tensors[input].mask : found;
  }
  return found;
}

/// What is wrong with masks that a layer is to join.
constexpr problem check_join(const graph& model, const mask_join& join,
                             list_view<std::int32_t> inputs) {
  if (is_null(join.rule)) {
    return refuse("inputs with one mask", "two masks",
                  "mask before the ways part, or join behind the last states");
  }
  for (const std::int32_t input : inputs) {
    if (join.takes_steps && model.tensors[input].mask < 0) {
      return refuse("a mask of each input whose steps stand one behind the other",
                    "an input without one", "put Masking before all of them, or none");
    }
  }
  return {};
}

/// The inputs of whose steps a layer is told, or whose mask it hands on.
constexpr list_view<std::int32_t> masked_inputs(const family& rule, const attributes& options,
                                                list_view<std::int32_t> inputs) {
  const auto beside = static_cast<std::size_t>(rule.inputs_beside(options));
  const std::size_t sequences = inputs.size() > beside ? inputs.size() - beside : inputs.size();
  const std::size_t first = rule.reads_mask_of_others && sequences > 1 ? 1 : 0;
  return {inputs.data() + first, sequences - first};
}

/// Whether an input that only says something about others has a mask.
constexpr bool masks_beside(const graph& model, const family& rule, const attributes& options,
                            list_view<std::int32_t> inputs) {
  const auto beside = static_cast<std::size_t>(rule.inputs_beside(options));
  for (std::size_t i = inputs.size(); i > 0 && i + beside > inputs.size(); --i) {
    if (model.tensors[inputs[i - 1]].mask >= 0) {
      return true;
    }
  }
  return false;
}

/// Of tensors whose samples are steps the one whose sequence has a mask, otherwise the first.
constexpr std::int32_t masked_steps_of(const graph& model, list_view<std::int32_t> inputs) {
  for (const std::int32_t input : inputs) {
    const std::int32_t sequence = model.tensors[input].steps_of;
    if (sequence >= 0 && model.tensors[sequence].mask >= 0) {
      return input;
    }
  }
  return inputs[0];
}

/// What is wrong with steps of several sequences: behind it their mask is that of what is made of
/// them.
constexpr problem check_masks_of_steps(const graph& model, list_view<std::int32_t> inputs) {
  std::int32_t mask = -1;
  for (const std::int32_t input : inputs) {
    const std::int32_t sequence = model.tensors[input].steps_of;
    const std::int32_t other = sequence < 0 ? -1 : model.tensors[sequence].mask;
    if (mask >= 0 && other >= 0 && other != mask) {
      return refuse("sequences with one mask", "two masks",
                    "leave out the mask of all but one of them, or mask before the ways part");
    }
    mask = other < 0 ? mask : other;
  }
  return {};
}

/// What the newest node makes of steps has a mask, where it is of so many.
constexpr void pass_mask(graph& model, std::int32_t mask) {
  const node& newest = model.nodes.back();
  for (std::int32_t i = 0; mask >= 0 && i < newest.outputs; ++i) {
    tensor& made = model.tensors[model.view().output_of(newest, i)];
    const bool of_steps = made.extents.rank > 1 && !made.is_mask;
    made.mask = of_steps && made.extents[0] == model.tensors[mask].extents[0] ? mask : made.mask;
  }
}

}  // namespace ipu_dsl
