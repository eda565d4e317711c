// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "schedule/oracle.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using kind = action_kind;

/// One row a device, stage s on device s.
program program_of(const oracle::rows& given, int micro_batches) {
  const int devices = static_cast<int>(given.size());
  program rows(devices, neighbouring_placement(devices, devices), micro_batches);
  for (const std::vector<action>& row : given) {
    for (const action& what : row) {
      rows.put(what.kind, what.stage, what.micro_batch);
    }
    rows.end_row();
  }
  return rows;
}

oracle::rows rows_of(const program& rows) {
  oracle::rows given;
  for (int device = 0; device < rows.devices; ++device) {
    const std::span<const action> row = rows.view().row(device);
    given.emplace_back(row.begin(), row.end());
  }
  return given;
}

constexpr bool proves(const program& rows, std::initializer_list<int> slots = {}) {
  const stage_graph graph = chain_stage_graph(rows.stages);
  const list<int> slot_counts = slots;
  return prove(rows.view(), graph.view(), slot_counts).proven();
}

static_assert(proves(grouped::make(2, 2, 4)));
static_assert(proves(interleaved::make(3, 3, 3)));
static_assert(proves(sequential_schedule::make(1, 3, 2)));
static_assert(proves(grouped::make_forward(3, 3, 3)));
// Activation, gradient, both stashes: a slot less in the first stash and nothing moves.
static_assert(proves(grouped::make(2, 2, 4), {1, 2, 3, 1}));
static_assert(!proves(grouped::make(2, 2, 4), {1, 2, 2, 1}));
static_assert(!proves(grouped::make(2, 2, 4), {1, 1, 3, 1}));

verdict judge(const oracle::rows& given, int micro_batches, std::span<const int> slots = {}) {
  const stage_graph graph = chain_stage_graph(static_cast<int>(given.size()));
  const program rows = program_of(given, micro_batches);
  return prove(rows.view(), graph.view(), slots);
}

const oracle::rows sound = {
    {{kind::forward, 0, 0},
     {kind::forward, 0, 1},
     {kind::backward, 0, 0},
     {kind::backward, 0, 1},
     {kind::update, 0, 0}},
    {{kind::forward, 1, 0},
     {kind::backward, 1, 0},
     {kind::forward, 1, 1},
     {kind::backward, 1, 1},
     {kind::update, 1, 0}},
};

void check_fault(const oracle::rows& given, schedule_fault fault, int device, int position,
                 std::string_view words) {
  const verdict found = judge(given, 2);
  CHECK(found.kind == fault);
  CHECK(found.device == device);
  CHECK(found.position == position);
  CHECK(found.fault.message().view() == words);
}

}  // namespace

TEST_CASE("every fault is told apart") {
  CHECK(judge(sound, 2).proven());
  oracle::rows given = sound;
  given[0][1].micro_batch = 2;
  check_fault(given, schedule_fault::unknown, 0, 1,
              "schedule mine, device 0 at position 1: expected stages below 2 and micro-batches "
              "below 2, got F0(2)");
  given = sound;
  given[0][1].stage = 1;
  check_fault(given, schedule_fault::misplaced, 0, 1,
              "schedule mine, device 0 at position 1: expected actions of the stages placed on "
              "device 0, got F1(1). Hint: stage 1 is on device 1");
  given = sound;
  given[0][1].micro_batch = 0;
  check_fault(given, schedule_fault::twice, 0, 1,
              "schedule mine, device 0 at position 1: expected every action once, got F0(0) again. "
              "Hint: a backward is either whole (B) or in halves (I, then W)");
  given = sound;
  std::swap(given[1][0], given[1][1]);
  check_fault(given, schedule_fault::out_of_order, 1, 0,
              "schedule mine, device 1 at position 0: expected the forward of a micro-batch before "
              "the rest of it, got B1(0) first");
  given = sound;
  std::swap(given[1][3], given[1][4]);
  check_fault(given, schedule_fault::early_update, 1, 3,
              "schedule mine, device 1 at position 3: expected the update of stage 1 after all of "
              "its backwards, got U1 before the last of them");
  given = sound;
  given[1].pop_back();
  check_fault(given, schedule_fault::missing, 1, -1,
              "schedule mine, device 1: expected an update of every stage after its backwards, got "
              "no U1");
  given = sound;
  given[0][2] = {kind::input_gradient, 0, 0};
  given[0].pop_back();
  check_fault(given, schedule_fault::missing, 0, -1,
              "schedule mine, device 0: expected every micro-batch forward and backward in every "
              "stage, got no W0(0)");
  given = sound;
  std::swap(given[1][0], given[1][2]);
  std::swap(given[1][1], given[1][3]);
  given[0] = {{kind::forward, 0, 0},
              {kind::backward, 0, 0},
              {kind::forward, 0, 1},
              {kind::backward, 0, 1},
              {kind::update, 0, 0}};
  check_fault(
      given, schedule_fault::deadlock, 0, 1,
      "schedule mine, device 0 at position 1: expected an order in which B0(0) gets its "
      "turn, got a wait forever for B1(0). Hint: B1(0) comes after F1(1) on device 1, which "
      "waits for F0(1)");
}

TEST_CASE("too few slots are a deadlock that names the edge") {
  const list<int> stash_short = {2, 2, 1, 1};
  const verdict own = judge(sound, 2, stash_short);
  CHECK(
      own.fault.message().view() ==
      "schedule mine, device 0 at position 1: expected an order in which F0(1) gets its turn, got "
      "a wait forever for B0(0) to free a slot. Hint: edge 2 has too few slots (1)");
  const program rows = grouped::make(2, 2, 4);
  const stage_graph graph = chain_stage_graph(2);
  const list<int> gradient_short = {1, 1, 3, 1};
  const verdict other = prove(rows.view(), graph.view(), gradient_short, "grouped");
  CHECK(other.kind == schedule_fault::deadlock);
  CHECK(other.fault.message().view().find("to free a slot") != std::string_view::npos);
  const list<int> no_slot = {0, 1, 3, 1};
  CHECK(prove(rows.view(), graph.view(), no_slot).kind == schedule_fault::malformed);
  const list<int> one_count = {1};
  CHECK(prove(rows.view(), graph.view(), one_count).kind == schedule_fault::malformed);
}

TEST_CASE("halves of a backward follow each other, and the last frees the slot") {
  oracle::rows given = sound;
  given[1] = {{kind::forward, 1, 0},        {kind::input_gradient, 1, 0},
              {kind::forward, 1, 1},        {kind::weight_gradient, 1, 0},
              {kind::input_gradient, 1, 1}, {kind::weight_gradient, 1, 1},
              {kind::update, 1, 0}};
  CHECK(judge(given, 2).proven());
  const list<int> one_stash = {2, 1, 2, 1};
  CHECK(judge(given, 2, one_stash).kind == schedule_fault::deadlock);
  const list<int> two_stashes = {2, 1, 2, 2};
  CHECK(judge(given, 2, two_stashes).proven());
  std::swap(given[1][1], given[1][3]);
  CHECK(judge(given, 2).kind == schedule_fault::out_of_order);
  std::swap(given[1][1], given[1][3]);
  given[1][3].kind = kind::backward;
  CHECK(judge(given, 2).kind == schedule_fault::twice);
}

TEST_CASE("recomputation stands between forward and backward") {
  oracle::rows given = sound;
  given[0].insert(given[0].begin() + 2, {kind::recompute, 0, 0});
  CHECK(judge(given, 2).proven());
  std::swap(given[0][2], given[0][3]);
  CHECK(judge(given, 2).kind == schedule_fault::out_of_order);
}

TEST_CASE("edges of steps that nobody does are refused") {
  const program rows = grouped::make(2, 2, 4);
  stage_graph graph = chain_stage_graph(2);
  graph.edges[0].writer.kind = kind::recompute;
  CHECK(prove(rows.view(), graph.view()).kind == schedule_fault::unknown);
  graph = chain_stage_graph(2);
  graph.edges[0].readers[0].stage = 2;
  CHECK(prove(rows.view(), graph.view()).kind == schedule_fault::unknown);
}

TEST_CASE("every single change of a program is judged as the oracle judges it") {
  constexpr int micro_batches = 4;
  int checked = 0;
  int legal = 0;
  const auto compare = [&](const oracle::rows& given) {
    for (const int slots : {0, 1, 2, 4}) {
      const int stash = slots == 0 ? 0 : slots + 1;
      const list<int> counts = {slots, slots, slots, slots, stash, stash, stash};
      const bool expected = oracle::runs(given, micro_batches, slots, slots, stash);
      const list<int> none;
      REQUIRE(judge(given, micro_batches, slots == 0 ? none : counts).proven() == expected);
      ++checked;
      legal += expected;
    }
  };
  for (const program& from :
       {grouped::make(3, 3, micro_batches), interleaved::make(3, 3, micro_batches),
        sequential_schedule::make(3, 3, micro_batches)}) {
    const oracle::rows base = rows_of(from);
    compare(base);
    for (std::size_t device = 0; device < base.size(); ++device) {
      for (std::size_t i = 0; i < base[device].size(); ++i) {
        oracle::rows given = base;
        given[device].erase(given[device].begin() + static_cast<std::ptrdiff_t>(i));
        compare(given);
        given = base;
        given[device].push_back(base[device][i]);
        compare(given);
        for (std::size_t j = i + 1; j < base[device].size(); ++j) {
          given = base;
          std::swap(given[device][i], given[device][j]);
          compare(given);
        }
      }
    }
  }
  std::printf("checked %d changes against the oracle, %d of them legal\n", checked, legal);
  CHECK(checked > 0);
  CHECK(legal > 0);
  CHECK(legal < checked);
}
