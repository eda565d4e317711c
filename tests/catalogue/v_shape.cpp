// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/catalogue/v_blocks.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

static_assert(schedule_type<zb_v>);
static_assert(schedule_type<v_half>);
static_assert(schedule_type<v_min>);
static_assert(schedule_type<one_f_one_b_v>);
static_assert(default_devices<zb_v>(8) == 4);

static_assert(zb_v::allows(4, 6, 8, purpose::training).message().view() ==
              "schedule zb-v: expected 2 stages on each of 4 devices, got 6 stages. Hint: cut the "
              "model into 8 stages, or use 3 devices");
static_assert(!v_min::allows(4, 8, 1, purpose::training).found());
static_assert(v_half::allows(4, 8, 0, purpose::training).found());
static_assert(one_f_one_b_v::allows(2, 3, 1, purpose::inference).found());

namespace {

struct outcome {
  bool proven = false;
  facts times;
  int peak = 0;
};

/// The most forwards that a device keeps for a weight gradient to come.
constexpr int peak_of(const program_view& rows) {
  int peak = 0;
  for (int device = 0; device < rows.devices; ++device) {
    int held = 0;
    for (const action& what : rows.row(device)) {
      held += what.kind == action_kind::forward           ? 1
              : what.kind == action_kind::weight_gradient ? -1
                                                          : 0;
      peak = peak < held ? held : peak;
    }
  }
  return peak;
}

/// F, I and W take 1 in each of the two stages of a device, so that times are twice those of
/// devices on which they take 1.
template <typename Schedule>
constexpr outcome outcome_of(int devices, int micro_batches) {
  const program rows = Schedule::make(devices, 2 * devices, micro_batches);
  const stage_graph graph = chain_stage_graph(2 * devices);
  outcome found;
  found.proven = prove(rows.view(), graph.view()).proven();
  if (found.proven) {
    found.times = facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view()));
    found.peak = peak_of(rows.view());
  }
  return found;
}

constexpr checks test_zb_v() {
  const outcome found = outcome_of<zb_v>(4, 8);
  checks done;
  done.that(found.proven);
  done.that(found.times.makespan == 51);
  done.that(found.times.span_bubble == 0);
  done.that(found.times.ascending);
  done.that(found.peak == 8);
  return done;
}

static_assert(test_zb_v());

constexpr checks test_v_half() {
  const outcome found = outcome_of<v_half>(4, 8);
  checks done;
  done.that(found.proven);
  done.that(found.times.makespan == 53);
  done.that(found.peak == 6);
  return done;
}

static_assert(test_v_half());

constexpr checks test_v_min() {
  const outcome found = outcome_of<v_min>(4, 8);
  checks done;
  done.that(found.proven);
  done.that(found.times.makespan == 59);
  done.that(found.peak == 4);
  return done;
}

static_assert(test_v_min());

/// Whether every row does each kind of work of each of its stages once per micro-batch, in
/// ascending order, and at last the updates: without the proof's tables.
bool complete_and_ascending(const program& rows, int& checked) {
  for (int device = 0; device < rows.devices; ++device) {
    list<int> next(static_cast<std::size_t>(rows.stages * action_kinds), 0);
    for (const action& what : rows.view().row(device)) {
      const int key = what.stage * action_kinds;
      int& expected = next[static_cast<std::size_t>(key + static_cast<int>(what.kind))];
      if (expected != what.micro_batch ||
          (what.stage != device && what.stage != rows.stages - 1 - device)) {
        return false;
      }
      ++expected;
      ++checked;
    }
    for (const int stage : {device, rows.stages - 1 - device}) {
      const int* const done = next.data() + stage * action_kinds;
      if (done[static_cast<int>(action_kind::forward)] != rows.micro_batches ||
          done[static_cast<int>(action_kind::input_gradient)] != rows.micro_batches ||
          done[static_cast<int>(action_kind::weight_gradient)] != rows.micro_batches ||
          done[static_cast<int>(action_kind::update)] != 1) {
        return false;
      }
    }
  }
  return true;
}

template <typename Schedule>
int check_grid() {
  int checked = 0;
  int cases = 0;
  for (int p = 1; p <= 8; ++p) {
    for (const int m : {1, 2, 3, p, 2 * p - 1, 2 * p, 3 * p + 1, 5 * p}) {
      const program rows = Schedule::make(p, 2 * p, m);
      INFO(Schedule::name << " p " << p << " m " << m);
      CHECK(complete_and_ascending(rows, checked));
      const outcome found = outcome_of<Schedule>(p, m);
      CHECK(found.proven);
      CHECK(found.times.busiest == 6 * m);
      ++cases;
    }
  }
  std::printf("%s: checked %d programs of %d actions\n", Schedule::name.data(), cases, checked);
  return cases;
}

struct expectation {
  int devices;
  int twice_bubble;
  int peak;
};

template <typename Schedule>
int check_table(std::initializer_list<expectation> table) {
  int checked = 0;
  for (const expectation& row : table) {
    for (const int m : {2 * row.devices, 3 * row.devices + 1}) {
      const outcome found = outcome_of<Schedule>(row.devices, m);
      INFO(Schedule::name << " p " << row.devices << " m " << m);
      CHECK(found.times.flush_bubble() == row.twice_bubble);
      CHECK(found.peak == row.peak);
      ++checked;
    }
  }
  return checked;
}

}  // namespace

TEST_CASE("schedules on a V are proven for all counts") {
  CHECK(test_zb_v());
  CHECK(test_v_half());
  CHECK(test_v_min());
  CHECK(check_grid<zb_v>() + check_grid<v_half>() + check_grid<v_min>() +
            check_grid<one_f_one_b_v>() >
        0);
}

TEST_CASE("bubbles and peaks are those of the tables") {
  int checked = check_table<zb_v>({{2, 1, 4}, {4, 3, 8}, {8, 7, 16}, {16, 15, 32}});
  checked += check_table<v_half>({{4, 5, 6}, {8, 17, 10}, {16, 41, 18}});
  checked += check_table<v_min>({{4, 11, 4}, {8, 27, 8}, {16, 59, 12}});
  checked += check_table<one_f_one_b_v>({{4, 11, 6}, {8, 28, 12}});
  for (const int p : {1, 2, 4, 8, 16}) {
    CHECK(outcome_of<zb_v>(p, 2 * p).times.span_bubble == 0);
    ++checked;
  }
  std::printf("checked %d rows of the tables\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("ZB-V of few micro-batches is that of 2p - 1 without the others") {
  int checked = 0;
  for (int p = 1; p <= 6; ++p) {
    const program full = zb_v::make(p, 2 * p, 2 * p - 1);
    for (int m = 1; m < 2 * p - 1; ++m) {
      const program some = zb_v::make(p, 2 * p, m);
      std::size_t next = 0;
      for (const action& what : full.actions) {
        if (what.micro_batch < m) {
          REQUIRE(next < some.actions.size());
          REQUIRE(some.actions[next] == what);
          ++next;
          ++checked;
        }
      }
      CHECK(next == some.actions.size());
    }
  }
  std::printf("checked %d actions of few micro-batches\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("blocks of a V never meet and hand on in order") {
  int checked = 0;
  for (int p = 1; p <= 40; ++p) {
    for (const int which : {0, 1, 2}) {
      v_block before;
      for (int device = 0; device < p; ++device) {
        const v_block block = which == 0   ? v_half::block(p, device)
                              : which == 1 ? v_min::block(p, device)
                                           : one_f_one_b_v::block(p, device);
        unsigned used = 0;
        for (int leg = 0; leg < 4; ++leg) {
          used |= 1U << block.slot[leg] % v_block::interval;
          const bool along = leg % 2 == 0;
          REQUIRE((leg == 0 || block.slot[leg] > block.slot[leg - 1]));
          REQUIRE((device == 0 || (block.slot[leg] > before.slot[leg]) == along));
          checked += 2;
        }
        int places = 0;
        for (; used != 0; used >>= 1) {
          places += static_cast<int>(used & 1U);
        }
        REQUIRE(places == 4);
        before = block;
      }
    }
  }
  std::printf("checked %d orders of blocks\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("filled gaps shorten a program and leave its peak alone") {
  int checked = 0;
  int shorter = 0;
  const auto compare = [&](const program& dense, const program& filled) {
    const stage_graph graph = chain_stage_graph(dense.stages);
    const facts before = facts_of(dense.view(), asynchronous_timeline(dense.view(), graph.view()));
    const facts after = facts_of(filled.view(), asynchronous_timeline(filled.view(), graph.view()));
    CHECK(after.makespan <= before.makespan);
    CHECK(peak_of(filled.view()) <= peak_of(dense.view()));
    shorter += after.makespan < before.makespan ? 1 : 0;
    ++checked;
  };
  for (int p = 1; p <= 10; ++p) {
    for (const int m : {1, p, 2 * p + 1, 4 * p}) {
      compare(v_blocks::squeeze<v_half>(p, 2 * p, m), v_half::make(p, 2 * p, m));
      compare(v_blocks::squeeze<v_min>(p, 2 * p, m), v_min::make(p, 2 * p, m));
    }
  }
  std::printf("checked %d fillings, %d of them shorter\n", checked, shorter);
  CHECK(shorter > 0);
}

TEST_CASE("1F1B on a V keeps two thirds of 1F1B's memory and waits less") {
  int checked = 0;
  for (int p = 2; p <= 12; ++p) {
    const outcome found = outcome_of<one_f_one_b_v>(p, 3 * p);
    INFO("p " << p);
    CHECK(found.peak <= 4 * p / 3 + 2);
    CHECK(found.times.flush_bubble() < 6 * (p - 1));
    ++checked;
  }
  std::printf("checked %d depths of 1F1B on a V\n", checked);
  CHECK(checked > 0);
}
