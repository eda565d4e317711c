// SPDX-License-Identifier: MIT
// Pipelines in cycles: in each of them every stage that has a micro-batch works on it.
#pragma once

#include <string_view>

#include <ipu_dsl/catalogue/one_stage_a_device.hpp>
#include <ipu_dsl/core/list.hpp>

namespace ipu_dsl {

/// Forward alone: stage s works on micro-batch i in time slot i + s. For models that nobody trains;
/// to evaluate or predict with a model in training, its own schedule does the same.
struct inference : one_stage_a_device<inference> {
  static constexpr std::string_view name = "inference";

  /// Refuses training, for which micro-batches are given: it would learn nothing.
  static constexpr problem fits(int devices, int stages, int micro_batches) {
    if (micro_batches < 0) {
      return rules::stages_a_device(name, devices, stages, 1);
    }
    problem found = rules::problem_of_schedule(name);
    found.expected = "a model that is evaluated or predicts";
    found.got = "training";
    found.hint = "train with sequential_schedule, or any other schedule that goes backward";
    return found;
  }

  static constexpr program make(int devices, int stages, int micro_batches) {
    return make_forward(devices, stages, micro_batches);
  }
};

/// The pipeline of PopART (transforms/pipeline.cpp): forwards and backwards are one chain of
/// 2 p - 1 pipeline stages on p devices, the last device doing both of its own in one of them.
/// Pipeline stage s works in cycle c if s <= c < s + m, on micro-batch c - s; within a cycle a
/// device goes forward first. In order this is the reference's grouped schedule and eager 1F1B.
struct popart_implicit : one_stage_a_device<popart_implicit> {
  static constexpr std::string_view name = "popart";

  /// How many pipeline stages `stages` stages make in training.
  static constexpr int pipeline_stages(int stages) { return 2 * stages - 1; }

  /// Between fill and flush there is at least one cycle in which all pipeline stages work.
  static constexpr problem fits(int devices, int stages, int micro_batches) {
    const problem found = rules::stages_a_device(name, devices, stages, 1);
    return found.found() ? found : rules::at_least(name, pipeline_stages(stages), micro_batches);
  }

  /// Slots are cycles; updates follow the last one.
  static constexpr program make(int devices, int stages, int micro_batches) {
    program rows(devices, place(devices, stages), micro_batches);
    const int cycles = micro_batches + pipeline_stages(stages) - 1;
    for (int device = 0; device < devices; ++device) {
      for (int cycle = 0; cycle < cycles; ++cycle) {
        put_if_working(rows, action_kind::forward, device, cycle, device);
        put_if_working(rows, action_kind::backward, device, cycle,
                       pipeline_stages(stages) - 1 - device);
      }
      rows.put(action_kind::update, device, 0);
      rows.slot.push_back(cycles);
      rows.end_row();
    }
    return rows;
  }

 private:
  /// What a pipeline stage does in a cycle.
  static constexpr void put_if_working(program& rows, action_kind kind, int stage, int cycle,
                                       int pipeline_stage) {
    const int micro_batch = cycle - pipeline_stage;
    if (micro_batch >= 0 && micro_batch < rows.micro_batches) {
      rows.put(kind, stage, micro_batch);
      rows.slot.push_back(cycle);
    }
  }
};

}  // namespace ipu_dsl
