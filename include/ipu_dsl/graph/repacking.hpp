// SPDX-License-Identifier: MIT
// Where one node writes positions and another reads rows: calls between them, as nodes.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

namespace repacking {

constexpr problem shapes(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

/// Appends the call that writes what it reads with other padding, in rows or from them.
constexpr void repack(emitter& emit, const buffer_ref& written, const buffer_ref& read) {
  const shape& extents = read.extents;
  const std::int32_t features = extents[extents.rank - 1];
  const auto elements = static_cast<std::int32_t>(extents.elements());
  call_draft call =
      emit.call_of(repack_family, repack_call{.batch = emit.batch(),
                                              .positions = elements / features,
                                              .features = features,
                                              .to_rows = written.lies == storage::rows ? 1 : 0});
  const auto [sample, element] = call.over(emit.batch(), elements);
  call.writes(written.flat(), {sample, element}).reads(read.flat(), {sample, element});
}

constexpr void forward(emitter& emit) {
  repack(emit, emit.output_value(0), emit.input_value(0));
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    repack(emit, emit.input_gradient(0), emit.output_gradient(0));
  }
}

}  // namespace repacking

/// The same elements in rows.
inline constexpr family to_rows_family{.name = "to rows",
                                       .shapes = repacking::shapes,
                                       .forward = repacking::forward,
                                       .input_gradient = repacking::input_gradient,
                                       .one_step = each_step_alone,
                                       .reads = {storage::positions},
                                       .writes = {storage::rows},
                                       .lays_out = true};

/// The same elements in positions.
inline constexpr family to_positions_family{.name = "to positions",
                                            .shapes = repacking::shapes,
                                            .forward = repacking::forward,
                                            .input_gradient = repacking::input_gradient,
                                            .one_step = each_step_alone,
                                            .reads = {storage::rows},
                                            .writes = {storage::positions},
                                            .lays_out = true};

}  // namespace ipu_dsl
