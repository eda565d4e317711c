// SPDX-License-Identifier: MIT
// ScaleByValue: samples times a number that the host gives before a run.
#pragma once

#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/rescaling.hpp>

namespace ipu_dsl {

namespace scale_by_value_rules {

constexpr problem shapes(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

constexpr void scale(emitter& emit, const buffer_ref& written, const buffer_ref& read) {
  const stored_rows lain = emit.rows_of(written);
  call_draft call = emit.call_of(
      rescaling_family, rescaling_call{.rows = lain.count, .units = lain.length, .of_bytes = 0});
  const auto [sample, element] = call.over(emit.batch(), read.extents.elements());
  call.scalar(emit.run_value(1))
      .scalar(0)
      .writes(written.flat(), {sample, element})
      .reads(read.flat(), {sample, element});
}

constexpr void forward(emitter& emit) {
  scale(emit, emit.output_value(0), emit.input_value(0));
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    scale(emit, emit.input_gradient(0), emit.output_gradient(0));
  }
}

}  // namespace scale_by_value_rules

inline constexpr family scale_by_value_family{
    .name = "ScaleByValue",
    .inputs = 2,
    .run_values = 1,
    .shapes = scale_by_value_rules::shapes,
    .forward = scale_by_value_rules::forward,
    .input_gradient = scale_by_value_rules::input_gradient,
    .one_step = each_step_alone,
    .reads = {storage::rows, storage::positions},
    .writes = {storage::rows, storage::positions},
    .passes_mask = true};

/// Every number of a tensor times a value of the run:
/// `build.layer<ScaleByValue>("", logits, build.value("sharpness", 1.0F))`.
struct ScaleByValue {
  static constexpr element description{.kind = element_kind::layer, .rule = &scale_by_value_family};
};

}  // namespace ipu_dsl
