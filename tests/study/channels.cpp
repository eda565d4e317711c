// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <vector>

#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/timeline.hpp>
#include <ipu_dsl/study/channels/channels.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

constexpr stage_graph graph_of(const program& rows) {
  return chain_stage_graph(rows.stages, stage_cost(), output_use::forward_only,
                           rows.weights.copies);
}

template <typename Schedule>
constexpr int least(int devices, int chunks, int micro_batches,
                    channel_sharing sharing = channel_sharing::by_kind) {
  const program rows = Schedule::make(devices, chunks * devices, micro_batches);
  return least_channel_capacity(rows.view(), graph_of(rows).view(), sharing);
}

static_assert(least<sequential_schedule>(4, 1, 8) == 0);
static_assert(least<gpipe>(4, 1, 8) == 0);
static_assert(least<one_f_one_b>(4, 1, 8) == 1);
static_assert(least<zb_v>(2, 2, 4) == 1);
static_assert(least<zb_v>(2, 2, 4, channel_sharing::by_pair) == -1);
static_assert(least<looped_bfs>(2, 2, 4) == 2);
static_assert(least<one_f_one_b>(4, 1, 8, channel_sharing::by_pair) == 1);

constexpr sentence words(const program& rows, int capacity, channel_sharing sharing) {
  return channel_problem(rows.view(), graph_of(rows).view(), capacity, sharing).message();
}

constexpr bool test_deadlock_sentence() {
  return words(one_f_one_b::make(2, 2, 4), 0, channel_sharing::by_kind).view() ==
         "schedule mine, device 0 at position 1: expected to send F0(1) to device 1, got a wait "
         "forever. Hint: channels hold 0 here; 1 is enough";
}

static_assert(test_deadlock_sentence());

/// Device 1 takes the second micro-batch first.
constexpr program swapped_forwards() {
  program rows = gpipe::make(2, 2, 2);
  action* const row = rows.actions.data() + rows.row_begin[1];
  const action first = row[0];
  row[0] = row[1];
  row[1] = first;
  return rows;
}

constexpr bool test_mismatch_sentence() {
  const program rows = swapped_forwards();
  return words(rows, 5, channel_sharing::by_kind).view() ==
             "schedule mine, device 1 at position 0: expected F0(1) from device 0 for F1(1), got "
             "F0(0) in front of it. Hint: device 0 sends in another order than device 1 receives; "
             "no capacity helps" &&
         least_channel_capacity(rows.view(), graph_of(rows).view()) == -1 &&
         capacity_without_stall(rows.view(), graph_of(rows).view()) == -1;
}

static_assert(test_mismatch_sentence());

/// The only backward of device 0 stands before its forward of the same row's second micro-batch,
/// and device 1 wants that one first: the rows wait for each other at any capacity.
constexpr bool test_rows_that_wait_for_each_other() {
  program rows(2, neighbouring_placement(2, 2), 2);
  using kind = action_kind;
  rows.put(kind::forward, 0, 0);
  rows.put(kind::backward, 0, 0);
  rows.put(kind::forward, 0, 1);
  rows.put(kind::backward, 0, 1);
  rows.end_row();
  rows.put(kind::forward, 1, 0);
  rows.put(kind::forward, 1, 1);
  rows.put(kind::backward, 1, 0);
  rows.put(kind::backward, 1, 1);
  rows.end_row();
  const channel_outcome outcome = run_channels(rows.view(), graph_of(rows).view(), 9);
  return outcome.end == channel_end::deadlock && outcome.device == 0 && outcome.position == 1 &&
         outcome.receives && outcome.wanted == action{kind::backward, 1, 0} &&
         words(rows, 9, channel_sharing::by_kind).view() ==
             "schedule mine, device 0 at position 1: expected B1(0) from device 1 for B0(0), got a "
             "wait forever. Hint: channels hold 9 here; no capacity helps";
}

static_assert(test_rows_that_wait_for_each_other());

/// Two edges from F0 to stage 1 are one message, one to stage 2 is another; within a device there
/// is none.
constexpr checks test_messages() {
  const list<int> placement = {0, 1, 1};
  program rows(2, placement, 1);
  using kind = action_kind;
  rows.put(kind::forward, 0, 0);
  rows.put(kind::backward, 0, 0);
  rows.end_row();
  rows.put(kind::forward, 1, 0);
  rows.put(kind::forward, 2, 0);
  rows.put(kind::backward, 2, 0);
  rows.put(kind::backward, 1, 0);
  rows.end_row();
  stage_graph graph = chain_stage_graph(3);
  graph.add_edge({0, kind::forward}).read_by(1, kind::backward);
  graph.add_edge({0, kind::forward}).read_by(2, kind::backward).read_by(2, kind::forward);
  graph.add_edge({2, kind::backward}).read_by(0, kind::backward);
  const channel_plan plan = plan_channels(rows.view(), graph.view(), channel_sharing::by_kind);
  const auto is = [&](std::size_t number, int writer, int reader) {
    return plan.messages[number].writer == writer && plan.messages[number].reader == reader;
  };
  // Messages to one device: F0 for F1 and for F2, then B2 and B1 for B0.
  checks done;
  done.that(plan.messages.size() == 4);
  done.that(is(0, 0, 2));
  done.that(is(1, 0, 3));
  done.that(is(2, 4, 1));
  done.that(is(3, 5, 1));
  done.that(plan.source.size() == 2);
  done.that(plan.steps.size() == rows.actions.size() + 8);
  done.that(least_channel_capacity(rows.view(), graph.view()) == 0);
  return done;
}

static_assert(test_messages());

/// What joined actions read comes in the order in which it was sent, not in theirs.
constexpr bool test_joined_readers() {
  const list<int> placement = {0, 0, 1, 1};
  program rows(2, placement, 1);
  using kind = action_kind;
  rows.put(kind::forward, 0, 0);
  rows.put(kind::forward, 1, 0);
  rows.end_row();
  rows.put_joined(kind::forward, 3, 0);
  rows.put(kind::forward, 2, 0);
  rows.end_row();
  stage_graph graph;
  graph.stages = 4;
  graph.costs = {{1}, {2}, {4}, {8}};
  graph.add_edge({0, kind::forward}).read_by(2, kind::forward);
  graph.add_edge({1, kind::forward}).read_by(3, kind::forward);
  const channel_outcome outcome = run_channels(rows.view(), graph.view(), 1);
  return outcome.end == channel_end::complete && outcome.makespan == 1 + 2 + 8 + 4;
}

static_assert(test_joined_readers());

/// Device 1 is busy for 10 before it takes what device 0 sends at 1; only then does device 0, which
/// has 5 left to do, go on, unless the channel takes the message.
constexpr checks test_rendezvous_holds_the_sender() {
  const list<int> placement = {0, 1, 0, 1};
  program rows(2, placement, 1);
  using kind = action_kind;
  rows.put(kind::forward, 0, 0);
  rows.put(kind::forward, 2, 0);
  rows.end_row();
  rows.put(kind::forward, 3, 0);
  rows.put(kind::forward, 1, 0);
  rows.end_row();
  stage_graph graph;
  graph.stages = 4;
  graph.costs = {{1}, {1}, {5}, {10}};
  graph.hop = 2;
  graph.add_edge({0, kind::forward}).read_by(1, kind::forward);
  checks done;
  done.that(run_channels(rows.view(), graph.view(), 0).makespan == 10 + 5);
  done.that(run_channels(rows.view(), graph.view(), 1).makespan == 10 + 1);
  done.that(least_channel_capacity(rows.view(), graph.view()) == 0);
  done.that(capacity_without_stall(rows.view(), graph.view()) == 1);
  return done;
}

static_assert(test_rendezvous_holds_the_sender());

// Below the default limits of both compilers.
static_assert(least<one_f_one_b>(16, 1, 64) == 1);

/// A second opinion for chains of stages: every step is a node of a graph, its time the longest way
/// to it; what is never reached waits forever.
struct oracle_run {
  bool complete = false;
  std::int64_t makespan = 0;
};

class event_graph {
 public:
  void wait(int from, int to, std::int64_t delay) {
    after_[static_cast<std::size_t>(from)].push_back({to, delay});
    ++before_[static_cast<std::size_t>(to)];
  }

  int add() {
    after_.emplace_back();
    before_.push_back(0);
    return static_cast<int>(after_.size()) - 1;
  }

  oracle_run run() {
    std::vector<std::int64_t> time(after_.size(), 0);
    std::vector<int> ready;
    for (std::size_t node = 0; node < before_.size(); ++node) {
      if (before_[node] == 0) {
        ready.push_back(static_cast<int>(node));
      }
    }
    oracle_run found;
    std::size_t reached = 0;
    for (; reached < ready.size(); ++reached) {
      const std::size_t node = static_cast<std::size_t>(ready[reached]);
      found.makespan = std::max(found.makespan, time[node]);
      for (const auto& [to, delay] : after_[node]) {
        const std::size_t next = static_cast<std::size_t>(to);
        time[next] = std::max(time[next], time[node] + delay);
        if (--before_[next] == 0) {
          ready.push_back(to);
        }
      }
    }
    found.complete = reached == after_.size();
    return found;
  }

 private:
  std::vector<std::vector<std::pair<int, std::int64_t>>> after_;
  std::vector<int> before_;
};

/// Whole or split backwards, joined actions, one copy of the weights, no order mismatch.
oracle_run oracle(const program& rows, const stage_graph& graph, int capacity) {
  using key = std::tuple<bool, int, int>;  // backward, stage that writes, micro-batch
  event_graph events;
  std::map<key, std::pair<int, int>> sends;  // node and the one before it on its device
  std::map<key, std::pair<int, int>> receives;
  std::map<std::tuple<int, int, bool>, std::vector<key>> queues;
  const auto device = [&](int stage) {
    return rows.device_of_stage[static_cast<std::size_t>(stage)];
  };
  for (int d = 0; d < rows.devices; ++d) {
    int last = events.add();
    const auto follow = [&](std::int64_t delay) {
      const int node = events.add();
      events.wait(last, node, delay);
      last = node;
      return node;
    };
    std::vector<action> group;
    for (const action& what : rows.view().row(d)) {
      group.push_back(what);
      if (what.joined) {
        continue;
      }
      std::vector<std::tuple<int, int, key>> wanted;  // ordered by writing device
      std::int64_t cost = 0;
      for (const action& part : group) {
        cost += graph.costs[static_cast<std::size_t>(part.stage)].of(part.kind);
        const bool backward =
            part.kind == action_kind::backward || part.kind == action_kind::input_gradient;
        const int from = backward ? part.stage + 1 : part.stage - 1;
        if ((part.kind == action_kind::forward || backward) && from >= 0 && from < rows.stages &&
            device(from) != d) {
          wanted.push_back(
              {device(from), static_cast<int>(wanted.size()), {backward, from, part.micro_batch}});
        }
      }
      std::sort(wanted.begin(), wanted.end());
      for (const auto& [from, place, what_key] : wanted) {
        const int before = last;
        receives[what_key] = {follow(0), before};
        // With a rendezvous the hop comes after the two have met.
        last = capacity == 0 ? follow(graph.hop) : last;
      }
      follow(cost);
      for (const action& part : group) {
        const bool backward =
            part.kind == action_kind::backward || part.kind == action_kind::input_gradient;
        const int to = backward ? part.stage - 1 : part.stage + 1;
        if ((part.kind == action_kind::forward || backward) && to >= 0 && to < rows.stages &&
            device(to) != d) {
          const key what_key = {backward, part.stage, part.micro_batch};
          const int before = last;
          sends[what_key] = {follow(0), before};
          queues[{d, device(to), backward}].push_back(what_key);
        }
      }
      group.clear();
    }
  }
  for (const auto& [what_key, nodes] : sends) {
    const auto& reader = receives.at(what_key);
    if (capacity == 0) {
      // The two nodes are one moment: each waits for what comes before the other.
      events.wait(reader.second, nodes.first, 0);
      events.wait(nodes.second, reader.first, 0);
    } else {
      events.wait(nodes.first, reader.first, graph.hop);
    }
  }
  for (const auto& [ends, queue] : queues) {
    for (std::size_t k = static_cast<std::size_t>(capacity); capacity > 0 && k < queue.size();
         ++k) {
      events.wait(receives.at(queue[k - static_cast<std::size_t>(capacity)]).first,
                  sends.at(queue[k]).first, 0);
    }
  }
  return events.run();
}

constexpr stage_graph random_graph(const program& rows, std::uint64_t stream) {
  list<stage_cost> costs;
  for (int stage = 0; stage < rows.stages; ++stage) {
    const auto cost = [&](std::uint64_t number) {
      const std::uint64_t index = 4 * static_cast<std::uint64_t>(stage) + number;
      return static_cast<std::int64_t>(1 + uniform_below(random_word(7, stream, index), 9));
    };
    costs.push_back({cost(0), cost(1), cost(2), cost(3)});
  }
  stage_graph graph =
      chain_stage_graph(rows.stages, costs, output_use::forward_only, rows.weights.copies);
  graph.hop = static_cast<std::int64_t>(stream % 4);
  return graph;
}

constexpr std::int64_t asynchronous_makespan(const program& rows, const stage_graph& graph) {
  std::int64_t last = 0;
  for (const timed_action& times : asynchronous_timeline(rows.view(), graph.view())) {
    last = std::max(last, times.end);
  }
  return last;
}

struct tally {
  int runs = 0;
  int stuck = 0;
  int stalled = 0;
};

/// Random costs and every small capacity against the oracle, unbounded ones against the timeline.
template <typename Schedule>
void check(int devices, int chunks, int micro_batches, tally& count) {
  const program rows = Schedule::make(devices, chunks * devices, micro_batches);
  for (std::uint64_t stream = 0; stream < 4; ++stream) {
    const stage_graph graph = random_graph(rows, stream + static_cast<std::uint64_t>(devices));
    const std::int64_t free = asynchronous_makespan(rows, graph);
    const int least = least_channel_capacity(rows.view(), graph.view());
    const int unstalled = capacity_without_stall(rows.view(), graph.view());
    for (int capacity = 0; capacity <= unstalled + 1; ++capacity) {
      const channel_outcome outcome = run_channels(rows.view(), graph.view(), capacity);
      if (rows.weights.copies == 1) {
        const oracle_run expected = oracle(rows, graph, capacity);
        REQUIRE((outcome.end == channel_end::complete) == expected.complete);
        REQUIRE((!expected.complete || outcome.makespan == expected.makespan));
      }
      REQUIRE((outcome.end == channel_end::complete) == (capacity >= least));
      REQUIRE((capacity >= unstalled) ==
              (outcome.end == channel_end::complete && outcome.makespan == free));
      REQUIRE(channel_problem(rows.view(), graph.view(), capacity).found() == (capacity < least));
      count.stuck += outcome.end == channel_end::complete ? 0 : 1;
      count.stalled += outcome.end == channel_end::complete && outcome.makespan > free ? 1 : 0;
      ++count.runs;
    }
  }
}

template <typename... Schedules>
void check_all(int devices, int chunks, int micro_batches, tally& count) {
  (check<Schedules>(devices, chunks, micro_batches, count), ...);
}

constexpr checks test_sentences() {
  checks done;
  done.that(test_deadlock_sentence());
  done.that(test_mismatch_sentence());
  done.that(test_rows_that_wait_for_each_other());
  done.that(test_messages());
  done.that(test_joined_readers());
  done.that(test_rendezvous_holds_the_sender());
  return done;
}

static_assert(test_sentences());

}  // namespace

TEST_CASE("sentences about channels") {
  CHECK(test_sentences());
}

TEST_CASE("least capacities of the catalogue") {
  constexpr int sizes[][2] = {{2, 4}, {4, 8}, {4, 16}, {8, 16}};
  constexpr int of_looped_bfs[] = {2, 2, 4, 2};
  constexpr int of_interleaved_zero_bubble[] = {1, 2, 2, 4};
  int checked = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const int p = sizes[i][0];
    const int m = sizes[i][1];
    CHECK(least<sequential_schedule>(p, 1, m) == 0);
    CHECK(least<gpipe>(p, 1, m) == 0);
    CHECK(least<one_f_one_b>(p, 1, m) == 1);
    CHECK(least<eager_one_f_one_b>(p, 1, m) == 1);
    CHECK(least<grouped>(p, 1, m) == 1);
    CHECK(least<zb_h1>(p, 1, m) == 1);
    CHECK(least<zb_h2>(p, 1, m) == 1);
    CHECK(least<zb_v>(p, 2, m) == 1);
    CHECK(least<dualpipe_v>(p, 2, m) == 1);
    CHECK(least<interleaved_one_f_one_b>(p, 2, m) == 1);
    CHECK(least<looped_bfs>(p, 2, m) == of_looped_bfs[i]);
    CHECK(least<interleaved_zero_bubble>(p, 2, m) == of_interleaved_zero_bubble[i]);
    CHECK(least<one_f_one_b>(p, 1, m, channel_sharing::by_pair) == 1);
    CHECK(least<zb_v>(p, 2, m, channel_sharing::by_pair) == -1);
    checked += 14;
  }
  CHECK(least<interleaved_one_f_one_b>(2, 2, 4, channel_sharing::by_pair) == 2);
  const program mixed = zb_v::make(4, 8, 8);
  const channel_outcome outcome =
      run_channels(mixed.view(), graph_of(mixed).view(), 100, channel_sharing::by_pair);
  CHECK(outcome.end == channel_end::order_mismatch);
  std::printf("checked %d least capacities\n", checked + 1);
  CHECK(checked > 0);
}

TEST_CASE("runs over channels agree with longest ways") {
  tally count;
  for (const int devices : {2, 3, 4}) {
    for (const int m : {2 * devices, 2 * devices + 1, 4 * devices}) {
      check_all<sequential_schedule, gpipe, one_f_one_b, grouped, zb_h1, zb_h2>(devices, 1, m,
                                                                                count);
      check_all<zb_v, dualpipe_v, interleaved_one_f_one_b, looped_bfs, interleaved_zero_bubble>(
          devices, 2, m, count);
    }
  }
  check<chimera>(4, 2, 4, count);
  check<dualpipe>(4, 2, 8, count);
  std::printf("checked %d runs, %d of them stuck, %d late\n", count.runs, count.stuck,
              count.stalled);
  CHECK(count.stuck > 0);
  CHECK(count.stalled > 0);
  CHECK(count.runs > count.stuck + count.stalled);
}
