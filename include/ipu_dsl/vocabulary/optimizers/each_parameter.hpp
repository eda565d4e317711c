// SPDX-License-Identifier: MIT
// The calls of an optimizer that updates every parameter for itself.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/parameter_sums.hpp>

namespace ipu_dsl {

/// What a stage of the optimizer sums up over parameter `i`, as [sums, blocks, columns].
constexpr buffer_ref sums_of_parameter(const emitter& emit, std::int32_t i, std::int32_t stage) {
  const tensor& parameter = emit.parameter(i);
  const sum_blocks cut = sum_blocks_of({parameter.lies, parameter.extents});
  return emit.parameter_sums(i, stage,
                             {emit.optimizer().sums.of_stage[stage], cut.blocks, cut.columns});
}

/// A call that sums up for a stage of the optimizer.
constexpr void sum_over_parameter(emitter& emit, std::int32_t i, std::int32_t stage) {
  const family& optimizer = emit.optimizer();
  const tensor& parameter = emit.parameter(i);
  const parameter_extents whole{parameter.lies, parameter.extents};
  const sum_blocks cut = sum_blocks_of(whole);
  call_draft call = emit.call_of(parameter_sum_family, parameter_sum_call{stage, whole});
  call.ends_with(&optimizer);
  const axis_id block = call.over(cut.blocks);
  const axis_id column = call.over(cut.columns);
  const axis_id row = call.all(cut.rows_of_block);
  const axis_id sum = call.all(optimizer.sums.of_stage[stage]);
  const auto read = [&](const buffer_ref& named) {
    call.reads(named.as({cut.rows, cut.columns}),
               {window(block, row, cut.rows_of_block, 1, 0), column});
  };
  call.writes(sums_of_parameter(emit, i, stage), {sum, block, column});
  read(emit.parameter_value(i));
  for (std::int32_t slot = 0; slot < optimizer.kept.count(); ++slot) {
    read(emit.optimizer_slot(i, slot));
  }
  read(emit.accumulator(i));
  for (std::int32_t before = 0; before < stage; ++before) {
    call.reads(sums_of_parameter(emit, i, before));
  }
}

/// For each parameter that the node at hand updates a call for each stage of the optimizer, then
/// one that updates the parameter and what is kept of it, and reads the gradient and the sums.
constexpr void update_each_parameter(emitter& emit) {
  const family& optimizer = emit.optimizer();
  for (std::int32_t i = 0; i < emit.parameters(); ++i) {
    if (!emit.updates(i)) {
      continue;
    }
    for (std::int32_t stage = 0; stage < optimizer.sums.stages(); ++stage) {
      sum_over_parameter(emit, i, stage);
    }
    const tensor& parameter = emit.parameter(i);
    call_draft call = emit.call_of(optimizer, parameter_extents{parameter.lies, parameter.extents});
    const axis_id element = call.over(parameter.extents.elements());
    call.updates(emit.parameter_value(i).flat(), {element});
    for (std::int32_t slot = 0; slot < optimizer.kept.count(); ++slot) {
      call.updates(emit.optimizer_slot(i, slot).flat(), {element});
    }
    call.reads(emit.accumulator(i).flat(), {element});
    for (std::int32_t stage = 0; stage < optimizer.sums.stages(); ++stage) {
      call.reads(sums_of_parameter(emit, i, stage));
    }
  }
}

}  // namespace ipu_dsl
