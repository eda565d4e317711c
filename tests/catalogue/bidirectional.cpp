// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <vector>

#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

static_assert(schedule_type<chimera>);
static_assert(schedule_type<dualpipe>);
static_assert(schedule_type<dualpipe_v>);
static_assert(default_devices<chimera>(8) == 4 && default_devices<dualpipe>(8) == 4 &&
              default_devices<dualpipe_v>(8) == 4);

static_assert(chimera::allows(4, 8, 6, purpose::training).message().view() ==
              "schedule chimera: expected a gradient accumulation count that is a multiple of 4, "
              "got 6. Hint: use 4 or 8");
static_assert(
    chimera::allows(3, 6, 6, purpose::training).message().view() ==
    "schedule chimera: expected an even number of devices, got 3. Hint: use 2 devices and 4 "
    "stages, or 4 devices, 8 stages and 8 micro-batches");
static_assert(dualpipe::allows(4, 8, 6, purpose::training).message().view() ==
              "schedule dualpipe: expected a gradient accumulation count of at least 8, got 6. "
              "Hint: use 8");
static_assert(dualpipe::allows(4, 8, 9, purpose::training).found());
static_assert(dualpipe::allows(4, 8, 5, purpose::inference).found());
static_assert(!dualpipe::allows(4, 8, 2, purpose::inference).found());
static_assert(dualpipe_v::allows(4, 8, 7, purpose::training).found());
static_assert(!dualpipe_v::allows(4, 8, 7, purpose::inference).found());

namespace {

constexpr program without_joins(program rows) {
  for (action& what : rows.actions) {
    what.joined = false;
  }
  return rows;
}

constexpr facts asynchronous(const program& rows, const stage_cost& cost) {
  const stage_graph graph =
      chain_stage_graph(rows.stages, cost, output_use::forward_only, rows.weights.copies);
  return facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view()));
}

constexpr bool proven(const program& rows) {
  const stage_graph graph =
      chain_stage_graph(rows.stages, stage_cost(), output_use::forward_only, rows.weights.copies);
  return prove(rows.view(), graph.view()).proven();
}

/// A slot is a forward or a whole backward.
constexpr stage_cost slot_cost = {1, 1, 0, 0};

constexpr checks test_chimera() {
  const program rows = chimera::make(4, 8, 8);
  checks done;
  done.that(proven(rows));
  done.that(rows.micro_batches == 4);
  done.that(rows.weights.copies == 2);
  done.that(asynchronous(rows, slot_cost).makespan == 2 * 8 + 4 - 2);
  return done;
}

static_assert(test_chimera());

constexpr bool test_dualpipe() {
  return proven(dualpipe::make(4, 8, 8)) && proven(dualpipe_v::make(4, 8, 8));
}

static_assert(test_dualpipe());

/// F, I and W take 1 in each of the two stages of a device, so that times are twice those of
/// devices on which they take 1.
constexpr checks test_joined() {
  const program joined = dualpipe_v::make(4, 8, 8);
  checks done;
  done.that(asynchronous(joined, {}).makespan == 54);
  done.that(asynchronous(joined, {}).busiest == 48);
  done.that(asynchronous(without_joins(joined), {}).makespan == 51);
  return done;
}

static_assert(test_joined());

/// Start and end of every action where a joined pair is one: it waits for what either waits for,
/// and hands on at its end. Written apart from the library, for plain pipelines.
struct reference_run {
  std::map<std::tuple<char, int, int>, int> ends;
  int makespan = 0;
  int done = 0;

  static char handed_on(action_kind kind) {
    return kind == action_kind::forward ? 'F' : kind == action_kind::weight_gradient ? 'W' : 'B';
  }

  bool ready(const program& rows, const action& what, int& start) const {
    std::vector<std::tuple<char, int, int>> needs;
    const int length = rows.stages / rows.weights.copies;
    const int s = what.stage;
    const int m = what.micro_batch;
    if (what.kind == action_kind::forward && s % length != 0) {
      needs.push_back({'F', s - 1, m});
    } else if (what.kind == action_kind::weight_gradient) {
      needs.push_back({'B', s, m});
    } else if (what.kind != action_kind::forward) {
      needs.push_back({'F', s, m});
      if ((s + 1) % length != 0) {
        needs.push_back({'B', s + 1, m});
      }
    }
    for (const auto& need : needs) {
      const auto found = ends.find(need);
      if (found == ends.end()) {
        return false;
      }
      start = std::max(start, found->second);
    }
    return true;
  }

  explicit reference_run(const program& rows) {
    std::vector<int> at(static_cast<std::size_t>(rows.devices), 0);
    std::vector<int> free(at);
    for (bool moved = true; moved;) {
      moved = false;
      for (int device = 0; device < rows.devices; ++device) {
        const auto row = rows.view().row(device);
        int& next = at[static_cast<std::size_t>(device)];
        int& time = free[static_cast<std::size_t>(device)];
        while (next < static_cast<int>(row.size()) - 2) {
          const action& first = row[static_cast<std::size_t>(next)];
          const action& second = row[static_cast<std::size_t>(next + (first.joined ? 1 : 0))];
          if (!ready(rows, first, time) || !ready(rows, second, time)) {
            break;
          }
          for (int part = 0; part <= (first.joined ? 1 : 0); ++part) {
            time +=
                row[static_cast<std::size_t>(next + part)].kind == action_kind::backward ? 2 : 1;
          }
          ends[{handed_on(first.kind), first.stage, first.micro_batch}] = time;
          ends[{handed_on(second.kind), second.stage, second.micro_batch}] = time;
          done += first.joined ? 2 : 1;
          next += first.joined ? 2 : 1;
          moved = true;
        }
        makespan = std::max(makespan, time);
      }
    }
  }

  bool complete(const program& rows) const {
    return done + rows.stages == static_cast<int>(rows.actions.size());
  }
};

/// Whether each stage goes forward and backward once per micro-batch in ascending order, where a
/// whole backward is an input gradient and a weight gradient.
bool complete_and_ascending(const program& rows, int& checked) {
  std::map<std::tuple<char, int>, int> next;
  for (const action& what : rows.actions) {
    if (what.kind == action_kind::update) {
      continue;
    }
    const char first = reference_run::handed_on(what.kind);
    const char last = what.kind == action_kind::backward ? 'W' : first;
    if (next[{first, what.stage}] != what.micro_batch ||
        next[{last, what.stage}] != what.micro_batch) {
      return false;
    }
    ++next[{first, what.stage}];
    next[{last, what.stage}] = what.micro_batch + 1;
    ++checked;
  }
  for (int stage = 0; stage < rows.stages; ++stage) {
    if (next[{'F', stage}] != rows.micro_batches || next[{'B', stage}] != rows.micro_batches ||
        next[{'W', stage}] != rows.micro_batches) {
      return false;
    }
  }
  return true;
}

int peak_of_device(const program& rows, int device) {
  int held = 0;
  int peak = 0;
  for (const action& what : rows.view().row(device)) {
    held += what.kind == action_kind::forward ? 1 : 0;
    peak = std::max(peak, held);
    held -= what.kind == action_kind::backward || what.kind == action_kind::weight_gradient ? 1 : 0;
  }
  return peak;
}

}  // namespace

TEST_CASE("Chimera fills a pipe with the other one") {
  CHECK(test_chimera());
  int checked = 0;
  int actions = 0;
  for (int devices = 2; devices <= 10; devices += 2) {
    for (int rounds = 1; rounds <= 4; ++rounds) {
      const int all = rounds * devices;
      INFO("D " << devices << " N " << all);
      const program rows = chimera::make(devices, 2 * devices, all);
      REQUIRE(complete_and_ascending(rows, actions));
      REQUIRE(proven(rows));
      CHECK(!chimera::allows(devices, 2 * devices, all, purpose::training).found());
      const facts times = asynchronous(rows, slot_cost);
      CHECK(times.makespan == 2 * all + devices - 2);
      CHECK(times.busiest == 2 * all);
      // The slots are those of the lockstep clock too, and of the formula; the update comes last.
      const stage_graph graph =
          chain_stage_graph(2 * devices, slot_cost, output_use::forward_only, 2);
      const facts slots = facts_of(rows.view(), lockstep_timeline(rows.view(), graph.view()));
      CHECK(slots.makespan == 2 * all + devices - 2);
      CHECK(slots.slots == 2 * all + devices - 1);
      ++checked;
    }
    const program unit = chimera::make(devices, 2 * devices, devices);
    for (int device = 0; device < devices; ++device) {
      const int from_end = std::min(device, devices - 1 - device);
      CHECK(peak_of_device(unit, device) == devices / 2 + 1 + from_end);
    }
  }
  // With a backward twice as long as a forward the rounds leave bubbles between them.
  CHECK(asynchronous(chimera::make(4, 8, 8), {}).makespan == 30);
  std::printf("checked %d Chimera programs of %d actions\n", checked, actions);
  CHECK(checked > 0);
}

TEST_CASE("no device of Chimera has two actions in a slot before the updates") {
  int checked = 0;
  for (int devices = 2; devices <= 10; devices += 2) {
    const program rows = chimera::make(devices, 2 * devices, 3 * devices);
    for (int device = 0; device < devices; ++device) {
      const int begin = rows.row_begin[static_cast<std::size_t>(device)];
      const int end = rows.row_begin[static_cast<std::size_t>(device) + 1] - 2;
      for (int i = begin + 1; i < end; ++i) {
        const std::size_t index = static_cast<std::size_t>(i);
        REQUIRE(rows.slot[index - 1] < rows.slot[index]);
        ++checked;
      }
    }
  }
  std::printf("checked %d slots of Chimera\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("DualPipe and DualPipeV have the bubbles of their formula") {
  CHECK(test_dualpipe());
  CHECK(test_joined());
  CHECK(asynchronous(dualpipe_v::make(8, 16, 16), {}).makespan == 110);
  CHECK(asynchronous(without_joins(dualpipe_v::make(8, 16, 16)), {}).makespan == 103);
  int checked = 0;
  int actions = 0;
  for (int depth = 1; depth <= 6; ++depth) {
    for (int extra = 0; extra <= 6; extra += 2) {
      INFO("depth " << depth << " extra " << extra);
      const program two = dualpipe::make(2 * depth, 4 * depth, 4 * depth + extra);
      const program v = dualpipe_v::make(depth, 2 * depth, 2 * depth + extra);
      REQUIRE(complete_and_ascending(two, actions));
      REQUIRE(complete_and_ascending(v, actions));
      REQUIRE(proven(two));
      REQUIRE(proven(v));
      CHECK(!dualpipe::allows(2 * depth, 4 * depth, 4 * depth + extra, purpose::training).found());
      CHECK(!dualpipe_v::allows(depth, 2 * depth, 2 * depth + extra, purpose::training).found());
      const reference_run fused(two);
      const reference_run fused_v(v);
      REQUIRE(fused.complete(two));
      REQUIRE(fused_v.complete(v));
      // F&B + B - 3W is 2 where F, I and W take 1 and F&B takes 3.
      CHECK(fused.makespan - 3 * (4 * depth + extra) == 2 * (depth - 1));
      CHECK(fused_v.makespan - 6 * (2 * depth + extra) == 2 * (depth - 1));
      CHECK(asynchronous(two, {}).makespan == fused.makespan);
      CHECK(asynchronous(v, {}).makespan == fused_v.makespan);
      const program apart = without_joins(v);
      CHECK(asynchronous(apart, {}).makespan == reference_run(apart).makespan);
      CHECK(asynchronous(apart, {}).flush_bubble() == depth - 1);
      for (int device = 0; device < 2 * depth; ++device) {
        CHECK(peak_of_device(two, device) == 2 * depth + 1);
        CHECK(peak_of_device(v, device / 2) == 2 * depth + 1);
      }
      checked += 2;
    }
  }
  std::printf("checked %d DualPipe programs of %d actions\n", checked, actions);
  CHECK(checked > 0);
}

TEST_CASE("what DualPipe joins is a forward and a backward of the other leg") {
  int checked = 0;
  for (int p = 1; p <= 6; ++p) {
    for (const int m : {2 * p, 2 * p + 3}) {
      const program rows = dualpipe_v::make(p, 2 * p, m);
      for (int device = 0; device < p; ++device) {
        const std::span<const action> row = rows.view().row(device);
        int pairs = 0;
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
          if (row[i].joined) {
            REQUIRE(row[i].kind == action_kind::forward);
            REQUIRE(row[i + 1].kind == action_kind::backward);
            REQUIRE(row[i].stage + row[i + 1].stage == 2 * p - 1);
            REQUIRE_FALSE(row[i + 1].joined);
            ++pairs;
          }
        }
        // Two in every round of the middle and one after it for each device behind; the last
        // device leaves the first apart.
        const int last = device == p - 1 ? 1 : 0;
        CHECK(pairs == 2 * (m - 2 * p + device + 1) + (p - 1 - device) - last);
        checked += pairs;
      }
    }
  }
  std::printf("checked %d joined pairs\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("both ends take half of an inference") {
  int checked = 0;
  for (int devices = 2; devices <= 8; devices += 2) {
    for (int all = 2; all <= 20; all += 2) {
      const program rows = chimera::make_forward(devices, 2 * devices, all);
      REQUIRE(proven(rows));
      REQUIRE(static_cast<int>(rows.actions.size()) == devices * all);
      CHECK(asynchronous(rows, slot_cost).makespan == all + devices - 2);
      checked += 3;
    }
  }
  std::printf("checked %d facts of inference\n", checked);
  CHECK(checked > 0);
}
