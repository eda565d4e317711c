// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/catalogue/asynchronous.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/slots.hpp>
#include <ipu_dsl/study/text/csv_reader.hpp>

#include "schedule/oracle.hpp"
#include "schedule/simulation.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

using kind = action_kind;

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

constexpr verdict judge(const oracle::row_table& given, int micro_batches,
                        std::span<const int> slots = {}) {
  const stage_graph graph = chain_stage_graph(static_cast<int>(given.size()));
  const program rows = oracle::program_of(given, micro_batches);
  return prove(rows.view(), graph.view(), slots);
}

constexpr oracle::row_table sound() {
  return {
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
}

constexpr list<int> kept_of(const std::vector<std::int64_t>& micro_batches) {
  list<int> kept;
  for (const std::int64_t limit : micro_batches) {
    kept.push_back(static_cast<int>(limit));
  }
  return kept;
}

/// What the proof has to say of a program, and what the simulation has to agree with.
struct expectation {
  schedule_fault fault;
  int device;
  int position;
  action at = {};
  std::string_view words;
};

void check_fault(const program& rows, const stage_graph& graph, const expectation& expected,
                 std::span<const int> slots = {}, const oracle::limits& kept = {}) {
  const list<int> stash = kept_of(kept.micro_batches);
  const proof_limits limits = {stash, kept.bytes};
  const verdict found = prove(rows.view(), graph.view(), slots, "mine", limits);
  CHECK(found.kind == expected.fault);
  CHECK(found.device == expected.device);
  CHECK(found.position == expected.position);
  CHECK(describe(found.at).view() == describe(expected.at).view());
  CHECK(found.fault.message().view() == expected.words);
  const oracle::outcome second = oracle::judge(rows.view(), graph.view(), slots, kept);
  CHECK(second.kind == expected.fault);
  CHECK(second.device == expected.device);
  CHECK(second.position == expected.position);
  CHECK(second.at == found.at);
}

/// Of one stage a device.
void check_fault(const oracle::row_table& given, const expectation& expected) {
  const stage_graph graph = chain_stage_graph(static_cast<int>(given.size()));
  check_fault(oracle::program_of(given, 2), graph, expected);
}

constexpr checks test_overwritten_slot() {
  checks done;
  // One device, two stages, one slot for F0 -> F1, B0: F0(1) comes before B0(0) has
  // read, F0(2) before F1(1) has; the readers are passed in either order.
  program rows(1, neighbouring_placement(1, 2), 3);
  for (const action& what :
       {action{kind::forward, 0, 0}, action{kind::forward, 1, 0}, action{kind::forward, 0, 1},
        action{kind::backward, 1, 0}, action{kind::backward, 0, 0}, action{kind::forward, 0, 2},
        action{kind::forward, 1, 1}, action{kind::forward, 1, 2}, action{kind::backward, 1, 1},
        action{kind::backward, 0, 1}, action{kind::backward, 1, 2}, action{kind::backward, 0, 2},
        action{kind::update, 0, 0}, action{kind::update, 1, 0}}) {
    rows.put(what.kind, what.stage, what.micro_batch);
  }
  rows.end_row();
  stage_graph graph = chain_stage_graph(2);
  graph.edges = {};
  graph.add_edge({0, kind::forward}).read_by(0, kind::backward).read_by(1, kind::forward);
  const list<int> one_slot = {1};
  verdict found = prove(rows.view(), graph.view(), one_slot);
  done.that(found.kind == schedule_fault::deadlock);
  done.that(found.position == 2);
  done.that(found.at == action{kind::forward, 0, 1});
  const auto first = static_cast<std::size_t>(graph.edges[0].first_reader);
  std::swap(graph.readers[first], graph.readers[first + 1]);
  found = prove(rows.view(), graph.view(), one_slot);
  done.that(found.position == 2);
  done.that(found.at == action{kind::forward, 0, 1});
  return done;
}

static_assert(test_overwritten_slot());

constexpr checks test_edges_of_unknown_steps() {
  checks done;
  const program rows = grouped::make(2, 2, 4);
  stage_graph graph = chain_stage_graph(2);
  graph.edges[0].writer.kind = kind::recompute;
  done.that(prove(rows.view(), graph.view()).kind == schedule_fault::unknown);
  graph = chain_stage_graph(2);
  graph.readers[0].stage = 2;
  done.that(prove(rows.view(), graph.view()).kind == schedule_fault::unknown);
  return done;
}

static_assert(test_edges_of_unknown_steps());

constexpr checks test_backward_left_out_of_text() {
  checks done;
  const parsed_schedule read = parse_csv("0F0,0F1,0B0,0B1\n,1F0,1B0,1F1\n");
  done.that(!read.fault.found());
  const verdict found = prove(read.rows.view(), chain_stage_graph(2).view());
  done.that(found.device == 1);
  done.that(found.position == -1);
  done.that(
      found.fault.message().view() ==
      "schedule mine, device 1: expected every micro-batch forward and backward in every stage, "
      "got no B1(1). Hint: a backward is either whole (B) or in halves (I, then W)");
  return done;
}

static_assert(test_backward_left_out_of_text());

constexpr checks test_malformed() {
  checks done;
  const program sound_rows = oracle::program_of(sound(), 2);
  const stage_graph graph = chain_stage_graph(2);
  done.that(judge(sound(), 2).proven());
  const verdict found = prove(sound_rows.view(), chain_stage_graph(3).view());
  done.that(found.kind == schedule_fault::malformed);
  done.that(found.device == -1);
  done.that(found.position == -1);
  done.that(found.fault.message().view() ==
            "schedule mine: expected costs of 2 stages, as the rows have them, got those of 3");
  const stage_graph negative = chain_stage_graph(2, {.weight_gradient = -1});
  done.that(prove(sound_rows.view(), negative.view()).fault.message().view() ==
            "schedule mine: expected costs of at least 0, got less in stage 0");
  const std::int64_t most = proof::most_cost(sound_rows.view());
  stage_graph dear = chain_stage_graph(2, {.forward = most, .input_gradient = most});
  dear.hop = most;
  done.that(prove(sound_rows.view(), dear.view()).proven());
  dear.costs[1].weight_gradient = most + 1;
  done.that(prove(sound_rows.view(), dear.view()).fault.message().view() ==
            "schedule mine: expected costs of at most 104811045873349725 with 10 actions, got more "
            "in stage 1");
  dear.costs[1].weight_gradient = most;
  dear.hop = most + 1;
  done.that(prove(sound_rows.view(), dear.view()).fault.message().view() ==
            "schedule mine: expected costs of at most 104811045873349725 with 10 actions, got more "
            "for a hop");
  const int no_slots[] = {1};
  done.that(
      prove(sound_rows.view(), graph.view(), no_slots).fault.message().view() ==
      "schedule mine: expected rows, placement, costs, weights and slots that fit each other, "
      "got 2 devices, 2 stages, 2 micro-batches and 1 slot count. Hint: every device needs a "
      "row (end_row or end_training_row ends it), every edge a slot");
  const auto malformed = [&](auto change) {
    program rows = sound_rows;
    change(rows);
    return prove(rows.view(), graph.view()).kind == schedule_fault::malformed;
  };
  done.that(!malformed([](program&) {}));
  done.that(malformed([](program& rows) { rows.devices = 0; }));
  done.that(malformed([](program& rows) { rows.devices = 3; }));
  done.that(malformed([](program& rows) { rows.stages = 3; }));
  done.that(malformed([](program& rows) { rows.micro_batches = 0; }));
  done.that(malformed([](program& rows) { rows.device_of_stage.push_back(0); }));
  done.that(malformed([](program& rows) { rows.row_begin[0] = 1; }));
  done.that(malformed([](program& rows) { rows.row_begin[1] = 11; }));
  done.that(malformed([](program& rows) { rows.row_begin[2] = 9; }));
  done.that(malformed([](program& rows) { rows.slot.push_back(0); }));
  done.that(malformed([](program& rows) { rows.weights.copies = 0; }));
  done.that(malformed([](program& rows) { rows.weights.copies = 3; }));
  done.that(malformed([](program& rows) { rows.weights.update_interval = -1; }));
  done.that(malformed([](program& rows) { rows.weights.delay = -2; }));
  stage_graph faster_than_light = graph;
  faster_than_light.hop = -1;
  done.that(prove(sound_rows.view(), faster_than_light.view()).kind == schedule_fault::malformed);
  return done;
}

static_assert(test_malformed());

constexpr checks test_too_few_slots() {
  checks done;
  const list<int> stash_short = {2, 2, 1, 1};
  const verdict own = judge(sound(), 2, stash_short);
  done.that(
      own.fault.message().view() ==
      "schedule mine, device 0 at position 1: expected an order in which F0(1) gets its turn, got "
      "a wait forever for B0(0) to free a slot. Hint: edge 2 has too few slots (1)");
  const program rows = grouped::make(2, 2, 4);
  const stage_graph graph = chain_stage_graph(2);
  const list<int> gradient_short = {1, 1, 3, 1};
  const verdict other = prove(rows.view(), graph.view(), gradient_short, "grouped");
  done.that(other.kind == schedule_fault::deadlock);
  done.that(other.fault.message().view().find("to free a slot") != std::string_view::npos);
  const list<int> no_slot = {0, 1, 3, 1};
  done.that(prove(rows.view(), graph.view(), no_slot).kind == schedule_fault::malformed);
  const list<int> one_count = {1};
  done.that(prove(rows.view(), graph.view(), one_count).kind == schedule_fault::malformed);
  return done;
}

static_assert(test_too_few_slots());

constexpr checks test_halves() {
  checks done;
  oracle::row_table given = sound();
  given[1] = {{kind::forward, 1, 0},        {kind::input_gradient, 1, 0},
              {kind::forward, 1, 1},        {kind::weight_gradient, 1, 0},
              {kind::input_gradient, 1, 1}, {kind::weight_gradient, 1, 1},
              {kind::update, 1, 0}};
  done.that(judge(given, 2).proven());
  const list<int> one_stash = {2, 1, 2, 1};
  done.that(judge(given, 2, one_stash).kind == schedule_fault::deadlock);
  const list<int> two_stashes = {2, 1, 2, 2};
  done.that(judge(given, 2, two_stashes).proven());
  std::swap(given[1][1], given[1][3]);
  done.that(judge(given, 2).kind == schedule_fault::out_of_order);
  std::swap(given[1][1], given[1][3]);
  given[1][3].kind = kind::backward;
  done.that(judge(given, 2).kind == schedule_fault::twice);
  return done;
}

static_assert(test_halves());

constexpr checks test_recomputation() {
  checks done;
  oracle::row_table given = sound();
  given[0].insert(given[0].begin() + 2, {kind::recompute, 0, 0});
  done.that(judge(given, 2).proven());
  std::swap(given[0][2], given[0][3]);
  done.that(judge(given, 2).kind == schedule_fault::out_of_order);
  return done;
}

static_assert(test_recomputation());

}  // namespace

TEST_CASE("rows that fit nothing are malformed") {
  CHECK(test_malformed());
}

TEST_CASE("actions that do not exist, or not here") {
  oracle::row_table given = sound();
  given[0][1].micro_batch = 2;
  check_fault(given, {schedule_fault::unknown,
                      0,
                      1,
                      {kind::forward, 0, 2},
                      "schedule mine, device 0 at position 1: expected stages below 2 and "
                      "micro-batches below 2, got F0(2)"});
  given = sound();
  given[1][2].stage = -1;
  check_fault(given, {schedule_fault::unknown,
                      1,
                      2,
                      {kind::forward, -1, 1},
                      "schedule mine, device 1 at position 2: expected stages below 2 and "
                      "micro-batches below 2, got F-1(1)"});
  given = sound();
  given[1][4].micro_batch = 1;
  check_fault(given, {schedule_fault::unknown,
                      1,
                      4,
                      {kind::update, 1, 1},
                      "schedule mine, device 1 at position 4: expected stages below 2 and updates "
                      "below 1, got U1(1)"});
  given = sound();
  given[0][1].stage = 1;
  check_fault(given, {schedule_fault::misplaced,
                      0,
                      1,
                      {kind::forward, 1, 1},
                      "schedule mine, device 0 at position 1: expected actions of the stages "
                      "placed on device 0, got F1(1). Hint: stage 1 is on device 1"});
}

TEST_CASE("actions that stand twice") {
  oracle::row_table given = sound();
  given[0][1].micro_batch = 0;
  check_fault(given, {schedule_fault::twice,
                      0,
                      1,
                      {kind::forward, 0, 0},
                      "schedule mine, device 0 at position 1: expected every action once, got "
                      "F0(0) again"});
  int checked = 0;
  const kind B = kind::backward;
  const kind I = kind::input_gradient;
  const kind W = kind::weight_gradient;
  const kind R = kind::recompute;
  const kind O = kind::offload;
  const kind L = kind::fetch;
  const std::vector<std::vector<kind>> lives = {
      {B, B},    {B, I},    {B, W},       {I, B},       {I, I},       {I, W, B},
      {I, W, I}, {I, W, W}, {R, R},       {R, B, R},    {R, I, W, R}, {O, O},
      {O, L, O}, {O, L, L}, {O, L, B, O}, {O, L, B, L}, {O, L, I, L}};
  for (const std::vector<kind>& life : lives) {
    given = sound();
    given[0] = {{kind::forward, 0, 0}};
    for (const kind next : life) {
      given[0].push_back({next, 0, 0});
    }
    const int last = static_cast<int>(life.size());
    const verdict found = judge(given, 2);
    INFO(found.fault.message().view());
    CHECK(found.kind == schedule_fault::twice);
    CHECK(found.device == 0);
    CHECK(found.position == last);
    CHECK(found.at == given[0].back());
    ++checked;
  }
  given = sound();
  given[0].push_back({kind::update, 0, 0});
  check_fault(given, {schedule_fault::twice,
                      0,
                      5,
                      {kind::update, 0, 0},
                      "schedule mine, device 0 at position 5: expected every action once, got U0 "
                      "again"});
  std::printf("checked %d actions that stand twice\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("actions of a micro-batch out of order") {
  oracle::row_table given = sound();
  std::swap(given[1][0], given[1][1]);
  check_fault(given, {schedule_fault::out_of_order,
                      1,
                      0,
                      {kind::backward, 1, 0},
                      "schedule mine, device 1 at position 0: expected the forward of a "
                      "micro-batch before the rest of it, got B1(0) first"});
  given = sound();
  given[0][2] = {kind::weight_gradient, 0, 0};
  check_fault(given, {schedule_fault::out_of_order,
                      0,
                      2,
                      {kind::weight_gradient, 0, 0},
                      "schedule mine, device 0 at position 2: expected the input gradient before "
                      "the weight gradient, got W0(0) first"});
  const std::string_view around =
      "schedule mine, device 0 at position 3: expected recomputation between forward and backward, "
      "of what is not offloaded, got R0(0) first";
  given = sound();
  given[0].insert(given[0].begin() + 3, {kind::recompute, 0, 0});
  check_fault(given, {schedule_fault::out_of_order, 0, 3, {kind::recompute, 0, 0}, around});
  given[0][2].kind = kind::input_gradient;
  check_fault(given, {schedule_fault::out_of_order, 0, 3, {kind::recompute, 0, 0}, around});
  given[0][2].kind = kind::offload;
  check_fault(given, {schedule_fault::out_of_order, 0, 3, {kind::recompute, 0, 0}, around});
}

TEST_CASE("what is offloaded is fetched before the backward") {
  oracle::row_table given = sound();
  const action away = {kind::offload, 0, 0};
  const action back = {kind::fetch, 0, 0};
  given[0].insert(given[0].begin() + 1, away);
  given[0].insert(given[0].begin() + 3, back);
  CHECK(judge(given, 2).proven());
  oracle::row_table planted = given;
  planted[0].erase(planted[0].begin() + 3);
  verdict found = judge(planted, 2);
  CHECK(found.kind == schedule_fault::out_of_order);
  CHECK(found.device == 0);
  CHECK(found.position == 3);
  CHECK(found.at == action{kind::backward, 0, 0});
  INFO(found.fault.message().view());
  CHECK(found.fault.message().view().find("fetch") != std::string_view::npos);
  planted[0][3] = {kind::input_gradient, 0, 0};
  found = judge(planted, 2);
  CHECK(found.kind == schedule_fault::out_of_order);
  CHECK(found.position == 3);
  planted = given;
  planted[0].erase(planted[0].begin() + 1);
  check_fault(planted, {schedule_fault::out_of_order, 0, 2, back,
                        "schedule mine, device 0 at position 2: expected a fetch of what was "
                        "offloaded, got L0(0) first"});
  planted = given;
  std::swap(planted[0][1], planted[0][3]);
  check_fault(planted, {schedule_fault::out_of_order, 0, 1, back,
                        "schedule mine, device 0 at position 1: expected a fetch of what was "
                        "offloaded, got L0(0) first"});
  planted = sound();
  planted[0].insert(planted[0].begin() + 3, away);
  check_fault(planted, {schedule_fault::out_of_order, 0, 3, away,
                        "schedule mine, device 0 at position 3: expected an offload between "
                        "forward and backward, got O0(0) first"});
  planted = sound();
  planted[0].insert(planted[0].begin(), away);
  check_fault(planted, {schedule_fault::out_of_order, 0, 0, away,
                        "schedule mine, device 0 at position 0: expected an offload between "
                        "forward and backward, got O0(0) first"});
}

TEST_CASE("a synchronous update comes once, after all backwards of its stage") {
  oracle::row_table given = sound();
  std::swap(given[1][3], given[1][4]);
  check_fault(given, {schedule_fault::early_update,
                      1,
                      3,
                      {kind::update, 1, 0},
                      "schedule mine, device 1 at position 3: expected the update of stage 1 after "
                      "all of its backwards, got U1 before the last of them"});
  given = sound();
  given[0][3] = {kind::input_gradient, 0, 1};
  given[0].push_back({kind::weight_gradient, 0, 1});
  check_fault(given, {schedule_fault::early_update,
                      0,
                      4,
                      {kind::update, 0, 0},
                      "schedule mine, device 0 at position 4: expected the update of stage 0 after "
                      "all of its backwards, got U0 before the last of them"});
  given = sound();
  given[1].pop_back();
  check_fault(given, {schedule_fault::missing,
                      1,
                      -1,
                      {kind::update, 1, 0},
                      "schedule mine, device 1: expected an update of every stage after its "
                      "backwards, got no U1. Hint: end_training_row(device) in place of "
                      "end_row() puts them there"});
}

TEST_CASE("updates in the middle of a stream") {
  const program stream = pipedream::make(2, 2, 4);
  const stage_graph graph = chain_stage_graph(2);
  const oracle::row_table base = oracle::rows_of(stream);
  CHECK(prove(stream.view(), graph.view()).proven());
  // Device 1: F0 B0 U0 F1 B1 U1 ...
  oracle::row_table given = base;
  std::swap(given[1][1], given[1][2]);
  check_fault(oracle::program_of(given, stream), graph,
              {schedule_fault::early_update,
               1,
               1,
               {kind::update, 1, 0},
               "schedule mine, device 1 at position 1: expected the update of stage 1 after the "
               "backwards it takes, got U1 before the last of them"});
  given = base;
  std::swap(given[1][2], given[1][5]);
  check_fault(oracle::program_of(given, stream), graph,
              {schedule_fault::out_of_order,
               1,
               2,
               {kind::update, 1, 1},
               "schedule mine, device 1 at position 2: expected the updates of a stage in "
               "ascending order, got U1(1) first"});
  given = base;
  given[1][5].micro_batch = 0;
  check_fault(oracle::program_of(given, stream), graph,
              {schedule_fault::twice,
               1,
               5,
               {kind::update, 1, 0},
               "schedule mine, device 1 at position 5: expected every action once, got U1 again"});
  given = base;
  given[1].pop_back();
  check_fault(oracle::program_of(given, stream), graph,
              {schedule_fault::missing,
               1,
               -1,
               {kind::update, 1, 3},
               "schedule mine, device 1: expected an update of every stage after its backwards, "
               "got no U1(3)"});
  given = base;
  given[0].push_back({kind::update, 0, 4});
  check_fault(oracle::program_of(given, stream), graph,
              {schedule_fault::unknown,
               0,
               12,
               {kind::update, 0, 4},
               "schedule mine, device 0 at position 12: expected stages below 2 and updates below "
               "4, got U0(4)"});
}

TEST_CASE("a delay promises versions of the weights") {
  // Device 0: F0 F1 B0 F2 B1 U0 F3 B2 F4 B3 U1 ... with batches of two.
  const program stream = pipedream_2bw<2>::make(2, 2, 6);
  const stage_graph graph = chain_stage_graph(2);
  CHECK(prove(stream.view(), graph.view()).proven());
  program none = stream;
  none.weights.delay = 0;
  check_fault(none, graph,
              {schedule_fault::no_version,
               0,
               3,
               {kind::forward, 0, 2},
               "schedule mine, device 0 at position 3: expected the version of the weights that is "
               "0 behind its batch, got F0(2) before the update that makes it. Hint: let the "
               "update come earlier, or a larger delay"});
  // The first update after the first forward of the third batch.
  oracle::row_table given = oracle::rows_of(stream);
  REQUIRE(given[0][5] == action{kind::update, 0, 0});
  REQUIRE(given[0][8] == action{kind::forward, 0, 4});
  const action late = given[0][5];
  given[0].erase(given[0].begin() + 5);
  given[0].insert(given[0].begin() + 7, late);
  CHECK(prove(oracle::program_of(given, stream).view(), graph.view()).proven());
  std::swap(given[0][7], given[0][8]);
  check_fault(oracle::program_of(given, stream), graph,
              {schedule_fault::no_version,
               0,
               7,
               {kind::forward, 0, 4},
               "schedule mine, device 0 at position 7: expected the version of the weights that is "
               "1 behind its batch, got F0(4) before the update that makes it. Hint: let the "
               "update come earlier, or a larger delay"});
  program newest = oracle::program_of(given, stream);
  newest.weights.delay = weight_policy::newest;
  CHECK(prove(newest.view(), graph.view()).proven());
}

TEST_CASE("missing actions are named by stage, forward first") {
  oracle::row_table given = sound();
  given[0][2] = {kind::input_gradient, 0, 0};
  given[0].pop_back();
  check_fault(given, {schedule_fault::missing,
                      0,
                      -1,
                      {kind::weight_gradient, 0, 0},
                      "schedule mine, device 0: expected every micro-batch forward and backward in "
                      "every stage, got no W0(0)"});
  given = sound();
  given[0].erase(given[0].begin() + 2, given[0].end());
  given[1].erase(given[1].begin() + 2, given[1].end());
  check_fault(given, {schedule_fault::missing,
                      0,
                      -1,
                      {kind::backward, 0, 0},
                      "schedule mine, device 0: expected every micro-batch forward and backward in "
                      "every stage, got no B0(0)"});
  given = {{{kind::forward, 0, 0}, {kind::forward, 0, 1}}, {{kind::forward, 1, 0}}};
  check_fault(given, {schedule_fault::missing,
                      1,
                      -1,
                      {kind::forward, 1, 1},
                      "schedule mine, device 1: expected every micro-batch forward in every stage, "
                      "got no F1(1)"});
}

TEST_CASE("a device keeps no more than it may") {
  stage_graph graph = chain_stage_graph(2);
  graph.costs[0].stash_bytes = 100;
  graph.costs[1].stash_bytes = 7;
  const program rows = oracle::program_of(sound(), 2);
  const expectation one_too_many = {
      schedule_fault::memory,
      0,
      1,
      {kind::forward, 0, 1},
      "schedule mine, device 0 at position 1: expected at most 1 micro-batch kept for the "
      "backward, got 2 with F0(1). Hint: fewer forwards ahead, recomputation, or an offload"};
  check_fault(rows, graph, one_too_many, {}, {.micro_batches = {1, 1}, .bytes = {}});
  const expectation bytes = {
      schedule_fault::memory,
      0,
      1,
      {kind::forward, 0, 1},
      "schedule mine, device 0 at position 1: expected at most 199 bytes kept for the backward, "
      "got 200 with F0(1). Hint: fewer forwards ahead, recomputation, or an offload"};
  check_fault(rows, graph, bytes, {}, {.micro_batches = {2, 1}, .bytes = {199, 7}});
  const expectation last = {
      schedule_fault::memory,
      1,
      0,
      {kind::forward, 1, 0},
      "schedule mine, device 1 at position 0: expected at most 6 bytes kept for the backward, got "
      "7 with F1(0). Hint: fewer forwards ahead, recomputation, or an offload"};
  check_fault(rows, graph, last, {}, {.micro_batches = {}, .bytes = {200, 6}});
  const list<int> enough = {2, 1};
  const list<std::int64_t> enough_bytes = {200, 7};
  CHECK(prove(rows.view(), graph.view(), {}, "mine", {enough, enough_bytes}).proven());
}

TEST_CASE("bytes are those of each stage, over all stages of a device") {
  // F0(0) F1(0) B1(0) B0(0), each stage with bytes of its own.
  program rows(1, neighbouring_placement(1, 2), 1);
  rows.put(kind::forward, 0, 0);
  rows.put(kind::forward, 1, 0);
  rows.put(kind::backward, 1, 0);
  rows.put(kind::backward, 0, 0);
  rows.put(kind::update, 0, 0);
  rows.put(kind::update, 1, 0);
  rows.end_row();
  stage_graph graph = chain_stage_graph(2);
  graph.costs[0].stash_bytes = 100;
  graph.costs[1].stash_bytes = 7;
  const list<std::int64_t> enough = {107};
  CHECK(prove(rows.view(), graph.view(), {}, "mine", {{}, enough}).proven());
  check_fault(rows, graph,
              {schedule_fault::memory,
               0,
               1,
               {kind::forward, 1, 0},
               "schedule mine, device 0 at position 1: expected at most 106 bytes kept for the "
               "backward, got 107 with F1(0). Hint: fewer forwards ahead, recomputation, or an "
               "offload"},
              {}, {.micro_batches = {2}, .bytes = {106}});
}

TEST_CASE("an offload makes room until the fetch") {
  stage_graph graph = chain_stage_graph(2);
  graph.costs[0].stash_bytes = 100;
  oracle::row_table given = sound();
  given[0] = {{kind::forward, 0, 0}, {kind::offload, 0, 0},  {kind::forward, 0, 1},
              {kind::offload, 0, 1}, {kind::fetch, 0, 0},    {kind::backward, 0, 0},
              {kind::fetch, 0, 1},   {kind::backward, 0, 1}, {kind::update, 0, 0}};
  const list<int> one = {1, 1};
  const list<std::int64_t> bytes = {100, 0};
  CHECK(
      prove(oracle::program_of(given, 2).view(), graph.view(), {}, "mine", {one, bytes}).proven());
  std::swap(given[0][5], given[0][6]);
  check_fault(oracle::program_of(given, 2), graph,
              {schedule_fault::memory,
               0,
               5,
               {kind::fetch, 0, 1},
               "schedule mine, device 0 at position 5: expected at most 1 micro-batch kept for "
               "the backward, got 2 with L0(1). Hint: fewer forwards ahead, recomputation, or an "
               "offload"},
              {}, {.micro_batches = {1, 1}, .bytes = {100, 0}});
  // Forwards alone keep nothing.
  const list<int> nothing = {0, 0};
  CHECK(prove(grouped::make_forward(2, 2, 2).view(), graph.view(), {}, "mine", {nothing, {}})
            .proven());
}

TEST_CASE("a cycle of waits is a deadlock of its lowest device") {
  oracle::row_table given = sound();
  std::swap(given[1][0], given[1][2]);
  std::swap(given[1][1], given[1][3]);
  given[0] = {{kind::forward, 0, 0},
              {kind::backward, 0, 0},
              {kind::forward, 0, 1},
              {kind::backward, 0, 1},
              {kind::update, 0, 0}};
  check_fault(given, {schedule_fault::deadlock,
                      0,
                      1,
                      {kind::backward, 0, 0},
                      "schedule mine, device 0 at position 1: expected an order in which B0(0) "
                      "gets its turn, got a wait forever for B1(0). Hint: B1(0) comes after F1(1) "
                      "on device 1, which waits for F0(1)"});
  // Two stages on one device, the later one first.
  program rows(1, neighbouring_placement(1, 2), 1);
  for (const int stage : {1, 0}) {
    rows.put(kind::forward, stage, 0);
  }
  rows.end_row();
  check_fault(rows, chain_stage_graph(2),
              {schedule_fault::deadlock,
               0,
               0,
               {kind::forward, 1, 0},
               "schedule mine, device 0 at position 0: expected an order in which F1(0) gets its "
               "turn, got a wait forever for F0(0). Hint: F0(0) stands later in the same row"});
}

TEST_CASE("a chain of waits is told device by device") {
  // B0(0) waits for B1(0), which is next on device 1 and waits for B2(0), which stands behind
  // F2(1).
  program rows(3, neighbouring_placement(3, 3), 2);
  for (const int stage : {0, 1}) {
    for (int i = 0; i < 2; ++i) {
      rows.put(kind::forward, stage, i);
      rows.put(kind::backward, stage, i);
    }
    rows.put(kind::update, stage, 0);
    rows.end_row();
  }
  for (const kind what : {kind::forward, kind::backward}) {
    rows.put(what, 2, 0);
    rows.put(what, 2, 1);
  }
  rows.put(kind::update, 2, 0);
  rows.end_row();
  const verdict found = prove(rows.view(), chain_stage_graph(3).view());
  CHECK(found.kind == schedule_fault::deadlock);
  CHECK(found.device == 0);
  CHECK(found.position == 1);
  CHECK(found.at == action{kind::backward, 0, 0});
  CHECK(found.fault.got.view() == "a wait forever for B1(0)");
  INFO(found.fault.hint.view());
  CHECK(found.fault.hint.view().find("B1(0) comes after B1(0)") == std::string_view::npos);
  CHECK(found.fault.hint.view().find("waits for B2(0)") != std::string_view::npos);
}

TEST_CASE("joined steps that need each other are a deadlock") {
  oracle::row_table given = sound();
  // F0(1) with B0(0), and B1(0) with F1(1): each step has half of what the other needs.
  given[1] = {{kind::forward, 1, 0},
              {kind::backward, 1, 0},
              {kind::forward, 1, 1},
              {kind::backward, 1, 1},
              {kind::update, 1, 0}};
  given[0][1].joined = true;
  CHECK(judge(given, 2).proven());
  given[0][1].joined = false;
  given[1][1].joined = true;
  CHECK(judge(given, 2).proven());
  given[0][1].joined = true;
  const verdict found = judge(given, 2);
  CHECK(found.kind == schedule_fault::deadlock);
  CHECK(found.device == 0);
  CHECK(found.position == 2);
  CHECK(found.at == action{kind::backward, 0, 0});
  CHECK(found.fault.got.view() == "a wait forever for B1(0)");
  const oracle::outcome second =
      oracle::judge(oracle::program_of(given, 2).view(), chain_stage_graph(2).view());
  CHECK(second.kind == schedule_fault::deadlock);
  CHECK(second.device == 0);
  CHECK(second.position == 2);
  // A stage after the other on one device: the second part needs the first to have ended.
  program rows(1, neighbouring_placement(1, 2), 1);
  rows.put_joined(kind::forward, 0, 0);
  rows.put(kind::forward, 1, 0);
  rows.end_row();
  const verdict own = prove(rows.view(), chain_stage_graph(2).view());
  CHECK(own.kind == schedule_fault::deadlock);
  CHECK(own.position == 1);
}

TEST_CASE("an update waits for the other copies, and never gets its turn before them") {
  // Devices 0 and 1, a pipe in each direction: stages 0, 1 and their copies 2, 3.
  program rows(2, mirrored_placement(2), 1);
  rows.weights.copies = 2;
  const auto both = [&rows](int first, int second) {
    rows.put(kind::forward, first, 0);
    rows.put(kind::forward, second, 0);
    rows.put(kind::backward, second, 0);
    rows.put(kind::backward, first, 0);
    rows.put(kind::update, first, 0);
    rows.put(kind::update, second, 0);
    rows.end_row();
  };
  both(0, 3);
  both(2, 1);
  const stage_graph graph = chain_stage_graph(4, stage_cost(), output_use::forward_only, 2);
  CHECK(prove(rows.view(), graph.view()).proven());
  // Copies on one device: an update before the backward of the copy waits for its own row.
  program alone(1, list<int>{0, 0}, 1);
  alone.weights.copies = 2;
  for (const int stage : {0, 1}) {
    alone.put(kind::forward, stage, 0);
    alone.put(kind::backward, stage, 0);
    alone.put(kind::update, stage, 0);
  }
  alone.end_row();
  check_fault(alone, chain_stage_graph(2, stage_cost(), output_use::forward_only, 2),
              {schedule_fault::deadlock,
               0,
               2,
               {kind::update, 0, 0},
               "schedule mine, device 0 at position 2: expected an order in which U0 gets its "
               "turn, got a wait forever for B1(0). Hint: B1(0) stands later in the same row"});
  alone.weights.copies = 1;
  CHECK(prove(alone.view(), chain_stage_graph(2, stage_cost(), output_use::forward_only, 2).view())
            .proven());
}

TEST_CASE("an update of copies waits for the backwards that it takes, not for later ones") {
  program rows(2, mirrored_placement(2), 2);
  rows.weights = {.copies = 2, .update_interval = 1};
  const auto both = [&rows](int first, int second) {
    for (int i = 0; i < 2; ++i) {
      rows.put(kind::forward, first, i);
      rows.put(kind::forward, second, i);
      rows.put(kind::backward, second, i);
      rows.put(kind::backward, first, i);
      rows.put(kind::update, first, i);
      rows.put(kind::update, second, i);
    }
    rows.end_row();
  };
  both(0, 3);
  both(2, 1);
  const stage_graph graph = chain_stage_graph(4, stage_cost(), output_use::forward_only, 2);
  CHECK(oracle::judge(rows.view(), graph.view()).kind == schedule_fault::none);
  const verdict found = prove(rows.view(), graph.view());
  INFO(found.fault.message().view());
  CHECK(found.proven());
}

TEST_CASE("too few slots are a deadlock that names the edge") {
  CHECK(test_too_few_slots());
}

TEST_CASE("the first action that would overwrite a slot is named, whoever reads it") {
  CHECK(test_overwritten_slot());
}

TEST_CASE("halves of a backward follow each other, and the last frees the slot") {
  CHECK(test_halves());
}

TEST_CASE("recomputation stands between forward and backward") {
  CHECK(test_recomputation());
}

TEST_CASE("edges of steps that nobody does are refused") {
  CHECK(test_edges_of_unknown_steps());
}

TEST_CASE("a backward that an update misses has no position") {
  const auto found_in = [](bool begun) {
    const int placement[] = {0};
    program rows(1, placement, 2);
    rows.put(action_kind::forward, 0, 0);
    rows.put(action_kind::forward, 0, 1);
    rows.put(action_kind::backward, 0, 0);
    if (begun) {
      rows.put(action_kind::input_gradient, 0, 1);
    }
    rows.end_training_row(0);
    return rows;
  };
  check_fault(found_in(false), chain_stage_graph(1),
              {schedule_fault::missing,
               0,
               -1,
               {kind::backward, 0, 1},
               "schedule mine, device 0: expected every micro-batch forward and backward in every "
               "stage, got no B0(1). Hint: a backward is either whole (B) or in halves (I, then "
               "W)"});
  check_fault(found_in(true), chain_stage_graph(1),
              {schedule_fault::missing,
               0,
               -1,
               {kind::weight_gradient, 0, 1},
               "schedule mine, device 0: expected every micro-batch forward and backward in every "
               "stage, got no W0(1). Hint: a backward is either whole (B) or in halves (I, then "
               "W)"});
}

TEST_CASE("a backward that a text leaves out is not looked for behind its end") {
  CHECK(test_backward_left_out_of_text());
}

TEST_CASE("no part of a step waits for another of the same stage") {
  const stage_graph graph = chain_stage_graph(2);
  // Every two neighbours of a sound row that are of one micro-batch, and the last backward with its
  // update.
  oracle::row_table given = sound();
  int checked = 0;
  for (const int first : {0, 2, 3}) {
    given = sound();
    given[1][static_cast<std::size_t>(first)].joined = true;
    const action later = given[1][static_cast<std::size_t>(first) + 1];
    const action before = {given[1][static_cast<std::size_t>(first)].kind, 1,
                           given[1][static_cast<std::size_t>(first)].micro_batch};
    text<511> words;
    words << "schedule mine, device 1 at position " << first + 1 << ": expected an order in which "
          << describe(later) << " gets its turn, got a wait forever for " << describe(before)
          << ". Hint: " << describe(later) << " and " << describe(before)
          << " are one step, which starts when all of its parts can: part them";
    check_fault(given, {schedule_fault::deadlock, 1, first + 1, later, words.view()});
    ++checked;
  }
  CHECK(checked == 3);
  // Parts of other micro-batches stand between.
  given = sound();
  given[1] = {{kind::forward, 1, 0, true},
              {kind::forward, 1, 1, true},
              {kind::backward, 1, 0},
              {kind::backward, 1, 1},
              {kind::update, 1, 0}};
  check_fault(given,
              {schedule_fault::deadlock,
               1,
               2,
               {kind::backward, 1, 0},
               "schedule mine, device 1 at position 2: expected an order in which B1(0) gets "
               "its turn, got a wait forever for F1(0). Hint: B1(0) and F1(0) are one step, "
               "which starts when all of its parts can: part them"});
  const parsed_schedule read = parse_csv("(0F0;0B0)OVERLAP_F_B\n");
  CHECK(prove(read.rows.view(), chain_stage_graph(1).view()).kind == schedule_fault::deadlock);
  // What does not depend on each other may be one step.
  given = sound();
  given[1][1].joined = true;
  given[0][0].joined = true;
  CHECK(judge(given, 2).proven());
}

TEST_CASE("versions of the weights are not made and used in one step") {
  // An update after every micro-batch, joined to the forward behind it.
  const auto judged = [](int delay) {
    program rows(1, neighbouring_placement(1, 1), 2);
    rows.weights = {.update_interval = 1, .delay = delay};
    rows.put(kind::forward, 0, 0);
    rows.put(kind::backward, 0, 0);
    rows.put_joined(kind::update, 0, 0);
    rows.put(kind::forward, 0, 1);
    rows.put(kind::backward, 0, 1);
    rows.put(kind::update, 0, 1);
    rows.end_row();
    const stage_graph graph = chain_stage_graph(1);
    const verdict found = prove(rows.view(), graph.view());
    const oracle::outcome second = oracle::judge(rows.view(), graph.view());
    CHECK(found.kind == second.kind);
    CHECK(found.position == second.position);
    return found;
  };
  CHECK(judged(0).kind == schedule_fault::deadlock);
  CHECK(judged(0).fault.got.view() == "a wait forever for U0");
  CHECK(judged(1).proven());
  CHECK(judged(weight_policy::newest).proven());
}

TEST_CASE("a slot is not freed and written in one step") {
  // F0(1) takes the slot of the stash that B0(0) reads, in the step of both.
  oracle::row_table given = {{{kind::forward, 0, 0},
                              {kind::backward, 0, 0, true},
                              {kind::forward, 0, 1},
                              {kind::backward, 0, 1},
                              {kind::update, 0, 0}}};
  const int one[] = {1};
  const int two[] = {2};
  CHECK_FALSE(judge(given, 2, one).proven());
  CHECK(judge(given, 2, two).proven());
  const stage_graph graph = chain_stage_graph(1);
  const program rows = oracle::program_of(given, 2);
  CHECK(oracle::judge(rows.view(), graph.view(), one).kind == schedule_fault::deadlock);
  CHECK(oracle::judge(rows.view(), graph.view(), two).kind == schedule_fault::none);
  CHECK(slots_without_delay(rows.view(), graph.view())[0] == 2);
  CHECK(least_slots(rows.view(), graph.view())[0] == 2);
  CHECK(slots_without_stall(rows.view(), graph.view())[0] == 2);
  given[0][1].joined = false;
  const program parted = oracle::program_of(given, 2);
  CHECK(slots_without_delay(parted.view(), graph.view())[0] == 1);
}

TEST_CASE("what stands in the same step is not said to stand later") {
  // Stage 1 on the device of stage 0: the first part waits for the second, and the second for it.
  program rows(1, neighbouring_placement(1, 2), 1);
  rows.put_joined(kind::forward, 0, 0);
  rows.put(kind::forward, 1, 0);
  rows.end_row();
  CHECK(
      prove(rows.view(), chain_stage_graph(2).view()).fault.message().view() ==
      "schedule mine, device 0 at position 1: expected an order in which F1(0) gets its turn, got "
      "a wait forever for F0(0). Hint: F1(0) and F0(0) are one step, which starts when all of its "
      "parts can: part them");
  // Device 0 wants B1(0), which device 1 has in a step with what it waits for itself.
  oracle::row_table given = sound();
  given[0] = {{kind::forward, 0, 0},
              {kind::backward, 0, 0},
              {kind::forward, 0, 1},
              {kind::backward, 0, 1},
              {kind::update, 0, 0}};
  given[1][1].joined = true;
  check_fault(given,
              {schedule_fault::deadlock,
               0,
               1,
               {kind::backward, 0, 0},
               "schedule mine, device 0 at position 1: expected an order in which B0(0) gets "
               "its turn, got a wait forever for B1(0). Hint: B1(0) is one step with F1(1) "
               "on device 1, which waits for F0(1)"});
}
