// SPDX-License-Identifier: MIT
// The makespan below which no schedule of the same stages on the same devices gets.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/catalogue/list_task.hpp>
#include <ipu_dsl/core/list_view.hpp>

namespace ipu_dsl {

namespace list_scheduling {

/// For the forward and the input gradient of each stage, the least time from the start of a run to
/// the first of them, and from the end of any of them to the end of the run.
struct surrounding_times {
  list<std::int64_t> head;  ///< [2 x stages]
  list<std::int64_t> tail;  ///< [2 x stages]
};

/// Nothing but data is waited for. Stages wait for the forwards of earlier ones and the gradients
/// of later ones.
constexpr surrounding_times times_around(const task& work) {
  const std::size_t rows = static_cast<std::size_t>(2 * work.stages);
  surrounding_times times = {list<std::int64_t>(rows, 0), list<std::int64_t>(rows, 0)};
  for (int stage = 0; stage < work.stages; ++stage) {
    times.tail.data()[2 * stage + 1] = work.cost(stage).weight_gradient + work.cost(stage).update;
  }
  const auto row_in_order = [&work](int place) {
    return place < work.stages ? 2 * place : 2 * (2 * work.stages - 1 - place) + 1;
  };
  const auto duration = [&work](int row) {
    const stage_cost& cost = work.cost(row / 2);
    return row % 2 == 0 ? cost.forward : cost.input_gradient;
  };
  for (int place = 0; place < 2 * work.stages; ++place) {
    const int row = row_in_order(place);
    for (int i = work.wait_begin.data()[row]; i < work.wait_begin.data()[row + 1]; ++i) {
      const wait& what = work.waits.data()[i];
      const std::int64_t arrival = times.head.data()[what.row] + duration(what.row) + what.delay;
      std::int64_t& begin = times.head.data()[row];
      begin = begin < arrival ? arrival : begin;
    }
  }
  for (int place = 2 * work.stages - 1; place >= 0; --place) {
    const int row = row_in_order(place);
    for (int i = work.wait_begin.data()[row]; i < work.wait_begin.data()[row + 1]; ++i) {
      const wait& what = work.waits.data()[i];
      const std::int64_t rest = what.delay + duration(row) + times.tail.data()[row];
      std::int64_t& end = times.tail.data()[what.row];
      end = end < rest ? rest : end;
    }
  }
  return times;
}

/// The least of the times of the stages of a device in part 0 or 1.
constexpr std::int64_t least_of_device(const task& work, int device, int part,
                                       const list<std::int64_t>& times) {
  std::int64_t least = never;
  for (int i = work.stage_begin.data()[device]; i < work.stage_begin.data()[device + 1]; ++i) {
    const std::int64_t time = times.data()[2 * work.stages_of_devices.data()[i] + part];
    least = time < least ? time : least;
  }
  return least;
}

/// No program of this task ends earlier, whatever its order and its memory: a device begins when
/// the first micro-batch can be there, has all of its work to do, and after its last input gradient
/// that micro-batch has still to go back.
constexpr std::int64_t least_makespan(const task& work) {
  const surrounding_times times = times_around(work);
  std::int64_t least = 0;
  for (int device = 0; device < work.devices; ++device) {
    if (work.stages_on(device) == 0) {
      continue;
    }
    std::int64_t before_last_gradient = 0;
    std::int64_t rest = 0;
    for (int i = work.stage_begin.data()[device]; i < work.stage_begin.data()[device + 1]; ++i) {
      const stage_cost& cost = work.cost(work.stages_of_devices.data()[i]);
      before_last_gradient += work.micro_batches * (cost.forward + cost.input_gradient);
      rest += work.micro_batches * cost.weight_gradient + cost.update;
    }
    const std::int64_t tail = least_of_device(work, device, 1, times.tail);
    const std::int64_t head = least_of_device(work, device, 0, times.head);
    const std::int64_t end = head + before_last_gradient + (tail < rest ? rest : tail);
    least = least < end ? end : least;
  }
  return least;
}

}  // namespace list_scheduling

/// The makespan below which no program gets, for stages on devices and their costs: the most over
/// devices of the time before its first action, its work, and the time after it. Needs no program:
/// `makespan_bound` is the one for the actions of a program at hand.
constexpr std::int64_t least_makespan(int devices, list_view<int> device_of_stage,
                                      int micro_batches, const stage_graph_view& graph) {
  return list_scheduling::least_makespan(
      list_scheduling::make_task(devices, device_of_stage, micro_batches, graph));
}

/// By how much of the least makespan a makespan exceeds it: 0 is optimal, 0.1 at most ten percent
/// too long.
constexpr double optimality_gap(std::int64_t makespan, std::int64_t least) {
  return least == 0 ? 0.0 : static_cast<double>(makespan - least) / static_cast<double>(least);
}

}  // namespace ipu_dsl
