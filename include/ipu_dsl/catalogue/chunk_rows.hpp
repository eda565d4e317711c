// SPDX-License-Identifier: MIT
// The generator of rows in which a device goes through several chunks of the model: groups of
// micro-batches, the order they give, and the pace of each device.
#pragma once

#include <utility>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

/// One forward of a device: chunk c of device d is stage c * devices + d.
struct chunk_step {
  int chunk = 0;
  int micro_batch = 0;
};

/// Micro-batches dealt into as many groups as have `least` each, sizes differing by one at most and
/// larger groups first; one group if there are fewer micro-batches than that. With groups of at
/// least as many as devices, stages of the same cost never wait between the ramps, whatever the
/// number of micro-batches, where groups of one size with a short last one wait, or wait forever.
constexpr list<int> even_groups(int micro_batches, int least) {
  const int count = micro_batches < least ? 1 : micro_batches / least;
  list<int> sizes;
  for (int group = 0; group < count; ++group) {
    sizes.push_back(micro_batches / count + (group < micro_batches % count ? 1 : 0));
  }
  return sizes;
}

/// Groups of `size` micro-batches; the last one is short if they do not divide.
constexpr list<int> equal_groups(int micro_batches, int size) {
  list<int> sizes;
  for (int begin = 0; begin < micro_batches; begin += size) {
    sizes.push_back(micro_batches - begin < size ? micro_batches - begin : size);
  }
  return sizes;
}

/// The forwards of every device, in order: of each group all micro-batches through the first chunk,
/// then the second, and so on. Backwards take the same order with chunks counted from the last.
constexpr list<chunk_step> chunk_order(int chunks, list_view<int> groups) {
  list<chunk_step> order;
  int begin = 0;
  for (const int size : groups) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      for (int micro_batch = begin; micro_batch < begin + size; ++micro_batch) {
        order.push_back({chunk, micro_batch});
      }
    }
    begin += size;
  }
  return order;
}

/// How a device goes through its order of chunks.
struct chunk_pace {
  static constexpr int whole_backward = -1;

  int ahead = 0;  ///< forwards before forwards and backwards alternate
  /// Input gradients that wait for their weight gradients, of which the rest come after the last
  /// input gradient; or backwards are not split.
  int weights_behind = whole_backward;
};

/// The backward of one step, and of the split ones the weight gradients that are due.
constexpr void put_chunk_backward(program& rows, int device, const list<chunk_step>& order,
                                  int turn, int weights_behind) {
  const chunk_step* const step = order.data();
  const int last_begin = rows.stages - rows.devices + device;
  const int stage = last_begin - step[turn].chunk * rows.devices;
  if (weights_behind == chunk_pace::whole_backward) {
    rows.put(action_kind::backward, stage, step[turn].micro_batch);
    return;
  }
  rows.put(action_kind::input_gradient, stage, step[turn].micro_batch);
  const int last = static_cast<int>(order.size()) - 1;
  const int due = turn - weights_behind;
  for (int number = due < 0 ? 0 : due; number <= (turn == last ? last : due); ++number) {
    rows.put(action_kind::weight_gradient, last_begin - step[number].chunk * rows.devices,
             step[number].micro_batch);
  }
}

/// The row of one device: `pace.ahead` forwards, then a forward and a backward in turn while
/// forwards remain, then the other backwards, then the updates.
constexpr void put_chunk_row(program& rows, int device, const list<chunk_step>& order,
                             chunk_pace pace) {
  const chunk_step* const step = order.data();
  const int steps = static_cast<int>(order.size());
  const int first = pace.ahead < steps ? pace.ahead : steps;
  for (int turn = 0; turn < steps + first; ++turn) {
    if (turn < steps) {
      rows.put(action_kind::forward, step[turn].chunk * rows.devices + device,
               step[turn].micro_batch);
    }
    if (turn >= first) {
      put_chunk_backward(rows, device, order, turn - first, pace.weights_behind);
    }
  }
  for (int stage = device; stage < rows.stages; stage += rows.devices) {
    rows.put(action_kind::update, stage, 0);
  }
  rows.end_row();
}

/// The program in which every device goes through the chunks of `groups` at its own pace; `paces`
/// is [devices], and stages are a multiple of them.
constexpr program chunk_rows(int devices, int stages, int micro_batches, list_view<int> groups,
                             list_view<chunk_pace> paces) {
  const list<chunk_step> order = chunk_order(stages / devices, groups);
  const bool split = paces[0].weights_behind != chunk_pace::whole_backward;
  program rows(devices, looped_placement(devices, stages), micro_batches);
  rows.actions.reserve(stages * (micro_batches * (split ? 3 : 2) + 1));
  for (int device = 0; device < devices; ++device) {
    put_chunk_row(rows, device, order, paces[device]);
  }
  return rows;
}

/// One row of the same, made alone.
constexpr list<action> chunk_row(int devices, int stages, int micro_batches, list_view<int> groups,
                                 int device, chunk_pace pace) {
  program rows(devices, looped_placement(devices, stages), micro_batches);
  put_chunk_row(rows, device, chunk_order(stages / devices, groups), pace);
  return std::move(rows.actions);
}

/// What schedules in chunks share: the whole program, and the row of one device, which is how large
/// programs are made. `Derived` brings `groups(devices, micro_batches)` and
/// `pace(devices, stages, device, first_group)`.
template <typename Derived>
struct chunk_schedule {
  static constexpr program make(int devices, int stages, int micro_batches) {
    const list<int> groups = Derived::groups(devices, micro_batches);
    list<chunk_pace> paces;
    for (int device = 0; device < devices; ++device) {
      paces.push_back(Derived::pace(devices, stages, device, groups[0]));
    }
    return chunk_rows(devices, stages, micro_batches, groups, paces);
  }

  static constexpr list<action> make_row(int devices, int stages, int micro_batches, int device) {
    const list<int> groups = Derived::groups(devices, micro_batches);
    return chunk_row(devices, stages, micro_batches, groups, device,
                     Derived::pace(devices, stages, device, groups[0]));
  }
};

}  // namespace ipu_dsl
