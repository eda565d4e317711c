// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <vector>

#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/slots.hpp>
#include <ipu_dsl/study/critical_path.hpp>
#include <ipu_dsl/study/makespan_bound.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

constexpr bool path_is(const critical_path& path, std::initializer_list<int> actions) {
  bool same = path.actions.size() == actions.size();
  const int* at = path.actions.data();
  for (const int index : actions) {
    same = same && *at++ == index;
  }
  return same;
}

/// One micro-batch on two devices: all of it is the path, and a device waits for nobody but data.
constexpr checks test_one_micro_batch() {
  const program rows = one_f_one_b::make(2, 2, 1);
  const list<stage_cost> costs = {{2, 3, 4}, {5, 6, 7}};
  stage_graph graph = chain_stage_graph(2, costs);
  graph.hop = 10;
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view());
  const critical_path path = critical_path_of(rows.view(), graph.view(), timeline);
  // F0, F1 and B1 (behind F1 in its row), B0.
  checks done;
  done.that(path_is(path, {0, 3, 4, 1}));
  done.that(path.data == 2 + 13);
  done.that(path.rows == 5);
  done.that(path.hops == 20);
  done.that(path.slots == 0);
  done.that(timeline[1].end == 2 + 10 + 5 + 13 + 10 + 7);
  done.that(makespan_bound(rows.view(), graph.view()) == timeline[1].end);
  return done;
}

static_assert(test_one_micro_batch());

/// GPipe with a slow second device: there by the first forward, then along the row of the slow one,
/// then back by the last backward.
constexpr checks test_slow_device() {
  const program rows = gpipe::make(2, 2, 3);
  const list<stage_cost> costs = {{1, 1, 1}, {4, 4, 4}};
  const stage_graph graph = chain_stage_graph(2, costs);
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view());
  const critical_path path = critical_path_of(rows.view(), graph.view(), timeline);
  checks done;
  done.that(path_is(path, {0, 7, 8, 9, 10, 11, 12, 5}));
  done.that(path.data == 1 + 8);
  done.that(path.rows == 3 * 4 + 2 * 8);
  done.that(makespan_bound(rows.view(), graph.view()) == 1 + 36 + 2);
  done.that(timeline[5].end == 39);
  return done;
}

static_assert(test_slow_device());

/// What the first of two joined actions writes is there when the second ends.
constexpr checks test_joined_writer() {
  const list<int> placement = {0, 0, 1};
  program rows(2, placement, 1);
  rows.put_joined(action_kind::forward, 0, 0);
  rows.put(action_kind::forward, 1, 0);
  rows.end_row();
  rows.put(action_kind::forward, 2, 0);
  rows.end_row();
  stage_graph graph;
  graph.stages = 3;
  graph.costs = {{2}, {3}, {4}};
  graph.add_edge({0, action_kind::forward}).read_by(2, action_kind::forward);
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view());
  const critical_path path = critical_path_of(rows.view(), graph.view(), timeline);
  checks done;
  done.that(timeline[2].start == 5);
  done.that(path_is(path, {0, 1, 2}));
  done.that(path.rows == 2);
  done.that(path.data == 3);
  done.that(makespan_bound(rows.view(), graph.view()) == 9);
  return done;
}

static_assert(test_joined_writer());

constexpr bool test_bounds_met() {
  const program eager = eager_one_f_one_b::make(4, 4, 8);
  const stage_graph graph = chain_stage_graph(4);
  // 24 of work, with 3 forwards before the last device's and 3 backwards after it.
  return makespan_bound(eager.view(), graph.view()) == 33;
}

static_assert(test_bounds_met());

constexpr stage_graph random_graph(const program& rows, std::uint64_t stream,
                                   std::uint32_t least_cost) {
  list<stage_cost> costs;
  for (int stage = 0; stage < rows.stages; ++stage) {
    const auto cost = [&](std::uint64_t number) {
      const std::uint64_t index = 4 * static_cast<std::uint64_t>(stage) + number;
      return static_cast<std::int64_t>(least_cost +
                                       uniform_below(random_word(3, stream, index), 9));
    };
    costs.push_back({cost(0), cost(1), cost(2), cost(3)});
  }
  stage_graph graph =
      chain_stage_graph(rows.stages, costs, output_use::forward_only, rows.weights.copies);
  graph.hop = static_cast<std::int64_t>(stream % 3);
  return graph;
}

struct tally {
  int paths = 0;
  int bounds_met = 0;
  std::int64_t slots = 0;
};

constexpr std::int64_t end_of(const list<timed_action>& timeline) {
  std::int64_t last = 0;
  for (const timed_action& times : timeline) {
    last = std::max(last, times.end);
  }
  return last;
}

/// Parts add up to the makespan, and of the path every action starts where the one before it lets
/// it.
void check_path(const program& rows, const stage_graph& graph, std::span<const int> slots,
                tally& count) {
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view(), slots);
  const critical_path path = critical_path_of(rows.view(), graph.view(), timeline, slots);
  const std::int64_t makespan = end_of(timeline);
  REQUIRE(!path.actions.empty());
  const auto times = [&](int index) { return timeline[static_cast<std::size_t>(index)]; };
  REQUIRE(times(path.actions[0]).start == 0);
  REQUIRE(times(path.actions.back()).end == makespan);
  const timed_action last = times(path.actions.back());
  REQUIRE(path.rows + path.data + path.slots + path.hops + last.end - last.start == makespan);
  std::int64_t gaps = 0;
  for (std::size_t i = 1; i < path.actions.size(); ++i) {
    const std::int64_t gap = times(path.actions[i]).start - times(path.actions[i - 1]).end;
    REQUIRE((gap == 0 || gap == graph.hop));
    gaps += gap;
  }
  REQUIRE(gaps == path.hops);
  REQUIRE((!slots.empty() || path.slots == 0));
  count.slots += path.slots;
  ++count.paths;
}

/// Random costs, the last ones with zeros among them; slots unbounded and as few as possible.
template <typename Schedule>
void check(int devices, int chunks, int micro_batches, tally& count) {
  const program rows = Schedule::make(devices, chunks * devices, micro_batches);
  for (std::uint64_t stream = 0; stream < 6; ++stream) {
    const std::uint32_t least_cost = stream == 5 ? 0 : 1;
    const stage_graph graph = random_graph(rows, stream, least_cost);
    check_path(rows, graph, {}, count);
    if (rows.weights.copies == 1) {
      check_path(rows, graph, least_slots(rows.view(), graph.view()), count);
    }
    const std::int64_t makespan = end_of(asynchronous_timeline(rows.view(), graph.view()));
    const std::int64_t bound = makespan_bound(rows.view(), graph.view());
    REQUIRE(bound <= makespan);
    std::int64_t busiest = 0;
    for (int device = 0; device < devices; ++device) {
      std::int64_t work = 0;
      for (const action& what : rows.view().row(device)) {
        work += graph.costs[static_cast<std::size_t>(what.stage)].of(what.kind);
      }
      busiest = std::max(busiest, work);
    }
    REQUIRE(bound >= busiest);
    count.bounds_met += bound == makespan ? 1 : 0;
  }
}

template <typename... Schedules>
void check_all(int devices, int chunks, int micro_batches, tally& count) {
  (check<Schedules>(devices, chunks, micro_batches, count), ...);
}

/// The least makespan of all orders of two devices' rows, by trying every topological interleaving
/// of each row.
constexpr std::int64_t least_of_all_orders(const stage_graph& graph, int micro_batches) {
  program rows = gpipe::make(2, 2, micro_batches);
  std::vector<int> first(static_cast<std::size_t>(2 * micro_batches));
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = static_cast<int>(i);
  }
  const program given = rows;
  const auto legal = [&](const std::vector<int>& order) {
    for (int i = 0; i < micro_batches; ++i) {
      const auto forward = std::find(order.begin(), order.end(), i);
      if (std::find(order.begin(), forward, i + micro_batches) != forward) {
        return false;
      }
    }
    return true;
  };
  const auto place = [&](int device, const std::vector<int>& order) {
    const int begin = given.row_begin[static_cast<std::size_t>(device)];
    for (std::size_t i = 0; i < order.size(); ++i) {
      rows.actions[static_cast<std::size_t>(begin) + i] =
          given.actions[static_cast<std::size_t>(begin + order[i])];
    }
  };
  std::int64_t least = INT64_MAX;
  do {
    if (!legal(first)) {
      continue;
    }
    place(0, first);
    std::vector<int> second(first.size());
    for (std::size_t i = 0; i < second.size(); ++i) {
      second[i] = static_cast<int>(i);
    }
    do {
      if (legal(second)) {
        place(1, second);
        const step_table steps = index_steps(rows.view());
        const program_view view = rows.view();
        const dependences waits = sort_edges(graph.view(), view.device_of_stage, false);
        const list<int> slots = unbounded_slots(view, graph.view());
        const list<std::int64_t> duration = durations(graph.view());
        in_order_run run({view, steps, waits, slots, duration});
        run.advance();
        least = run.complete() ? std::min(least, run.makespan()) : least;
      }
    } while (std::next_permutation(second.begin(), second.end()));
  } while (std::next_permutation(first.begin(), first.end()));
  return least;
}

constexpr checks test_small_programs() {
  checks done;
  done.that(test_one_micro_batch());
  done.that(test_slow_device());
  done.that(test_joined_writer());
  done.that(test_bounds_met());
  return done;
}

static_assert(test_small_programs());

}  // namespace

TEST_CASE("critical paths of small programs") {
  CHECK(test_small_programs());
}

TEST_CASE("critical paths add up to the makespan") {
  tally count;
  for (const int devices : {2, 3, 4}) {
    for (const int m : {1, devices, 2 * devices + 1, 4 * devices}) {
      check_all<sequential_schedule, gpipe, one_f_one_b, grouped, zb_h1, zb_h2>(devices, 1, m,
                                                                                count);
      check_all<zb_v, looped_bfs>(devices, 2, m, count);
    }
    check_all<dualpipe_v, interleaved_one_f_one_b, interleaved_zero_bubble>(devices, 2, 2 * devices,
                                                                            count);
  }
  check<chimera>(4, 2, 4, count);
  check<dualpipe>(4, 2, 8, count);
  std::printf("checked %d paths, %d bounds met, %d waited for slots\n", count.paths,
              count.bounds_met, static_cast<int>(count.slots));
  CHECK(count.bounds_met > 0);
  CHECK(count.slots > 0);
  CHECK(count.paths > 0);
}

TEST_CASE("no order beats the bound") {
  int checked = 0;
  int met = 0;
  for (std::uint64_t stream = 0; stream < 40; ++stream) {
    const program rows = gpipe::make(2, 2, 2);
    const stage_graph graph = random_graph(rows, 100 + stream, 1);
    const std::int64_t bound = makespan_bound(rows.view(), graph.view());
    const std::int64_t least = least_of_all_orders(graph, 2);
    REQUIRE(bound <= least);
    met += bound == least ? 1 : 0;
    ++checked;
  }
  std::printf("checked %d models, bound reached in %d\n", checked, met);
  CHECK(checked > 0);
  CHECK(met > 0);
}
