// SPDX-License-Identifier: MIT
// What an execution table is made of: actions, and their calls on real memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/operators/run_context.hpp>
#include <ipu_dsl/schedule/action.hpp>

namespace ipu_dsl {

/// An operand on real memory. Of an edge it is the copy in the slot of the micro-batch, otherwise
/// the micro-batch's own copy, or the only one.
struct resolved_operand {
  std::byte* base = nullptr;
  std::int64_t copy_bytes = 0;
  std::int32_t edge = -1;
};

/// A call with its code; its operands stand one after the other in the table.
struct resolved_call {
  static constexpr std::int32_t of_its_step = -1;

  kernel_function run = nullptr;
  const float* scalars = nullptr;
  std::uint64_t stream = 0;
  float loss_weight = 1;
  std::int32_t first_operand = 0;
  std::int32_t operands = 0;
  std::int32_t number = 0;                 ///< in the plan
  std::int32_t micro_batch = of_its_step;  ///< of the run: the one whose contribution is folded
  std::int32_t samples = 1;
  std::int32_t steps = 1;
  bool in_grains = false;
  bool too_small = false;  ///< too little for the workers of a device to share
  bool reads_all_parts = false;
  bool feeds = false;  ///< takes the next rows from the feed
};

/// One action of a worker: wait, call, count.
struct execution_step {
  action what = {};
  std::int32_t device = 0;  ///< replica x devices + device
  std::int32_t replica = 0;
  std::int32_t order = 0;    ///< place among those of its stage that do the same work
  bool completes = false;    ///< the last that adds to the gradients of its stage
  bool shared = false;       ///< all replicas do a part of it
  std::int32_t counter = 0;  ///< the one that counts it
  std::int32_t first_wait = 0;
  std::int32_t last_wait = 0;
  std::int32_t first_call = 0;
  std::int32_t last_call = 0;
  std::int32_t first_freed = 0;
  std::int32_t last_freed = 0;
  std::int32_t first_taken = 0;
  std::int32_t last_taken = 0;
};

/// Tells the context of a step what is true of one of its calls; `loss_scale` is that of the run.
inline void tell(run_context& context, const resolved_call& row, float loss_scale) {
  context.stream = row.stream;
  context.samples = row.samples;
  context.loss_scale = loss_scale * row.loss_weight;
  if (row.micro_batch != resolved_call::of_its_step) {
    context.micro_batch = row.micro_batch;
  }
}

/// Tells `local`, a copy of the context of the run, what is true of a step. The feed deals its
/// micro-batches to the replicas in turn.
inline void tell(run_context& local, const execution_step& step, int replicas) {
  local.micro_batch = step.what.micro_batch * replicas + step.replica;
  local.continues = step.order > 0;
  local.completes = step.completes;
  local.first_sample += static_cast<std::uint64_t>(local.micro_batch) * local.micro_batch_size;
}

}  // namespace ipu_dsl
