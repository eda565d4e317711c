// SPDX-License-Identifier: MIT
// Schedules that update weights in the middle of a stream: no flush and no bubble, but gradients of
// weights that are not the newest.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/catalogue/one_stage_a_device.hpp>
#include <ipu_dsl/core/list.hpp>

namespace ipu_dsl {

/// The order of 1F1B with an update of the stage after every `interval` backwards, as early as it
/// can be. One stage a device; `micro_batches` is a multiple of `interval`.
constexpr program stream_rows(int devices, int micro_batches, int interval) {
  program rows(devices, neighbouring_placement(devices, devices), micro_batches);
  rows.weights.update_interval = interval;
  for (int device = 0; device < devices; ++device) {
    const int behind = devices - 1 - device;
    const int first = behind < micro_batches ? behind : micro_batches;
    for (int turn = 0; turn < micro_batches + first; ++turn) {
      if (turn < micro_batches) {
        rows.put(action_kind::forward, device, turn);
      }
      const int done = turn - first + 1;
      if (done > 0) {
        rows.put(action_kind::backward, device, done - 1);
      }
      if (done > 0 && done % interval == 0) {
        rows.put(action_kind::update, device, done / interval - 1);
      }
    }
    rows.end_row();
  }
  return rows;
}

/// 1F1B without flush and an update after every backward. A backward uses the weights of its
/// forward, so that stage s of p keeps p - s versions of them, and what it learns is as many
/// updates late: each stage another number of them (PipeDream's weight stashing).
struct pipedream : one_stage_a_device<pipedream> {
  static constexpr std::string_view name = "pipedream";

  static constexpr program make(int devices, int, int micro_batches) {
    return stream_rows(devices, micro_batches, 1);
  }
};

namespace rules {

/// Batches long enough that the one before the last is done everywhere when a new one starts. The
/// published rule; the proof would take batches of one micro-batch less.
constexpr problem batch_covers_devices(std::string_view name, int devices, int interval) {
  problem found;
  if (interval < devices) {
    found = problem_of_schedule(name);
    found.expected << "batches of at least as many micro-batches as devices (" << devices << ")";
    found.got << interval;
    found.hint << "update every " << how_many(devices, "micro-batch");
    if (interval > 0) {
      found.hint << ", or use " << how_many(interval, "device");
    }
  }
  return found;
}

/// A stream of whole batches.
constexpr problem whole_batches(std::string_view name, int micro_batches, int interval) {
  problem found;
  if (micro_batches >= 0 && micro_batches % interval != 0) {
    const int below = micro_batches / interval * interval;
    found = problem_of_schedule(name);
    found.expected << "whole batches of " << how_many(interval, "micro-batch");
    found.got << micro_batches;
    found.hint << "use ";
    if (below > 0) {
      found.hint << below << " or ";
    }
    found.hint << below + interval;
  }
  return found;
}

}  // namespace rules

/// PipeDream-2BW: a stream of batches of `Interval` micro-batches, with one update a batch. Batch b
/// sees the weights after the updates of batches 0 to b - 2, forward and backward alike, on every
/// stage: two versions of the weights are enough, and every gradient is one update late. `make`'s
/// micro-batches are those of the whole stream; its updates are that over `Interval`. 0 stands for
/// the shortest batches there can be: of as many micro-batches as devices.
template <int Interval = 0>
struct pipedream_2bw : one_stage_a_device<pipedream_2bw<Interval>> {
  static constexpr std::string_view name = "pipedream-2bw";
  static constexpr bool keeps_hints = Interval != 0;

  static constexpr problem fits(int devices, int stages, int micro_batches) {
    problem found = rules::stages_a_device(name, devices, stages, 1);
    if (!found.found()) {
      found = rules::batch_covers_devices(name, devices, interval_for(devices));
    }
    return found.found() ? found : rules::whole_batches(name, micro_batches, interval_for(devices));
  }

  static constexpr program make(int devices, int, int micro_batches) {
    program rows = stream_rows(devices, micro_batches, interval_for(devices));
    rows.weights.delay = 1;
    return rows;
  }

 private:
  static constexpr int interval_for(int devices) { return Interval == 0 ? devices : Interval; }
};

}  // namespace ipu_dsl
