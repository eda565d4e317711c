// SPDX-License-Identifier: MIT
#include <cstdio>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/slots.hpp>
#include <ipu_dsl/schedule/waits.hpp>
#include <ipu_dsl/schedule/worker_rows.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

static_assert(waiting::previous_tenant(5, 2, 6).write == 3);
static_assert(!waiting::previous_tenant(5, 2, 6).previous_run);
static_assert(waiting::previous_tenant(0, 2, 5).write == 4);  // 0, 2, 4 share slot 0
static_assert(waiting::previous_tenant(1, 2, 5).write == 3);
static_assert(waiting::previous_tenant(1, 2, 5).previous_run);
static_assert(waiting::previous_tenant(3, 8, 5).write == 3);

namespace {

/// Executes several runs with workers in random turns, waiting for nothing but the waits, and
/// checks every slot: what a reader finds is what was written for it.
struct machine {
  const program& rows;
  const stage_graph& graph;
  const list<int>& slots;
  wait_list waits = waits_of(rows.view(), graph.view(), slots);
  list<int> counts = counts_of_run(rows.view());
  std::vector<int> counter = std::vector<int>(counts.size(), 0);
  std::vector<std::vector<int>> content = std::vector<std::vector<int>>(graph.edges.size());
  int reads = 0;

  machine(const program& rows_, const stage_graph& graph_, const list<int>& slots_)
      : rows(rows_), graph(graph_), slots(slots_) {
    for (std::size_t link = 0; link < graph.edges.size(); ++link) {
      content[link].assign(static_cast<std::size_t>(slots[link]), -1);
    }
  }

  bool ready(int index, int run) const {
    const std::size_t at = static_cast<std::size_t>(index);
    for (int k = waits.begin[at]; k < waits.begin[at + 1]; ++k) {
      const awaited_count& until = waits.waits[static_cast<std::size_t>(k)];
      const std::size_t which = static_cast<std::size_t>(until.counter);
      if (counter[which] - run * counts[which] <= until.position) {
        return false;
      }
    }
    return true;
  }

  /// These schedules write micro-batches in ascending order, so that the k-th write is that of k.
  void execute(int index, int run) {
    const action& what = rows.actions[static_cast<std::size_t>(index)];
    const int tag = run * 1000 + what.micro_batch;
    for (std::size_t link = 0; link < graph.edges.size(); ++link) {
      const edge& along = graph.edges[link];
      int& slot = content[link][static_cast<std::size_t>(what.micro_batch % slots[link])];
      for (const step& reader : graph.view().readers_of(along)) {
        if (reader == step{what.stage, what.kind}) {
          REQUIRE(slot == tag);
          ++reads;
        }
      }
      if (along.writer == step{what.stage, what.kind}) {
        slot = tag;
      }
    }
    ++counter[static_cast<std::size_t>(counter_of(what.stage, what.kind))];
  }
};

int check(const program& rows, const stage_graph& graph, const list<int>& slots,
          const list<int>& worker_of_device, int workers, std::uint64_t seed) {
  machine simulated(rows, graph, slots);
  const list<int> order = global_order(rows.view(), graph.view(), slots);
  const worker_rows projected = project(rows.view(), order, workers, worker_of_device);
  constexpr int runs = 3;
  std::vector<int> done(static_cast<std::size_t>(workers), 0);
  const int total = runs * static_cast<int>(rows.actions.size());
  int executed = 0;
  int idle = 0;
  for (std::uint64_t turn = 0; executed < total && idle < 10000; ++turn) {
    const std::uint32_t word = random_word(seed, 0, turn);
    const std::size_t worker = uniform_below(word, static_cast<std::uint32_t>(workers));
    const int begin = projected.row_begin[worker];
    const int length = projected.row_begin[worker + 1] - begin;
    const int run = length == 0 ? runs : done[worker] / length;
    ++idle;
    if (run < runs) {
      const int index = projected.actions[static_cast<std::size_t>(begin + done[worker] % length)];
      if (simulated.ready(index, run)) {
        simulated.execute(index, run);
        ++done[worker];
        ++executed;
        idle = 0;
      }
    }
  }
  REQUIRE(executed == total);
  return simulated.reads;
}

template <typename Schedule>
int check_schedule(std::uint64_t seed) {
  int checked = 0;
  for (int stages = 2; stages <= 4; ++stages) {
    const stage_graph graph = chain_stage_graph(
        stages, stage_cost{}, seed % 2 == 0 ? output_use::forward_only : output_use::own_backward);
    for (const int m : {stages, 2 * stages + 1, 11}) {
      const program rows = Schedule::make(stages, stages, m);
      const list<int> one_each = neighbouring_placement(stages, stages);
      const list<int> two = neighbouring_placement(2, stages);
      const list<int> one(static_cast<std::size_t>(stages), 0);
      for (const list<int>& slots : {least_slots(rows.view(), graph.view()),
                                     slots_without_stall(rows.view(), graph.view())}) {
        checked += check(rows, graph, slots, one_each, stages, seed);
        checked += check(rows, graph, slots, two, 2, seed);
        checked += check(rows, graph, slots, one, 1, seed);
      }
    }
  }
  return checked;
}

}  // namespace

TEST_CASE("waiting for the waits alone, every reader finds what was written for it") {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    checked += check_schedule<grouped>(seed);
    checked += check_schedule<interleaved>(seed);
    checked += check_schedule<sequential_schedule>(seed);
  }
  std::printf("checked %d reads over three runs each\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("waits are few, one a counter, and never for the own device") {
  const program rows = grouped::make(4, 4, 8);
  const stage_graph graph = chain_stage_graph(4);
  const list<int> slots = slots_without_delay(rows.view(), graph.view());
  const wait_list found = waits_of(rows.view(), graph.view(), slots);
  int checked = 0;
  for (std::size_t index = 0; index < rows.actions.size(); ++index) {
    for (int k = found.begin[index]; k < found.begin[index + 1]; ++k) {
      const awaited_count& until = found.waits[static_cast<std::size_t>(k)];
      REQUIRE(until.counter / action_kinds != rows.actions[index].stage);
      for (int other = found.begin[index]; other < k; ++other) {
        REQUIRE(found.waits[static_cast<std::size_t>(other)].counter != until.counter);
      }
      ++checked;
    }
  }
  std::printf("checked %d waits\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("a global order is the proof's, by time") {
  const program rows = interleaved::make(3, 3, 6);
  const stage_graph graph = chain_stage_graph(3);
  const list<int> slots = slots_without_delay(rows.view(), graph.view());
  const list<int> order = global_order(rows.view(), graph.view(), slots);
  REQUIRE(order.size() == rows.actions.size());
  std::vector<bool> seen(order.size(), false);
  for (const int index : order) {
    REQUIRE_FALSE(seen[static_cast<std::size_t>(index)]);
    seen[static_cast<std::size_t>(index)] = true;
  }
  CHECK(rows.actions[static_cast<std::size_t>(order[0])] == action{action_kind::forward, 0, 0});
}
