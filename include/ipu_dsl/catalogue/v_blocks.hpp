// SPDX-License-Identifier: MIT
// Schedules on a V of stages that repeat one block of work every six time slots, and thereby choose
// how much memory they want (Qi, Wan, Huang, Lin, "Pipeline parallelism with controllable memory",
// 2024): a device holds as many forwards of a stage as blocks begin while one of them lives.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <ipu_dsl/catalogue/gap_filler.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/schedule/pieces/row_pieces.hpp>

namespace ipu_dsl {

/// The slots of a device in which micro-batch 0 goes forward in the first stage, forward in the
/// second, and gets its input gradient in the second and in the first. Every action takes a slot;
/// micro-batch k does the same 6k slots later, and the slots must differ modulo 6.
struct v_block {
  static constexpr int interval = 6;

  int slot[4] = {};
};

namespace v_blocks {

/// The row of a block without its idle slots. Weight gradients go into the slots that the block
/// leaves free, the oldest first.
constexpr void append_row(program& rows, int device, const v_block& block) {
  constexpr int never = 1 << 29;
  const int leg_stage[2] = {device, rows.stages - 1 - device};
  const int stage[4] = {leg_stage[0], leg_stage[1], leg_stage[1], leg_stage[0]};
  int done[4] = {};
  list<action> pending;
  std::size_t oldest = 0;
  int slot = 0;
  for (int left = 4 * rows.micro_batches; left > 0;) {
    int next = 0;
    int next_slot = never;
    for (int which = 0; which < 4; ++which) {
      const int at = block.slot[which] + v_block::interval * done[which];
      if (done[which] < rows.micro_batches && at < next_slot) {
        next = which;
        next_slot = at;
      }
    }
    if (slot < next_slot && oldest < pending.size()) {
      rows.actions.push_back(pending[oldest]);
      ++oldest;
      ++slot;
      continue;
    }
    rows.put(next < 2 ? action_kind::forward : action_kind::input_gradient, stage[next],
             done[next]);
    if (next >= 2) {
      pending.push_back({action_kind::weight_gradient, stage[next], done[next]});
    }
    ++done[next];
    --left;
    slot = next_slot + 1;
  }
  for (; oldest < pending.size(); ++oldest) {
    rows.actions.push_back(pending[oldest]);
  }
}

/// The program of a block a device: `Derived::block(devices, device)`.
template <typename Derived>
constexpr program squeeze(int devices, int stages, int micro_batches) {
  program rows(devices, snake_placement(devices, stages), micro_batches);
  rows.actions.reserve(stages * (3 * micro_batches + 1));
  for (int device = 0; device < devices; ++device) {
    append_row(rows, device, Derived::block(devices, device));
    rows.end_training_row(device);
  }
  return rows;
}

/// One row of the same, made alone.
template <typename Derived>
constexpr list<action> squeeze_row(int devices, int stages, int micro_batches, int device) {
  program rows(devices, snake_placement(devices, stages), micro_batches);
  rows.actions.reserve(2 * (3 * micro_batches + 1));
  append_row(rows, device, Derived::block(devices, device));
  rows.end_training_row(device);
  return std::move(rows.actions);
}

/// The rows of blocks with their gaps, as a schedule.
template <typename Derived>
struct dense_schedule : v_schedule<dense_schedule<Derived>> {
  static constexpr std::string_view name = Derived::name;

  static constexpr program make(int devices, int stages, int micro_batches) {
    return squeeze<Derived>(devices, stages, micro_batches);
  }

  static constexpr list<action> make_row(int devices, int stages, int micro_batches, int device) {
    return squeeze_row<Derived>(devices, stages, micro_batches, device);
  }
};

/// The program of `fill_gaps`, made row by row, and filled some actions in each constant
/// evaluation.
template <typename Derived, int Devices, int Stages, int MicroBatches>
struct filled_rows {
 private:
  using dense = pieces::rows_by_device<dense_schedule<Derived>, Devices, Stages, MicroBatches>;

  static constexpr program_view given = dense::joined.view();
  static constexpr std::size_t actions = given.actions.size();
  static constexpr int filled_at_once = 4096;
  static constexpr int count = 3 * Stages * MicroBatches;
  static constexpr int fillings = (count + filled_at_once - 1) / filled_at_once;

  struct frozen_state {
    frozen_list<int, static_cast<std::size_t>(2 * Stages * MicroBatches)> ends;
    frozen_list<bool, actions> taken;
    frozen_list<filling_row, static_cast<std::size_t>(Devices)> rows;
    frozen_list<action, actions> filled;
    int slot = 0;
    int left = count;

    constexpr filling_state state() {
      return {ends.elements, taken.elements, rows.elements, filled.elements, slot, left};
    }
  };

  struct frozen_tables {
    frozen_list<int, actions> following;
    frozen_list<filling_row, static_cast<std::size_t>(Devices)> rows;
    int bound = 0;
  };

  static consteval frozen_tables begin() {
    const filling_tables begun = begin_filling(given);
    return {freeze_list<actions>(begun.following),
            freeze_list<static_cast<std::size_t>(Devices)>(begun.rows), begun.bound};
  }

  static constexpr frozen_tables tables = begin();

  template <int Filling>
  static consteval frozen_state fill() {
    frozen_state next;
    if constexpr (Filling == 0) {
      next.rows = tables.rows;
      next.filled = dense::joined.actions;
    } else {
      next = after<Filling - 1>;
      const filling_state done =
          gap_filler(given, tables.following.elements, tables.bound, next.state())
              .advance(filled_at_once);
      next.slot = done.slot;
      next.left = done.left;
    }
    return next;
  }

  template <int Filling>
  static constexpr frozen_state after = fill<Filling>();

  static consteval auto join() {
    auto rows = dense::joined;
    rows.actions = after<fillings>.filled;
    return rows;
  }

 public:
  static constexpr problem fault = dense::fault;
  /// The program, if there is no fault.
  static constexpr auto joined = join();
};

}  // namespace v_blocks

/// What V-Half and V-Min share.
template <typename Derived>
struct v_block_schedule : v_schedule<Derived> {
  static constexpr program make(int devices, int stages, int micro_batches) {
    return v_blocks::fill_gaps(v_blocks::squeeze<Derived>(devices, stages, micro_batches));
  }

  /// The same for a large program: see `pieced_schedule`.
  template <int Devices, int Stages, int MicroBatches, typename Costs>
  using rows_in_pieces = v_blocks::filled_rows<Derived, Devices, Stages, MicroBatches>;
};

/// Half of 1F1B's memory: a device holds about p forwards of its 2 stages where 1F1B's first device
/// holds p of one stage twice as large.
struct v_half : v_block_schedule<v_half> {
  static constexpr std::string_view name = "v-half";

  static constexpr v_block block(int p, int device) {
    const int shift = p % 2 == 0 ? 3 : 0;
    return {{2 * device, 3 * p - 2 - device, 3 * p + shift + 2 * device - 1,
             6 * p + shift - 2 - device}};
  }
};

/// The least memory of a V, towards a third of 1F1B's. It waits if F, I and W differ.
struct v_min : v_block_schedule<v_min> {
  static constexpr std::string_view name = "v-min";

  static constexpr v_block block(int p, int device) {
    const int shift = p % 3 == 0 ? 2 : 0;
    return {{device, 2 * p - 1 - device, 2 * p + shift + device, 4 * p + shift - 1 - device}};
  }
};

/// 1F1B on a V: every weight gradient directly behind its input gradient, for two thirds of 1F1B's
/// memory (and up to two forwards more). The input gradient is handed on before the weight gradient
/// begins, which is why the two are apart.
struct one_f_one_b_v : v_schedule<one_f_one_b_v> {
  static constexpr std::string_view name = "1f1b-v";

  /// The first slots that work, going along the V from device to device: neighbours cannot have the
  /// same block in the same place modulo 6, because a backward takes two slots and is handed on
  /// after one. The places below repeat every three devices; of all such places they are among
  /// those with the shortest lives (8 slots a device and micro-batch), and have the least bubble.
  static constexpr v_block block(int p, int device) {
    constexpr int places[3][4] = {{0, 1, 2, 4}, {1, 0, 4, 2}, {3, 4, 5, 1}};
    v_block found;
    int slot = -1;
    for (int leg = 0; leg < 4; ++leg) {
      for (int hop = 0; hop < p; ++hop) {
        const int at = leg % 2 == 0 ? hop : p - 1 - hop;
        ++slot;
        slot += (places[at % 3][leg] - slot % v_block::interval + v_block::interval) %
                v_block::interval;
        if (at == device) {
          found.slot[leg] = slot;
        }
      }
    }
    return found;
  }

  static constexpr program make(int devices, int stages, int micro_batches) {
    return v_blocks::squeeze<one_f_one_b_v>(devices, stages, micro_batches);
  }

  static constexpr list<action> make_row(int devices, int stages, int micro_batches, int device) {
    return v_blocks::squeeze_row<one_f_one_b_v>(devices, stages, micro_batches, device);
  }
};

}  // namespace ipu_dsl
