// SPDX-License-Identifier: MIT
// Where every buffer lies: a region for each device, a region for each edge.
// Over 300 lines: one layout, decided buffer by buffer in one pass.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/buffer_index.hpp>
#include <ipu_dsl/plan/buffer_size.hpp>
#include <ipu_dsl/plan/in_place.hpp>
#include <ipu_dsl/plan/lifetime.hpp>
#include <ipu_dsl/plan/program_plan_view.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Where what lasts lies, the same in all programs of a model: on each device first the values of
/// parameters and states in order of tensors, then what the optimizer keeps, then the gradients'
/// accumulators. Offsets are bytes in the device's region; -1 where there is none.
struct parameter_layout {
  list<std::int64_t> value;             ///< by tensor
  list<std::int64_t> slot;              ///< by tensor and slot of the optimizer
  list<std::int64_t> accumulator;       ///< by position in graph_view::operands
  list<std::int64_t> shared_of_device;  ///< by device: values and what the optimizer keeps
  list<std::int64_t> bytes_of_device;   ///< by device
};

/// Where what lasts lies, read only.
struct parameter_layout_view {
  list_view<std::int64_t> value;
  list_view<std::int64_t> slot;
  list_view<std::int64_t> accumulator;
  list_view<std::int64_t> shared_of_device;
  list_view<std::int64_t> bytes_of_device;
};

constexpr parameter_layout_view view_of(const parameter_layout& made) {
  return {made.value, made.slot, made.accumulator, made.shared_of_device, made.bytes_of_device};
}

/// Where what lasts lies, in static storage.
template <std::size_t Tensors, std::size_t Operands, std::size_t Devices>
struct frozen_parameter_layout {
  frozen_list<std::int64_t, Tensors> value;
  frozen_list<std::int64_t, Tensors * buffer_index::slots_per_parameter> slot;
  frozen_list<std::int64_t, Operands> accumulator;
  frozen_list<std::int64_t, Devices> shared_of_device;
  frozen_list<std::int64_t, Devices> bytes_of_device;

  constexpr explicit frozen_parameter_layout(const parameter_layout& made)
      : value(freeze_list<Tensors>(made.value)),
        slot(freeze_list<Tensors * buffer_index::slots_per_parameter>(made.slot)),
        accumulator(freeze_list<Operands>(made.accumulator)),
        shared_of_device(freeze_list<Devices>(made.shared_of_device)),
        bytes_of_device(freeze_list<Devices>(made.bytes_of_device)) {}

  constexpr parameter_layout_view view() const {
    return {value.view(), slot.view(), accumulator.view(), shared_of_device.view(),
            bytes_of_device.view()};
  }
};

/// Takes `bytes` from the end of a device's region; the offset at which they begin.
constexpr std::int64_t take_bytes(std::int64_t& end, std::int64_t bytes) {
  const std::int64_t begin = end;
  end += bytes;
  return begin;
}

/// Lays out what lasts. `trained`, the buffers of training, tells which accumulators and slots
/// there are.
constexpr parameter_layout lay_out_parameters(graph_view model, list_view<int> device_of_stage,
                                              int devices, list_view<buffer> trained) {
  parameter_layout made;
  made.value.resize(model.tensors.size(), -1);
  made.slot.resize(model.tensors.size() * buffer_index::slots_per_parameter, -1);
  made.accumulator.resize(model.operands.size(), -1);
  made.bytes_of_device.resize(devices, 0);
  const auto take = [&](std::int32_t stage, const buffer& memory) {
    return take_bytes(made.bytes_of_device[device_of_stage[stage]], bytes_of(memory, 1));
  };
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    const tensor& atom = model.tensors[i];
    if (life_of(buffer_role::value, atom) == buffer_life::persistent) {
      const buffer memory{.lies = atom.lies, .type = atom.type, .extents = atom.extents};
      made.value[i] = take(model.node_at(atom.owner).stage, memory);
    }
  }
  for (const buffer_role role : {buffer_role::optimizer_slot, buffer_role::accumulator}) {
    if (role == buffer_role::accumulator) {
      made.shared_of_device = made.bytes_of_device;
    }
    for (const buffer& memory : trained) {
      const auto of = static_cast<std::size_t>(memory.tensor);
      if (memory.role == role && role == buffer_role::accumulator) {
        made.accumulator[memory.index] = take(memory.stage, memory);
      } else if (memory.role == role) {
        made.slot[of * buffer_index::slots_per_parameter + static_cast<std::size_t>(memory.index)] =
            take(memory.stage, memory);
      }
    }
  }
  return made;
}

/// Where the buffers of one program lie.
struct memory_layout {
  list<placement> of_buffer;
  list<edge> edges;                     ///< what lives in slots, with the bytes of one slot
  list<step> readers;                   ///< of all edges
  list<std::int64_t> shared_of_device;  ///< by device: what all replicas of the model share
  list<std::int64_t> bytes_of_device;   ///< by device: what lasts and what the program overlays
};

/// Lays out one program.
class memory_planner {
 public:
  /// `micro_batches` of a run, of each replica.
  constexpr memory_planner(const graph_view& model, const lowered_view& program, std::int32_t batch,
                           std::int32_t micro_batches, list_view<int> device_of_stage,
                           const parameter_layout_view& lasting)
      : model_(model),
        program_(program),
        batch_(batch),
        micro_batches_(micro_batches),
        device_of_stage_(device_of_stage),
        lasting_(lasting),
        lives_(lifetimes_of(program, model.stages)),
        hosts_(in_place_buffers(program, model.stages, lives_).hosts()) {}

  constexpr memory_layout plan() {
    made_.of_buffer.resize(program_.buffers.size());
    made_.shared_of_device.append(lasting_.shared_of_device);
    made_.bytes_of_device.append(lasting_.bytes_of_device);
    list<std::int32_t> scratch;
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const buffer& memory = program_.buffers[i];
      if (memory.life == buffer_life::persistent) {
        place_lasting(i, memory);
      } else if (memory.life == buffer_life::each_micro_batch) {
        place_copies(i, memory);
      } else if (lives_[i].actions > 1) {
        place_in_edge(i, memory);
      } else if (hosts_[i] < 0) {
        scratch.push_back(static_cast<std::int32_t>(i));
      }
    }
    overlay(scratch);
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      if (hosts_[i] >= 0) {
        made_.of_buffer[i] = made_.of_buffer[hosts_[i]];
      }
    }
    return made_;
  }

 private:
  /// A buffer of one action, while it is alive.
  struct occupied {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int32_t last_call = 0;
  };

  constexpr std::int32_t device_of(std::int32_t stage) const { return device_of_stage_[stage]; }

  constexpr void place_lasting(std::size_t i, const buffer& memory) {
    const auto of = static_cast<std::size_t>(memory.tensor);
    placement& where = made_.of_buffer[i];
    where.region = device_of(memory.stage);
    switch (memory.role) {
      case buffer_role::scratch:
        // What is carried from prediction to prediction: the program's own, behind what all share.
        where.offset = take_bytes(made_.bytes_of_device[where.region], bytes_of(memory, batch_));
        break;
      case buffer_role::accumulator:
        where.offset = lasting_.accumulator[memory.index];
        break;
      case buffer_role::optimizer_slot:
        where.offset = lasting_.slot[of * buffer_index::slots_per_parameter +
                                     static_cast<std::size_t>(memory.index)];
        break;
      default:
        where.offset = lasting_.value[of];
        break;
    }
  }

  /// Behind what lasts, copy behind copy; what is overlaid comes after them.
  constexpr void place_copies(std::size_t i, const buffer& memory) {
    const std::int64_t bytes = bytes_of(memory, batch_);
    const std::int32_t device = device_of(memory.stage);
    std::int64_t& end = made_.bytes_of_device[device];
    made_.of_buffer[i] = {
        .region = device, .offset = take_bytes(end, bytes * micro_batches_), .copy_bytes = bytes};
  }

  /// Buffers that the same actions touch share an edge, and so their slots.
  constexpr void place_in_edge(std::size_t i, const buffer& memory) {
    const std::size_t index = edge_of(lives_[i].touched);
    placement& where = made_.of_buffer[i];
    where.edge = static_cast<std::int32_t>(index);
    where.region = static_cast<std::int32_t>(made_.bytes_of_device.size() + index);
    where.offset = made_.edges[index].bytes;
    made_.edges[index].bytes += bytes_of(memory, batch_);
  }

  constexpr std::size_t edge_of(const action_set& touched) {
    for (std::size_t i = 0; i < touched_by_.size(); ++i) {
      if (touched_by_[i] == touched) {
        return i;
      }
    }
    edge made;
    made.first_reader = static_cast<int>(made_.readers.size());
    bool written = false;
    for (std::int32_t position = 0; position < positions_of(model_.stages); ++position) {
      if (touched.has(position) && !written) {
        made.writer = step_at(position, model_.stages, program_.form);
        written = true;
      } else if (touched.has(position)) {
        made_.readers.push_back(step_at(position, model_.stages, program_.form));
        ++made.reader_count;
      }
    }
    touched_by_.push_back(touched);
    made_.edges.push_back(made);
    return touched_by_.size() - 1;
  }

  /// Buffers of one action lie over those of the others of the device; within the action each gets
  /// the lowest place that is free while it lives.
  constexpr void overlay(const list<std::int32_t>& scratch) {
    list<std::int32_t> first_of_call(program_.calls.size() + 1, -1);
    list<std::int32_t> next(program_.buffers.size(), -1);
    for (const std::int32_t i : scratch) {
      const std::int32_t born = lives_[i].first_call;
      next[i] = first_of_call[born];
      first_of_call[born] = i;
    }
    floor_ = made_.bytes_of_device;
    for (std::int32_t stage = 0; stage < model_.stages; ++stage) {
      for (int kind = 0; kind < action_kinds; ++kind) {
        overlay_action(stage, static_cast<action_kind>(kind), first_of_call, next);
      }
    }
  }

  constexpr void overlay_action(std::int32_t stage, action_kind kind,
                                const list<std::int32_t>& first_of_call,
                                const list<std::int32_t>& next) {
    const auto device = static_cast<std::size_t>(device_of(stage));
    const std::int64_t floor = floor_[device];
    const std::size_t entry = action_entry(stage, kind);
    list<occupied> alive;
    for (std::int32_t row = program_.first_call[entry]; row < program_.first_call[entry + 1];
         ++row) {
      alive = still_alive(alive, row);
      for (std::int32_t i = first_of_call[row]; i >= 0; i = next[i]) {
        const auto index = static_cast<std::size_t>(i);
        const std::int64_t bytes = bytes_of(program_.buffers[index], batch_);
        const std::int64_t begin =
            occupy(alive, {.end = bytes, .last_call = lives_[index].last_call});
        made_.of_buffer[index] = {.region = static_cast<std::int32_t>(device),
                                  .offset = floor + begin};
        std::int64_t& most = made_.bytes_of_device[device];
        most = floor + begin + bytes > most ? floor + begin + bytes : most;
      }
    }
  }

  static constexpr list<occupied> still_alive(const list<occupied>& alive, std::int32_t row) {
    list<occupied> kept;
    for (const occupied& place : alive) {
      if (place.last_call >= row) {
        kept.push_back(place);
      }
    }
    return kept;
  }

  /// Takes the lowest gap of `wanted.end` bytes; `alive` is kept in order of places.
  static constexpr std::int64_t occupy(list<occupied>& alive, occupied wanted) {
    const std::int64_t bytes = wanted.end;
    std::int64_t begin = 0;
    list<occupied> ordered;
    bool placed = false;
    for (const occupied& place : alive) {
      if (!placed && begin + bytes <= place.begin) {
        ordered.push_back({begin, begin + bytes, wanted.last_call});
        placed = true;
      }
      ordered.push_back(place);
      begin = placed ? begin : place.end;
    }
    if (!placed) {
      ordered.push_back({begin, begin + bytes, wanted.last_call});
    }
    alive = ordered;
    return begin;
  }

  graph_view model_;
  lowered_view program_;
  std::int32_t batch_;
  std::int32_t micro_batches_;
  list_view<int> device_of_stage_;
  parameter_layout_view lasting_;
  list<lifetime> lives_;
  list<std::int32_t> hosts_;  ///< by buffer: see `in_place_buffers`
  list<action_set> touched_by_;
  list<std::int64_t> floor_;  ///< by device: where what is overlaid begins
  memory_layout made_;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
