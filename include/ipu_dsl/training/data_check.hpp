// SPDX-License-Identifier: MIT
// Whether data fit a model, as far as their types say.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// The extents that are not 1: an image of one channel is an image.
constexpr shape without_unit_extents(const shape& extents) {
  shape kept;
  for (std::int32_t axis = 0; axis < extents.rank; ++axis) {
    if (extents[axis] != 1) {
      kept.extents[kept.rank] = extents[axis];
      ++kept.rank;
    }
  }
  return kept;
}

/// Samples must have the shape of the model's input, labels no more classes than the model scores.
constexpr problem check_data(const graph_view& model, const shape& sample, std::int32_t classes) {
  const shape& input = model.at(model.input).extents;
  problem found;
  if (!(without_unit_extents(sample) == without_unit_extents(input))) {
    found = refuse(label("samples of shape ") << describe(input), describe(sample),
                   "give the model's input the shape of the data");
    found.where = "the data";
  } else if (classes > model.at(model.output).extents.elements()) {
    found = refuse(label("labels of at most ") << model.at(model.output).extents.elements()
                                               << " classes, as many as the model scores",
                   label() << classes << " classes", "end the model in as many units as classes");
    found.where = "the data";
  }
  return found;
}

/// Training and evaluating take a loss.
constexpr problem check_loss(const graph_view& model) {
  if (model.target >= 0) {
    return {};
  }
  problem found = refuse("a model compiled with a loss", "one without, which can only predict",
                         "write loss<sparse_categorical_crossentropy> behind the model in compile");
  found.where = "fit and evaluate";
  return found;
}

/// A batch has one axis more than a sample.
constexpr problem check_rank(const graph_view& model, std::int32_t rank) {
  const shape& input = model.at(model.input).extents;
  if (rank == input.rank + 1) {
    return {};
  }
  problem found =
      refuse(label("a tensor of rank ") << input.rank + 1 << ": samples x " << describe(input),
             label("rank ") << rank, "the first axis counts the samples");
  found.where = "the batch";
  return found;
}

}  // namespace ipu_dsl
