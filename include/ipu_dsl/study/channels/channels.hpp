// SPDX-License-Identifier: MIT
// How many messages channels between devices have to hold: to get through at all, and to lose no
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/schedule/proven_rows.hpp>
#include <ipu_dsl/study/channels/channel_run.hpp>

namespace ipu_dsl {

/// How a run over channels ended.
enum class channel_end : std::uint8_t {
  complete,
  deadlock,        ///< devices wait for each other; more capacity may help
  order_mismatch,  ///< a device wants another message than the next one; no capacity helps
};

/// The end of a run over channels; what stands below `makespan` is of the first device that waits
/// forever (for a mismatch, of the first that has one), if there is any.
struct channel_outcome {
  channel_end end = channel_end::complete;
  std::int64_t makespan = 0;  ///< when the last action or send ended, as far as it came
  int device = -1;
  int position = -1;      ///< in its row
  action at = {};         ///< before which it receives, after which it sends, or which is an update
  bool receives = false;  ///< it waits for a message; otherwise for room, or at an update
  int other = -1;         ///< the device at the other end; -1 at an update
  action wanted = {};     ///< what it waits to send or receive: the action that writes it
  action in_front = {};   ///< of a mismatch: what comes first
};

namespace channels {

/// What the searches below share.
struct searched {
  const program_view& rows;
  const channel_plan& plan;
  const list<std::int64_t>& duration;
  std::int64_t hop;
};

/// As many messages as any channel ever carries: no send waits.
constexpr int unbounded_capacity(const channel_plan& plan) {
  int most = 1;
  for (std::size_t channel = 0; channel < plan.source.size(); ++channel) {
    const int count = plan.queue_begin[channel + 1] - plan.queue_begin[channel];
    most = most < count ? count : most;
  }
  return most;
}

/// The makespan with a capacity, or -1 if a device waits forever.
constexpr std::int64_t makespan_with(const searched& search, int capacity) {
  channel_run run(search.rows, search.plan, search.duration, search.hop, capacity);
  run.advance();
  return run.complete() ? run.makespan() : -1;
}

/// The least capacity in [low, high] whose run is complete and no later than `latest`; high is one,
/// and every one above such a capacity is. In steps that double, because it is small.
constexpr int least_capacity(const searched& search, int low, int high, std::int64_t latest) {
  const auto enough = [&](int capacity) {
    const std::int64_t makespan = makespan_with(search, capacity);
    return makespan >= 0 && makespan <= latest;
  };
  for (int step = 1; low < high; step *= 2) {
    const int trial = low + step - 1 < high ? low + step - 1 : high;
    if (trial == high || enough(trial)) {
      high = trial;
      break;
    }
    low = trial + 1;
  }
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (enough(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

/// Fills in where a device waits.
constexpr void explain(const program_view& rows, const channel_plan& plan, const channel_run& run,
                       int device, channel_outcome& found) {
  const channel_step step = run.next_step(device);
  int index = step.number;
  if (step.what != channel_step::kind::work) {
    const message& waited = plan.messages.data()[step.number];
    found.receives = step.what == channel_step::kind::receive;
    index = found.receives ? waited.reader : waited.writer;
    found.wanted = rows.actions.data()[waited.writer];
    found.other = found.receives ? plan.source.data()[waited.channel]
                                 : plan.destination.data()[waited.channel];
    const int front = run.message_in_front(device);
    if (front >= 0) {
      found.end = channel_end::order_mismatch;
      found.in_front = rows.actions.data()[plan.messages.data()[front].writer];
    }
  }
  found.device = device;
  found.position = index - rows.row_begin.data()[device];
  found.at = rows.actions.data()[index];
}

/// The outcome of a run.
constexpr channel_outcome outcome_of(const program_view& rows, const channel_plan& plan,
                                     const channel_run& run) {
  channel_outcome found;
  found.makespan = run.makespan();
  int first = -1;
  for (int device = 0; device < rows.devices; ++device) {
    if (!run.stuck(device)) {
      continue;
    }
    first = first < 0 ? device : first;
    if (run.message_in_front(device) >= 0) {
      explain(rows, plan, run, device, found);
      return found;
    }
  }
  if (first >= 0) {
    found.end = channel_end::deadlock;
    explain(rows, plan, run, first, found);
  }
  return found;
}

}  // namespace channels

/// Runs a program whose actions are each in a row once over channels of one capacity; 0 means that
/// sender and receiver meet.
constexpr channel_outcome run_channels(const program_view& rows, const stage_graph_view& graph,
                                       int capacity,
                                       channel_sharing sharing = channel_sharing::by_kind) {
  const channel_plan plan = plan_channels(rows, graph, sharing);
  const list<std::int64_t> duration = durations(graph);
  channel_run run(rows, plan, duration, graph.hop, capacity);
  run.advance();
  return channels::outcome_of(rows, plan, run);
}

/// The least capacity, the same for all channels, with which no device waits forever; -1 if there
/// is none. It does not depend on costs. 16 devices x 64 micro-batches stay below the default
/// limits of both compilers; longer programs are for the run time or a higher limit.
constexpr int least_channel_capacity(const program_view& rows, const stage_graph_view& graph,
                                     channel_sharing sharing = channel_sharing::by_kind) {
  require_well_formed(rows, graph);
  const channel_plan plan = plan_channels(rows, graph, sharing);
  const list<std::int64_t> duration = durations(graph);
  const channels::searched search = {rows, plan, duration, graph.hop};
  const int unbounded = channels::unbounded_capacity(plan);
  return channels::makespan_with(search, unbounded) < 0
             ? -1
             : channels::least_capacity(search, 0, unbounded, INT64_MAX);
}

/// The least capacity, the same for all channels, with which a program ends as early as with
/// unbounded ones; -1 if it never ends.
constexpr int capacity_without_stall(const program_view& rows, const stage_graph_view& graph,
                                     channel_sharing sharing = channel_sharing::by_kind) {
  require_well_formed(rows, graph);
  const channel_plan plan = plan_channels(rows, graph, sharing);
  const list<std::int64_t> duration = durations(graph);
  const channels::searched search = {rows, plan, duration, graph.hop};
  const int unbounded = channels::unbounded_capacity(plan);
  const std::int64_t makespan = channels::makespan_with(search, unbounded);
  return makespan < 0 ? -1 : channels::least_capacity(search, 0, unbounded, makespan);
}

/// Why a program does not get through channels of this capacity, if it does not.
constexpr problem channel_problem(const program_view& rows, const stage_graph_view& graph,
                                  int capacity, channel_sharing sharing = channel_sharing::by_kind,
                                  std::string_view name = "mine") {
  const channel_outcome outcome = run_channels(rows, graph, capacity, sharing);
  problem found;
  if (outcome.end == channel_end::complete) {
    return found;
  }
  found.where << "schedule " << name << ", device " << outcome.device << " at position "
              << outcome.position;
  if (outcome.other < 0) {
    found.expected << "the gradients of all copies before " << describe(outcome.at);
  } else if (outcome.receives) {
    found.expected << describe(outcome.wanted) << " from device " << outcome.other << " for "
                   << describe(outcome.at);
  } else {
    found.expected << "to send " << describe(outcome.wanted) << " to device " << outcome.other;
  }
  if (outcome.end == channel_end::order_mismatch) {
    found.got << describe(outcome.in_front) << " in front of it";
    found.hint << "device " << outcome.other << " sends in another order than device "
               << outcome.device << " receives; no capacity helps";
    if (sharing == channel_sharing::by_pair) {
      found.hint << ", perhaps a channel for each kind of data";
    }
    return found;
  }
  found.got << "a wait forever";
  const int least = least_channel_capacity(rows, graph, sharing);
  found.hint << "channels hold " << capacity << " here; ";
  if (least < 0) {
    found.hint << "no capacity helps";
  } else {
    found.hint << least << " is enough";
  }
  return found;
}

}  // namespace ipu_dsl
