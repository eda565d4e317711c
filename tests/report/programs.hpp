// SPDX-License-Identifier: MIT
// Small programs that have everything a picture must show.
#pragma once

#include <string_view>

#include <ipu_dsl/report/drawn_timeline.hpp>
#include <ipu_dsl/schedule/program.hpp>
#include <ipu_dsl/schedule/stage_graph.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

namespace ipu_dsl::tests {

/// Backwards in halves on two devices in a V, three micro-batches: device 0 has stages 0 and 3,
/// device 1 has 1 and 2. `joined` makes one step of a forward and the input gradient behind it.
inline program split_program(bool joined) {
  program rows(2, snake_placement(2, 4), 3);
  for (int device = 0; device < 2; ++device) {
    const int first = device;
    const int second = 3 - device;
    for (int i = 0; i < 3; ++i) {
      rows.put(action_kind::forward, first, i);
    }
    for (int i = 0; i < 3; ++i) {
      rows.put(action_kind::forward, second, i);
      rows.put(action_kind::input_gradient, second, i);
      if (joined && i < 2) {
        rows.put_joined(action_kind::weight_gradient, second, i);
      } else {
        rows.put(action_kind::weight_gradient, second, i);
      }
    }
    for (int i = 0; i < 3; ++i) {
      rows.put(action_kind::input_gradient, first, i);
    }
    for (int i = 0; i < 3; ++i) {
      rows.put(action_kind::weight_gradient, first, i);
    }
    rows.put(action_kind::update, first, 0);
    rows.put(action_kind::update, second, 0);
    rows.end_row();
  }
  return rows;
}

/// One device and every kind of action: what is kept of micro-batch 0 is offloaded and fetched,
/// that of micro-batch 1 is computed again.
inline program all_kinds_program() {
  program rows(1, neighbouring_placement(1, 1), 2);
  rows.put(action_kind::forward, 0, 0);
  rows.put(action_kind::offload, 0, 0);
  rows.put(action_kind::forward, 0, 1);
  rows.put(action_kind::fetch, 0, 0);
  rows.put(action_kind::backward, 0, 0);
  rows.put_joined(action_kind::recompute, 0, 1);
  rows.put(action_kind::input_gradient, 0, 1);
  rows.put(action_kind::weight_gradient, 0, 1);
  rows.put(action_kind::update, 0, 0);
  rows.end_row();
  return rows;
}

/// Actions one after the other, whatever they wait for: times for a picture, not for a claim.
inline list<timed_action> back_to_back(const program_view& rows, const stage_cost& cost) {
  list<timed_action> timeline;
  for (int device = 0; device < rows.devices; ++device) {
    std::int64_t now = device;
    for (const action& what : rows.row(device)) {
      timeline.push_back({now, now + cost.of(what.kind)});
      now = timeline.back().end;
    }
  }
  return timeline;
}

/// A picture of a program with such times.
inline drawn_timeline draw_back_to_back(const program& rows, std::string_view title,
                                        const stage_cost& cost = {.update = 1, .offload = 1}) {
  return draw_timeline(rows.view(), back_to_back(rows.view(), cost), title);
}

/// The asynchronous picture of a schedule over equal stages, each on a device of its own.
template <typename Schedule>
drawn_timeline draw_schedule(int stages, int micro_batches, const stage_cost& cost = {}) {
  const program rows = Schedule::make(stages, stages, micro_batches);
  const stage_graph graph = chain_stage_graph(stages, cost);
  return draw_timeline(rows.view(), asynchronous_timeline(rows.view(), graph.view()),
                       Schedule::name);
}

}  // namespace ipu_dsl::tests
