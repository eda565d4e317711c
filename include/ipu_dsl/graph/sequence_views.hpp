// SPDX-License-Identifier: MIT
// What stands around layers at every step of a sequence: its steps as samples, and back.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

namespace sequence_views {

constexpr problem split(node_draft& draft) {
  const shape sequence = draft.input(0);
  if (sequence.rank < 2) {
    return refuse_without_steps("a sequence, (steps, features) or more", describe(sequence));
  }
  shape step;
  step.rank = sequence.rank - 1;
  for (std::int32_t axis = 0; axis < step.rank; ++axis) {
    step.extents[axis] = sequence[axis + 1];
  }
  draft.view(0, step);
  return {};
}

constexpr problem join(node_draft& draft) {
  const shape step = draft.input(0);
  const std::int32_t steps = draft.steps_behind(0);
  if (steps == 0) {
    return refuse("samples that are the steps of a sequence", "those of the model",
                  "TimeDistributed<...> puts it behind its layer");
  }
  if (step.rank < 1 || step.rank == shape::max_rank) {
    return refuse(label("between 1 and ") << shape::max_rank - 1 << " extents at every step",
                  describe(step));
  }
  shape sequence;
  sequence.rank = step.rank + 1;
  sequence.extents[0] = steps;
  for (std::int32_t axis = 0; axis < step.rank; ++axis) {
    sequence.extents[axis + 1] = step[axis];
  }
  draft.view(0, sequence);
  return {};
}

}  // namespace sequence_views

/// The steps of a sequence, (steps, features), as samples of their own, (features). Moves nothing.
inline constexpr family steps_as_samples_family{.name = "TimeDistributed",
                                                .reads_integers = true,
                                                .shapes = sequence_views::split,
                                                .one_step = each_step_alone,
                                                .reads = {storage::positions},
                                                .writes = {storage::positions},
                                                .sees = sequence_view::steps_as_samples,
                                                .keeps_bounds = true};

/// Back: samples that are steps as the sequence of these. Moves nothing.
inline constexpr family samples_as_steps_family{.name = "TimeDistributed",
                                                .shapes = sequence_views::join,
                                                .one_step = each_step_alone,
                                                .reads = {storage::positions},
                                                .writes = {storage::positions},
                                                .sees = sequence_view::samples_as_steps,
                                                .keeps_bounds = true};

inline constexpr element steps_as_samples{.kind = element_kind::layer,
                                          .rule = &steps_as_samples_family};

}  // namespace ipu_dsl
