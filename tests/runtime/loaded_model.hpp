// SPDX-License-Identifier: MIT
// What a session is made of, without its walls: for tests that look at slots or change a plan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/runtime/executor.hpp>
#include <ipu_dsl/runtime/worker_pool.hpp>
#include <ipu_dsl/training/result_sums.hpp>
#include <ipu_dsl/training/session.hpp>

#include "support/labelled_points.hpp"

namespace ipu_dsl::tests {

/// The memory, the weights and the feed of a compiled model, its training program still to be
/// chosen.
template <compiled_model C>
class loaded_model {
 public:
  loaded_model(const point_set& data, int threads)
      : loaded_model(data, threads, parts_of<typename C::compiled>().train.plan, {}) {}

  /// With another plan for the same calls, whose edges and slots say what its actions wait for.
  loaded_model(const point_set& data, int threads, const program_plan_view& plan)
      : loaded_model(data, threads, plan, {waits_of(plan), order_of(plan)}) {}

 private:
  /// Of a changed plan; empty for the compiler's own.
  struct changed_order {
    wait_list awaited;
    list<int> order;
  };

  loaded_model(const point_set& data, int threads, const program_plan_view& plan,
               const changed_order& changed)
      : memory(std::vector<program_plan_view>{plan}),
        weights(parts.places, memory),
        workers(threads),
        train(in_order(plan, changed), parts.train.functions(), memory, workers),
        source_(make_feed(data | repeated(), 1)),
        losses_(static_cast<std::size_t>(plan.actions.micro_batches)),
        valid_(losses_.size()) {
    weights.initialize(1);
  }

  static program_plan_view in_order(program_plan_view plan, const changed_order& changed) {
    if (!changed.order.empty()) {
      plan.first_wait = changed.awaited.begin;
      plan.waits = changed.awaited.waits;
      plan.order = changed.order;
    }
    return plan;
  }

 public:
  /// One update. Returns the loss of every micro-batch.
  const std::vector<float>& update() {
    feed_reference source(source_);
    run_context context;
    context.training = true;
    context.micro_batch_size = static_cast<std::uint32_t>(parts.settings.micro_batch);
    context.loss_scale = 1.0F / static_cast<float>(parts.settings.micro_batch);
    context.optimizer = rates_.data();
    context.feed = &source;
    context.valid = valid_.data();
    train.run(context);
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      const double* const counted =
          result_sums::counted_in(memory, parts.train.results[0], static_cast<int>(i), 1);
      losses_[i] = static_cast<float>(counted[0] * static_cast<double>(context.loss_scale));
    }
    return losses_;
  }

  session_parts parts = parts_of<typename C::compiled>();
  region_set memory;
  parameters weights;
  worker_pool workers;
  executor train;

 private:
  dataset_feed<point_set> source_;
  std::array<float, most_optimizer_numbers> rates_{0.05F, 0.9F};
  std::vector<float> losses_;
  std::vector<std::int32_t> valid_;
};

/// The edge of the labels: poisoned they are indices out of range, which no test should follow.
inline std::size_t edge_of_labels(const program_plan_view& plan) {
  for (std::size_t i = 0; i < plan.calls.size(); ++i) {
    const call& row = plan.calls[i];
    const auto kernel = static_cast<std::size_t>(plan.code_of_call[i]);
    if (plan.codes[kernel].transfer == transfer_kind::infeed) {
      const auto entry = static_cast<std::size_t>(row.first_operand) + 1;
      const auto buffer = static_cast<std::size_t>(plan.operands[entry]);
      return static_cast<std::size_t>(plan.placements[buffer].edge);
    }
  }
  return plan.edges.size();
}

}  // namespace ipu_dsl::tests
