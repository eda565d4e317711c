// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string_view>

#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/study.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

// Forward, input and weight gradient one unit each: (m + p - 1) x 3, and the bubble is p - 1 of it.
using plain = study<one_f_one_b, 4, 4, 8>;
static_assert(check_schedule<one_f_one_b, 4, 4, 8>());
static_assert(!plain::fault.found() && !plain::value.found());
static_assert(plain::facts.makespan == 33);
static_assert(plain::facts.flush_bubble() == 9 && plain::facts.span_bubble == 9);
static_assert(plain::facts.work == 96 && plain::facts.busiest == 24);
static_assert(plain::facts.devices == 4 && plain::facts.ascending);
static_assert(plain::rows.devices == 4 && plain::rows.stages == 4 &&
              plain::rows.micro_batches == 8);
static_assert(plain::rows.actions.size() == 4 * (8 + 8 + 1));
static_assert(plain::timeline.size() == plain::rows.actions.size());
// Activations, gradients, stashes: as many as 1F1B keeps.
constexpr int plain_slots[] = {4, 3, 2, 2, 2, 2, 4, 3, 2, 1};
static_assert(std::equal(plain::slots.begin(), plain::slots.end(), std::begin(plain_slots),
                         std::end(plain_slots)));

// The bubbles of zero bubble, and none at all on a V.
static_assert(study<zb_h1, 4, 4, 8>::facts.makespan == 27);
static_assert(study<zb_h1, 4, 4, 8>::facts.span_bubble == 3);
static_assert(study<zb_h2, 4, 4, 8>::facts.span_bubble == 0);
static_assert(study<zb_v, 4, 8, 8>::facts.span_bubble == 0);
static_assert(study<zb_v, 4, 8, 8>::facts.makespan == 51);

/// The first stage costs twice as much.
struct heavy_head {
  static constexpr stage_graph make(int stages, int copies) {
    list<stage_cost> costs(static_cast<std::size_t>(stages), stage_cost{});
    costs[0] = {.forward = 2, .input_gradient = 2, .weight_gradient = 2};
    return chain_stage_graph(stages, costs, output_use::forward_only, copies);
  }
};

static_assert(study<one_f_one_b, 4, 4, 8, heavy_head>::facts.makespan == 51);
static_assert(study<one_f_one_b, 4, 4, 8, heavy_head>::facts.busiest_device == 0);
static_assert(study<one_f_one_b, 4, 4, 8, heavy_head>::facts.busiest == 48);

// Two copies of the weights.
using both_ways = study<chimera, 4, 8, 8>;
static_assert(!both_ways::fault.found() && both_ways::rows.weights.copies == 2);
static_assert(both_ways::facts.work == 4 * 8 * 3);
static_assert(both_ways::facts.makespan == 30);

// The budget of design: generated, proven and timed below the compilers' limits.
using large = study<grouped, 16, 16, 256>;
static_assert(large::facts.makespan == (256 + 15) * 3);
static_assert(large::facts.flush_bubble() == 15 * 3);
static_assert(large::rows.actions.size() == 16 * (256 + 256 + 1));

// What is refused has neither rows nor facts.
using refused = study<zb_v, 4, 7, 8>;
static_assert(refused::fault.message().view() ==
              "schedule zb-v: expected 2 stages on each of 4 devices, got 7 stages. Hint: cut the "
              "model into 8 stages");
static_assert(refused::rows.actions.empty());
static_assert(refused::facts.makespan == 0 && refused::facts.work == 0);

/// One's own that says what it allows, and not who says so.
struct two_on_two : grouped {
  static constexpr std::string_view name = "two on two";

  static constexpr problem allows(int devices, int stages, int, purpose) {
    return devices == 2 && stages == 2 ? problem{} : refuse("2 stages on 2 devices", "others");
  }
};

static_assert(!study<two_on_two, 2, 2, 4>::fault.found());
static_assert(study<two_on_two, 4, 4, 8>::fault.message().view() ==
              "schedule two on two: expected 2 stages on 2 devices, got others");

/// One's own whose rows no compiler can make.
struct made_at_run_time : grouped {
  static program make(int devices, int stages, int micro_batches) {
    return grouped::make(devices, stages, micro_batches);
  }
};

static_assert(studying::made_while_compiling<grouped, 2, 2, 4, unit_costs>);
static_assert(!studying::made_while_compiling<made_at_run_time, 2, 2, 4, unit_costs>);

/// Each of two devices waits for the other.
struct stuck {
  static constexpr std::string_view name = "stuck";

  static constexpr problem allows(int, int, int, purpose) { return {}; }

  static constexpr program make(int devices, int stages, int micro_batches) {
    program rows(devices, neighbouring_placement(devices, stages), micro_batches);
    for (int stage = 0; stage < stages; ++stage) {
      for (int i = 0; i < micro_batches; ++i) {
        rows.put(action_kind::forward, stage, stage == 0 ? i : micro_batches - 1 - i);
        rows.put(action_kind::backward, stage, stage == 0 ? i : micro_batches - 1 - i);
      }
      rows.put(action_kind::update, stage, 0);
      rows.end_row();
    }
    return rows;
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return grouped::make_forward(devices, stages, micro_batches);
  }
};

using found_stuck = study<stuck, 2, 2, 4>;
static_assert(found_stuck::fault.found());
static_assert(found_stuck::fault.where.view().starts_with("schedule stuck, device "));
static_assert(found_stuck::facts.makespan == 0);
static_assert(!study<stuck, 2, 2, 1>::fault.found());

/// A study says what the functions behind it say at run time.
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches>
int check_study() {
  using made = study<Schedule, Devices, Stages, MicroBatches>;
  const program rows = make_program<Schedule>(Devices, Stages, MicroBatches, purpose::training);
  const stage_graph graph = chain_stage_graph(Stages);
  REQUIRE(std::equal(rows.actions.begin(), rows.actions.end(), made::rows.actions.begin(),
                     made::rows.actions.end()));
  CHECK(prove(made::rows, graph.view(), made::slots).proven());
  const list<timed_action> unlimited = asynchronous_timeline(rows.view(), graph.view());
  const list<timed_action> limited = asynchronous_timeline(rows.view(), graph.view(), made::slots);
  int compared = 0;
  for (std::size_t i = 0; i < unlimited.size(); ++i) {
    CHECK(made::timeline[i].start == unlimited[i].start);
    CHECK(made::timeline[i].end == unlimited[i].end);
    CHECK(limited[i].start == unlimited[i].start);
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("a study says what proof and timeline say at run time, and its slots delay nothing") {
  const int compared = check_study<one_f_one_b, 4, 4, 8>() + check_study<zb_h2, 4, 4, 8>() +
                       check_study<zb_v, 4, 8, 8>() + check_study<grouped, 16, 16, 256>();
  CHECK(compared > 8'000);
  std::printf("study: compared %d actions\n", compared);
}
