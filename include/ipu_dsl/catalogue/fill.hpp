// SPDX-License-Identifier: MIT
// The family of schedules that one number a device describes: how many forwards it runs ahead of
// its backwards. GPipe and 1F1B are members, and so are the reference's three.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <ipu_dsl/catalogue/one_stage_a_device.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>

namespace ipu_dsl {

/// The row of a device with one stage: `ahead` forwards, then pairs, then the other backwards.
constexpr void put_fill_row(program& rows, int device, int ahead) {
  const int micro_batches = rows.micro_batches;
  const int first = ahead < micro_batches ? ahead : micro_batches;
  for (int turn = 0; turn < micro_batches + first; ++turn) {
    if (turn < micro_batches) {
      rows.put(action_kind::forward, device, turn);
    }
    if (turn >= first) {
      rows.put(action_kind::backward, device, turn - first);
    }
  }
  rows.put(action_kind::update, device, 0);
  rows.end_row();
}

/// The program in which device d, with one stage, runs `ahead[d]` forwards, then pairs of a forward
/// and a backward while forwards remain, then the other backwards, all by ascending micro-batch.
/// `ahead` is [devices], each at least 0. The most micro-batches that device d keeps are
/// min(micro_batches, ahead[d] + 1).
///
/// 0 everywhere is the sequential schedule, devices - 1 - d is 1F1B (the reference's interleaved),
/// twice that is eager 1F1B (the reference's grouped), and micro_batches everywhere is GPipe.
constexpr program fill_rows(int devices, int micro_batches, list_view<int> ahead) {
  program rows(devices, neighbouring_placement(devices, devices), micro_batches);
  rows.actions.reserve(devices * (2 * micro_batches + 1));
  for (int device = 0; device < devices; ++device) {
    put_fill_row(rows, device, ahead[device]);
  }
  return rows;
}

/// One row of the same, made alone.
constexpr list<action> fill_row(int devices, int micro_batches, int device, int ahead) {
  program rows(devices, neighbouring_placement(devices, devices), micro_batches);
  put_fill_row(rows, device, ahead);
  return std::move(rows.actions);
}

/// The first device that waits forever in a program of `fill_rows`, or 0 if none does.
///
/// Device d - 1 sends min(m, ahead[d - 1] + 1) activations before it waits for the first gradient;
/// device d wants min(m, ahead[d] + 1) of them before it sends one. If no device wants more than it
/// gets, every later pair finds its data as well, since both devices go on one by one.
constexpr int first_starved_device(int micro_batches, list_view<int> ahead) {
  for (std::size_t device = 1; device < ahead.size(); ++device) {
    const int before = ahead[device - 1];
    if (before + 1 < micro_batches && ahead[device] > before) {
      return static_cast<int>(device);
    }
  }
  return 0;
}

/// Whether the program of `fill_rows` never waits forever, which is so if and only if
/// min(micro_batches, ahead[d] + 1) does not grow with d.
constexpr bool fill_is_free_of_deadlock(int micro_batches, list_view<int> ahead) {
  return first_starved_device(micro_batches, ahead) == 0;
}

/// What the named members of the family share. `Derived` brings `name` and
/// `ahead(devices, device, micro_batches)`.
template <typename Derived>
struct fill_schedule : one_stage_a_device<Derived> {
  static constexpr program make(int devices, int, int micro_batches) {
    list<int> ahead;
    for (int device = 0; device < devices; ++device) {
      ahead.push_back(Derived::ahead(devices, device, micro_batches));
    }
    return fill_rows(devices, micro_batches, ahead);
  }

  static constexpr list<action> make_row(int devices, int, int micro_batches, int device) {
    return fill_row(devices, micro_batches, device, Derived::ahead(devices, device, micro_batches));
  }
};

/// All forwards, then all backwards: every stage keeps every micro-batch. Backwards ascend here, so
/// that gradients have the same bits as under every other schedule; torchgpipe and Alpa descend, at
/// the same cost.
struct gpipe : fill_schedule<gpipe> {
  static constexpr std::string_view name = "gpipe";

  static constexpr int ahead(int, int, int micro_batches) { return micro_batches; }
};

/// As many forwards ahead as stages behind: the least memory with which equal stages never wait in
/// between. PipeDream-flush, DAPPLE, DeepSpeed's `TrainSchedule`, the order of the reference's
/// interleaved schedule.
struct one_f_one_b : fill_schedule<one_f_one_b> {
  static constexpr std::string_view name = "1f1b";

  static constexpr int ahead(int devices, int device, int) { return devices - 1 - device; }
};

/// Twice as many forwards ahead, which hides the time from device to device behind work. Alpa's
/// `1f1b_overlap_friendly`, JaxPP's `Eager1F1B`, the order of the reference's grouped schedule.
struct eager_one_f_one_b : fill_schedule<eager_one_f_one_b> {
  static constexpr std::string_view name = "eager-1f1b";

  static constexpr int ahead(int devices, int device, int) { return 2 * (devices - 1 - device); }
};

namespace rules {

/// One number of forwards a device, none of them below 0.
constexpr problem ahead_of_each(std::string_view name, int devices, list_view<int> ahead) {
  const int count = static_cast<int>(ahead.size());
  if (count != devices) {
    problem found = problem_of_schedule(name);
    found.expected << "forwards ahead for each of " << how_many(devices, "device");
    found.got << how_many(count, "number");
    found.hint << "use " << how_many(count, "device") << ", or name one number a device";
    return found;
  }
  for (int device = 0; device < devices; ++device) {
    const int forwards = ahead[device];
    if (forwards < 0) {
      problem found = problem_of_schedule(name);
      found.expected << "at least 0 forwards ahead on each device";
      found.got << forwards << " on device " << device;
      found.hint = "use 0 to run a backward after every forward";
      return found;
    }
  }
  return {};
}

/// The condition of `fill_is_free_of_deadlock`.
constexpr problem ahead_descends(std::string_view name, int micro_batches, list_view<int> ahead) {
  const int device = first_starved_device(micro_batches, ahead);
  if (device == 0) {
    return {};
  }
  const int before = ahead[device - 1];
  const int forwards = ahead[device];
  const int enough = forwards < micro_batches ? forwards : micro_batches - 1;
  problem found = problem_of_schedule(name);
  found.expected << "no device with more forwards ahead than the one before it";
  found.got << forwards << " on device " << device << " after " << before;
  found.hint << "give device " << device << " at most " << before << ", or device " << device - 1
             << " at least " << enough;
  return found;
}

}  // namespace rules

/// The member of the family with these forwards ahead, one number a device: `fill<4, 2, 0>`. A dial
/// between memory and waiting that is refused exactly where it would wait forever.
template <int... Ahead>
  requires(sizeof...(Ahead) > 0)
struct fill : one_stage_a_device<fill<Ahead...>> {
  static constexpr std::string_view name = "fill";
  static constexpr int ahead[] = {Ahead...};
  static constexpr bool keeps_hints = true;

  static constexpr problem fits(int devices, int stages, int micro_batches) {
    problem found = rules::stages_a_device(name, devices, stages, 1);
    if (!found.found()) {
      found = rules::ahead_of_each(name, devices, ahead);
    }
    return found.found() ? found : rules::ahead_descends(name, micro_batches, ahead);
  }

  static constexpr program make(int devices, int, int micro_batches) {
    return fill_rows(devices, micro_batches, ahead);
  }

  static constexpr list<action> make_row(int devices, int, int micro_batches, int device) {
    return fill_row(devices, micro_batches, device, ahead[device]);
  }
};

}  // namespace ipu_dsl
