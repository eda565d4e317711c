// SPDX-License-Identifier: MIT
// Schedules on a V of stages: device d of p holds stages d and 2p - 1 - d, so that a micro-batch
// goes there and back, and the first and the last stage share a device.
#pragma once

#include <string_view>
#include <utility>

#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

/// What the schedules on a V share: two stages a device, any number of micro-batches.
template <typename Derived>
struct v_schedule : placed_schedule<Derived> {
  static constexpr problem fits(int devices, int stages, int) {
    return rules::stages_a_device(Derived::name, devices, stages, 2);
  }

  static constexpr list<int> place(int devices, int stages) {
    return snake_placement(devices, stages);
  }

  /// As many as hold an odd number of stages as well, which the hint then makes even.
  static constexpr int devices_for(int stages) { return (stages + 1) / 2; }
};

/// Writes the row of one device of a V. Every stage does each of its three kinds of work by
/// ascending micro-batch, so that a step is told by kind and stage alone: it is the next one. Steps
/// of micro-batches past the last one are left out.
class v_row_writer {
 public:
  constexpr v_row_writer(program& rows, int device)
      : rows_(rows), stages_{device, rows.stages - 1 - device} {}

  /// The next forward of the stage on the way there (`leg` 0) or back (1).
  constexpr void forward(int leg) { put(action_kind::forward, leg, forwards_[leg]); }

  constexpr void input_gradient(int leg) {
    put(action_kind::input_gradient, leg, input_gradients_[leg]);
  }

  constexpr void weight_gradient(int leg) {
    put(action_kind::weight_gradient, leg, weight_gradients_[leg]);
  }

  /// The input gradient and at once the weight gradient.
  constexpr void gradients(int leg) {
    input_gradient(leg);
    weight_gradient(leg);
  }

  constexpr int forwards(int leg) const { return forwards_[leg]; }

  constexpr int weight_gradients(int leg) const { return weight_gradients_[leg]; }

 private:
  constexpr void put(action_kind kind, int leg, int& done) {
    if (done < rows_.micro_batches) {
      rows_.put(kind, stages_[leg], done);
    }
    ++done;
  }

  program& rows_;
  int stages_[2];
  int forwards_[2] = {};
  int input_gradients_[2] = {};
  int weight_gradients_[2] = {};
};

/// ZB-V (Qi, Wan, Huang, Lin, "Pipeline parallelism with controllable memory", 2024): where F, I
/// and W take the same time, no device waits between its first and its last action, and each holds
/// 2p forwards of its 2 stages, as much as the first device of 1F1B.
struct zb_v : v_schedule<zb_v> {
  static constexpr std::string_view name = "zb-v";

  static constexpr program make(int devices, int stages, int micro_batches) {
    program rows(devices, place(devices, stages), micro_batches);
    rows.actions.reserve(stages * (3 * micro_batches + 1));
    for (int device = 0; device < devices; ++device) {
      write_row(rows, device);
      rows.end_training_row(device);
    }
    return rows;
  }

  static constexpr list<action> make_row(int devices, int stages, int micro_batches, int device) {
    program rows(devices, place(devices, stages), micro_batches);
    rows.actions.reserve(2 * (3 * micro_batches + 1));
    write_row(rows, device);
    rows.end_training_row(device);
    return std::move(rows.actions);
  }

 private:
  /// The warm-up is that of 2p - 1 micro-batches even where there are fewer.
  static constexpr void write_row(program& rows, int device) {
    const int full = 2 * rows.devices - 1;
    const int count = rows.micro_batches < full ? full : rows.micro_batches;
    const int behind = rows.devices - device;
    v_row_writer row(rows, device);
    for (int i = 0; i < 2 * behind - 1; ++i) {
      row.forward(0);
    }
    for (int i = 0; i < device; ++i) {
      row.forward(1);
      row.forward(0);
    }
    for (int i = 0; i < behind; ++i) {
      row.forward(1);
      row.gradients(1);
    }
    while (row.forwards(1) < count) {
      if (row.forwards(0) < count) {
        row.forward(0);
      }
      row.gradients(0);
      row.forward(1);
      row.gradients(1);
    }
    cool_down(row, device, behind, count);
  }

  static constexpr void cool_down(v_row_writer& row, int device, int behind, int count) {
    for (int i = 0; i < device; ++i) {
      row.input_gradient(0);
      row.input_gradient(1);
    }
    for (int i = 0; i < behind; ++i) {
      row.input_gradient(0);
      row.weight_gradient(0);
    }
    while (row.weight_gradients(1) < count) {
      row.weight_gradient(1);
    }
    while (row.weight_gradients(0) < count) {
      row.weight_gradient(0);
    }
  }
};

}  // namespace ipu_dsl
