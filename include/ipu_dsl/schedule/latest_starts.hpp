// SPDX-License-Identifier: MIT
// How late every action could start without moving the end of a run.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>

namespace ipu_dsl {

namespace latest {

constexpr void bring_forward(std::int64_t& time, std::int64_t limit) {
  time = time < limit ? time : limit;
}

}  // namespace latest

/// The latest start of every action, by index + 1 and on the clock of `in_order_run::starts`, that
/// does not move the makespan: from the end back along rows and data (waits for slots would only
/// make it earlier). `run` is a complete run of `input`.
constexpr list<std::int64_t> latest_starts(const run_input& input, const in_order_run& run) {
  const action* const actions = input.rows.actions.data();
  const int count = static_cast<int>(input.rows.actions.size());
  list<std::int64_t> found(count + 1, run.makespan() + 1);
  std::int64_t* const time = found.data() + 1;
  list<bool> first_of_row(count + 1, false);
  for (int device = 0; device < input.rows.devices; ++device) {
    first_of_row.data()[input.rows.row_begin.data()[device]] = true;
  }
  for (int i = count - 1; i >= 0; --i) {
    const int index = run.order(i);
    const action& what = actions[index];
    time[index] -= input.duration.data()[what.stage * action_kinds + static_cast<int>(what.kind)];
    if (!first_of_row.data()[index]) {
      latest::bring_forward(time[index - 1], time[index]);
    }
    for_each_writer(input.steps, input.waits, what, [&](int writer, std::int64_t hop) {
      latest::bring_forward(time[writer], time[index] - hop);
    });
  }
  return found;
}

}  // namespace ipu_dsl
