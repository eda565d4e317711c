// SPDX-License-Identifier: MIT
// Whether a trace is the program that was proven: row by row, and in time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ipu_dsl/plan/program_plan.hpp>
#include <ipu_dsl/runtime/trace.hpp>

#include "support/catch2.hpp"

namespace ipu_dsl::tests {

/// What a device did, in the order of its worker.
inline std::vector<traced_action> records_of_device(const trace& recorded, int device) {
  std::vector<traced_action> done;
  for (int worker = 0; worker < recorded.workers(); ++worker) {
    for (const traced_action& record : recorded.of(worker)) {
      if (record.device == device) {
        done.push_back(record);
      }
    }
  }
  return done;
}

/// The trace of every device is its row, action by action, on the worker that it belongs to.
/// Returns how many actions were compared.
inline int check_rows(const program_view& rows, const trace& recorded) {
  int compared = 0;
  for (int device = 0; device < rows.devices; ++device) {
    const std::vector<traced_action> done = records_of_device(recorded, device);
    const std::span<const action> row = rows.row(device);
    REQUIRE(done.size() == row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      CHECK(done[i].what == row[i]);
      CHECK(done[i].worker == device * recorded.workers() / rows.devices);
      ++compared;
    }
  }
  return compared;
}

/// With a worker for each device, the two actions of a step are neighbours of a trace. (A worker of
/// several devices may do what others do in between.) Returns how many such steps there are.
inline int check_joined(const program_view& rows, const trace& recorded) {
  int compared = 0;
  for (int worker = 0; worker < recorded.workers() && recorded.workers() == rows.devices;
       ++worker) {
    const std::span<const traced_action> done = recorded.of(worker);
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (done[i].what.joined) {
        REQUIRE(i + 1 < done.size());
        CHECK(done[i + 1].what.kind != done[i].what.kind);
        CHECK(done[i + 1].start >= done[i].end);
        ++compared;
      }
    }
  }
  return compared;
}

/// A worker does one thing at a time. Returns how many things were done.
inline int check_workers(const trace& recorded) {
  int compared = 0;
  for (int worker = 0; worker < recorded.workers(); ++worker) {
    std::int64_t before = 0;
    for (const traced_action& record : recorded.of(worker)) {
      CHECK(record.start >= before);
      CHECK(record.end >= record.start);
      before = record.end;
      ++compared;
    }
  }
  return compared;
}

/// When the work of a run began and ended. A whole backward is found as either half too.
class run_times {
 public:
  run_times(const program_view& rows, const trace& recorded)
      : micro_batches_(rows.micro_batches),
        of_(static_cast<std::size_t>(rows.stages * action_kinds * rows.micro_batches)) {
    for (int worker = 0; worker < recorded.workers(); ++worker) {
      for (const traced_action& record : recorded.of(worker)) {
        const action& what = record.what;
        of_[index_of(what.stage, what.kind, what.micro_batch)] = record;
        if (what.kind == action_kind::backward) {
          of_[index_of(what.stage, action_kind::input_gradient, what.micro_batch)] = record;
          of_[index_of(what.stage, action_kind::weight_gradient, what.micro_batch)] = record;
        }
      }
    }
  }

  const traced_action& of(const step& which, int micro_batch) const {
    return of_[index_of(which.stage, which.kind, micro_batch)];
  }

 private:
  std::size_t index_of(int stage, action_kind kind, int micro_batch) const {
    const int row = stage * action_kinds + static_cast<int>(kind);
    return static_cast<std::size_t>(row * micro_batches_ + micro_batch);
  }

  int micro_batches_;
  std::vector<traced_action> of_;
};

/// The micro-batches in the order in which an edge is written.
inline std::vector<int> writes_of(const program_view& rows, const step& writer) {
  const bool half =
      writer.kind == action_kind::input_gradient || writer.kind == action_kind::weight_gradient;
  std::vector<int> order;
  for (const action& what : rows.actions) {
    const bool does = what.kind == writer.kind || (half && what.kind == action_kind::backward);
    if (what.stage == writer.stage && does) {
      order.push_back(what.micro_batch);
    }
  }
  return order;
}

/// No reader of an edge starts before its writer ends, and no writer before the readers of its
/// slot's last tenant have ended. An action that is both is in order with itself. Returns how many
/// pairs were compared.
inline int check_edges(const program_plan_view& plan, const run_times& times) {
  int compared = 0;
  for (std::size_t i = 0; i < plan.edges.size(); ++i) {
    const edge& link = plan.edges[i];
    const std::vector<int> writes = writes_of(plan.actions, link.writer);
    REQUIRE(writes.size() == static_cast<std::size_t>(plan.actions.micro_batches));
    const auto depth = static_cast<std::size_t>(plan.slots[i]);
    for (std::size_t write = 0; write < writes.size(); ++write) {
      const traced_action& writer = times.of(link.writer, writes[write]);
      for (const step& read : plan.readers_of(link)) {
        const traced_action& reader = times.of(read, writes[write]);
        CHECK((reader.what == writer.what || reader.start >= writer.end));
        ++compared;
        if (write >= depth) {
          CHECK(writer.start >= times.of(read, writes[write - depth]).end);
          ++compared;
        }
      }
    }
  }
  return compared;
}

/// Whether a stage has anything to do in the backward pass: before all that learns it has not.
inline bool goes_backward(const program_plan_view& plan, int stage) {
  return plan.first_call[action_entry(stage, action_kind::backward)] <
         plan.first_call[last_call_entry(stage, action_kind::backward)];
}

/// The order of the work itself, for models in which every stage reads the one before it: forwards
/// from stage to stage, input gradients back, a weight gradient behind its input gradient, the
/// update behind all of its stage. Returns how many pairs were compared.
inline int check_chain(const program_plan_view& plan, const run_times& times) {
  int compared = 0;
  for (int stage = 0; stage < plan.actions.stages; ++stage) {
    const traced_action& update = times.of({stage, action_kind::update}, 0);
    for (int i = 0; i < plan.actions.micro_batches; ++i) {
      const traced_action& forward = times.of({stage, action_kind::forward}, i);
      const traced_action& input = times.of({stage, action_kind::input_gradient}, i);
      const traced_action& weights = times.of({stage, action_kind::weight_gradient}, i);
      CHECK(input.start >= forward.end);
      CHECK((weights.what == input.what || weights.start >= input.end));
      CHECK(update.start >= weights.end);
      compared += 3;
      if (stage > 0) {
        CHECK(forward.start >= times.of({stage - 1, action_kind::forward}, i).end);
        ++compared;
      }
      if (stage > 0 && goes_backward(plan, stage - 1)) {
        CHECK(times.of({stage - 1, action_kind::input_gradient}, i).start >= input.end);
        ++compared;
      }
    }
  }
  return compared;
}

}  // namespace ipu_dsl::tests
