// SPDX-License-Identifier: MIT
// Schedules in which micro-batches enter at both ends of the devices: Chimera and DualPipe with two
// copies of the weights, and DualPipeV, the half of DualPipe that needs one.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/core/list_view.hpp>

namespace ipu_dsl {

namespace both_ends {

/// What a stage does by ascending micro-batch, and the slot of the first.
struct slotted_steps {
  action_kind kind;
  int stage;
  int first_slot;
};

/// Appends the row of a device by slots. Each of `steps` takes every second slot, `each`
/// micro-batches long, and again when `round` slots have passed since it began.
constexpr void append_slots(program& rows, list_view<slotted_steps> steps, int round, int each,
                            int slots) {
  const slotted_steps* const line = steps.data();
  const int lines = static_cast<int>(steps.size());
  for (int slot = 0; slot < slots; ++slot) {
    for (int which = 0; which < lines; ++which) {
      const int since = slot - line[which].first_slot;
      // Most slots are passed over, and steps of constant evaluation count.
      if (since < 0 || since % round % 2 != 0 || since % round / 2 >= each) {
        continue;
      }
      const int micro_batch = since / round * each + since % round / 2;
      if (micro_batch < rows.micro_batches) {
        rows.put(line[which].kind, line[which].stage, micro_batch);
        rows.slot.push_back(slot);
      }
    }
  }
}

/// Writes the row of one device of DualPipe, whose leg 0 is the stage at which micro-batches come
/// by first. Backwards are whole, or an input gradient and, some time later, the weight gradient
/// that has waited longest.
class row_writer {
 public:
  constexpr row_writer(program& rows, int first_stage, int second_stage)
      : rows_(rows), stages_{first_stage, second_stage} {}

  constexpr void forward(int leg) {
    rows_.put(action_kind::forward, stages_[leg], forwards_[leg]++);
  }

  constexpr void backward(int leg) {
    rows_.put(action_kind::backward, stages_[leg], backwards_[leg]++);
  }

  /// One step: the forward of a leg and the backward of the other.
  constexpr void forward_and_backward(int forward_leg) {
    rows_.put_joined(action_kind::forward, stages_[forward_leg], forwards_[forward_leg]++);
    backward(1 - forward_leg);
  }

  constexpr void input_gradient(int leg) {
    const int micro_batch = backwards_[leg]++;
    rows_.put(action_kind::input_gradient, stages_[leg], micro_batch);
    pending_.push_back({action_kind::weight_gradient, stages_[leg], micro_batch});
  }

  constexpr void weight_gradient() { rows_.actions.push_back(pending_[oldest_++]); }

  /// The row from the number of micro-batches of a leg, and from where the device is among `depth`
  /// ones: 0 where leg 0 begins, depth - 1 where it meets leg 1.
  constexpr void write(int micro_batches, int depth, int rank) {
    const int behind = depth - rank - 1;
    for (int i = 0; i < 2 * behind; ++i) {
      forward(0);
    }
    for (int i = 0; i <= rank; ++i) {
      forward(0);
      forward(1);
    }
    for (int i = 0; i < behind; ++i) {
      input_gradient(1);
      weight_gradient();
      forward(1);
    }
    for (int i = 0; i < micro_batches - 2 * depth + rank + 1; ++i) {
      if (i == 0 && behind == 0) {
        forward(0);
        backward(1);
      } else {
        forward_and_backward(0);
      }
      forward_and_backward(1);
    }
    for (int i = 0; i < behind; ++i) {
      backward(1);
      forward_and_backward(1);
    }
    cool_down(behind, rank);
  }

 private:
  /// The later half of the last backwards puts its weight gradients off.
  constexpr void cool_down(int behind, int rank) {
    for (int i = 0; i < 2 * (rank + 1); ++i) {
      const int leg = i % 2 == 0 ? 1 : 0;
      if (i > rank) {
        input_gradient(leg);
      } else {
        backward(leg);
      }
    }
    for (int i = 0; i < behind; ++i) {
      weight_gradient();
      input_gradient(0);
    }
    for (int i = 0; i <= rank; ++i) {
      weight_gradient();
    }
  }

  program& rows_;
  int stages_[2];
  int forwards_[2] = {};
  int backwards_[2] = {};
  list<action> pending_;
  std::size_t oldest_ = 0;
};

}  // namespace both_ends

/// What the schedules with two copies of the weights share. Stage s is on device s and its copy,
/// stage devices + s, on device devices - 1 - s. The `micro_batches` that every function takes are
/// those of both copies together; each copy takes half, so that those of the program, as its stage
/// graph has two pipelines (`chain_stage_graph(stages, cost, use, 2)`), are micro_batches / 2.
template <typename Derived>
struct two_copy_schedule {
  /// More than one: it is proven, and not executed whatever the counts are.
  static constexpr int weight_copies = 2;

  /// Both ends need the same number of micro-batches, for training and for inference.
  static constexpr problem allows(int devices, int stages, int micro_batches, purpose aim) {
    const auto check = [aim](int p, int s, int m) { return check_counts(p, s, m, aim); };
    return rules::with_way_out(check, devices, stages, micro_batches);
  }

  static constexpr list<int> place(int devices, int) { return mirrored_placement(devices); }

  static constexpr int devices_for(int stages) { return (stages + 1) / 2; }

  /// A micro-batch enters at each end every second slot. On a device the slots of one direction are
  /// even and those of the other odd.
  static constexpr program make_forward(int devices, int, int micro_batches) {
    program rows = no_rows(devices, micro_batches);
    for (int device = 0; device < devices; ++device) {
      const int mirror = devices - 1 - device;
      const both_ends::slotted_steps steps[2] = {
          {action_kind::forward, device, device},
          {action_kind::forward, devices + mirror, mirror},
      };
      both_ends::append_slots(rows, steps, 2, 1, micro_batches + devices - 2);
      rows.end_row();
    }
    return rows;
  }

 protected:
  static constexpr program no_rows(int devices, int micro_batches) {
    program rows(devices, mirrored_placement(devices), micro_batches / 2);
    rows.weights.copies = weight_copies;
    return rows;
  }

 private:
  static constexpr problem check_counts(int devices, int stages, int micro_batches, purpose aim) {
    problem found = rules::counts(Derived::name, devices, stages, micro_batches);
    if (!found.found()) {
      found = rules::stages_a_device(Derived::name, devices, stages, 2);
    }
    if (!found.found() && devices % 2 != 0) {
      found = odd_devices(devices);
    }
    if (!found.found() && aim == purpose::training) {
      found = Derived::fits(devices, stages, micro_batches);
    } else if (!found.found()) {
      found = rules::multiple_of(Derived::name, 2, stages, micro_batches, aim);
    }
    return found;
  }

  static constexpr problem odd_devices(int devices) {
    problem found = rules::problem_of_schedule(Derived::name);
    found.expected = "an even number of devices";
    found.got << devices;
    found.hint << "use ";
    if (devices > 1) {
      found.hint << devices - 1 << " or ";
    }
    found.hint << devices + 1 << " devices";
    return found;
  }
};

/// Chimera (Li, Hoefler, "Chimera: efficiently training large-scale neural networks with
/// bidirectional pipelines", 2021): one pipe down and one up, each in the idle slots of the other.
/// D micro-batches, half of them in each direction, take 3D - 2 slots on D devices, of which a
/// device works in 2D; N of them take 2N + D - 2, a forward and a backward being one slot each.
struct chimera : two_copy_schedule<chimera> {
  static constexpr std::string_view name = "chimera";

  static constexpr problem fits(int devices, int stages, int micro_batches) {
    return rules::multiple_of(name, devices, stages, micro_batches, purpose::training);
  }

  static constexpr program make(int devices, int, int micro_batches) {
    program rows = no_rows(devices, micro_batches);
    const int slots = 2 * micro_batches + devices - 2;
    for (int device = 0; device < devices; ++device) {
      const int mirror = devices - 1 - device;
      const int copy = devices + mirror;
      const both_ends::slotted_steps steps[4] = {
          {action_kind::forward, device, device},
          {action_kind::forward, copy, mirror},
          {action_kind::backward, device, 2 * devices - 1 - device},
          {action_kind::backward, copy, 2 * devices - 1 - mirror},
      };
      both_ends::append_slots(rows, steps, 2 * devices, devices / 2, slots);
      rows.end_training_row(device);
      rows.slot.resize(rows.actions.size(), slots);
    }
    return rows;
  }
};

/// DualPipe (DeepSeek-AI, "DeepSeek-V3 technical report", 2024): two pipes in opposite directions,
/// and in the middle of the run every forward of one is a single step with a backward of the other,
/// which lets an executor overlap the communication of either with the work of the other.
struct dualpipe : two_copy_schedule<dualpipe> {
  static constexpr std::string_view name = "dualpipe";

  static constexpr problem fits(int devices, int stages, int micro_batches) {
    const problem found = rules::at_least(name, 2 * devices, micro_batches);
    return found.found() ? found
                         : rules::multiple_of(name, 2, stages, micro_batches, purpose::training);
  }

  static constexpr program make(int devices, int, int micro_batches) {
    program rows = no_rows(devices, micro_batches);
    for (int device = 0; device < devices; ++device) {
      const int mirror = devices - 1 - device;
      const int copy = devices + mirror;
      const bool upper = device < mirror;
      both_ends::row_writer row(rows, upper ? device : copy, upper ? copy : device);
      row.write(rows.micro_batches, devices / 2, upper ? device : mirror);
      rows.end_training_row(device);
    }
    return rows;
  }
};

/// DualPipeV, DualPipe cut in half: the second pipe is the way back of the first on a V of stages,
/// and the weights need no copy.
struct dualpipe_v : v_schedule<dualpipe_v> {
  static constexpr std::string_view name = "dualpipev";

  static constexpr problem fits(int devices, int stages, int micro_batches) {
    const problem found = rules::stages_a_device(name, devices, stages, 2);
    return found.found() ? found : rules::at_least(name, 2 * devices, micro_batches);
  }

  static constexpr program make(int devices, int stages, int micro_batches) {
    program rows(devices, place(devices, stages), micro_batches);
    for (int device = 0; device < devices; ++device) {
      both_ends::row_writer row(rows, device, stages - 1 - device);
      row.write(micro_batches, devices, device);
      rows.end_training_row(device);
    }
    return rows;
  }
};

}  // namespace ipu_dsl
