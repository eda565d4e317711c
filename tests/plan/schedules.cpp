// SPDX-License-Identifier: MIT
// What the plan makes of backwards in halves and of several stages a device.
#include <algorithm>
#include <cstddef>
#include <cstdio>

#include <ipu_dsl/catalogue/asynchronous.hpp>
#include <ipu_dsl/catalogue/best_of.hpp>
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/plan/compile.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::testing;

namespace {

struct four_stages : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<8, relu>>,
                                              stage<Dense<8, relu>>, stage<Dense<3>>>> {};

template <typename Schedule, typename... More>
struct planned : compile<four_stages, micro_batch<4>, gradient_accumulation<8>, Schedule,
                         loss<sparse_categorical_crossentropy>, metrics<accuracy>, More...> {};

// As many devices as the schedule wants, or as many as are given.
static_assert(planned<zb_h1>::settings.devices == 4);
static_assert(planned<zb_v>::settings.devices == 2);
static_assert(planned<looped_bfs>::settings.devices == 2);
static_assert(planned<looped_bfs, devices<4>>::settings.devices == 4);
static_assert(planned<best_of<zb_v, zb_h1>>::settings.devices == 2);
static_assert(is_valid<planned<zero_bubble_list<>, devices<2>>>());
static_assert(is_valid<planned<zero_bubble_list<>, devices<3>>>());

// Proven, but not executed: refused, whatever the counts.
static_assert(!is_valid<planned<chimera>>());
static_assert(!is_valid<planned<pipedream>>());
static_assert(!is_valid<planned<pipedream_2bw<4>>>());

/// A schedule that the compiler cannot run: nothing is said here, but where code is made.
struct made_at_run_time : one_f_one_b {
  static program make(int devices, int stages, int micro_batches) {
    return one_f_one_b::make(devices, stages, micro_batches);
  }
};

static_assert(scheduled_by_compiler<planned<one_f_one_b>::compiled, program_kind::train>);
static_assert(scheduled_by_compiler<planned<made_at_run_time>::compiled, program_kind::predict>);
static_assert(!scheduled_by_compiler<planned<made_at_run_time>::compiled, program_kind::train>);

template <compiled_model C>
constexpr program_plan_view trained =
    frozen_plan_of<typename C::compiled, program_kind::train>.view();

// The edges between stages know of halves only where there are any.
constexpr bool edges_name(const program_plan_view& plan, action_kind kind) {
  bool named = false;
  for (const edge& link : plan.edges) {
    named = named || link.writer.kind == kind;
    for (const step& reader : plan.readers_of(link)) {
      named = named || reader.kind == kind;
    }
  }
  return named;
}

static_assert(edges_name(trained<planned<looped_bfs>>, action_kind::backward));
static_assert(!edges_name(trained<planned<looped_bfs>>, action_kind::weight_gradient));
static_assert(edges_name(trained<planned<zb_v>>, action_kind::weight_gradient));
static_assert(!edges_name(trained<planned<zb_v>>, action_kind::backward));

// A schedule that looks at costs is shown those of the stages: the last has the loss, and the first
// no gradient of its input.
static_assert(trained<planned<zb_v>>.costs[0].input_gradient <
              trained<planned<zb_v>>.costs[1].input_gradient);
static_assert(planned<zero_bubble_list<>, devices<2>>::timeline.makespan <=
              planned<zero_bubble_list<1>, devices<2>>::timeline.makespan);
static_assert(planned<best_of<zb_v, looped_bfs>>::timeline.makespan ==
              std::min(planned<zb_v>::timeline.makespan, planned<looped_bfs>::timeline.makespan));

/// A backward in halves makes the calls of a whole one, each in one of the halves, in its order.
template <typename M>
int check_halves() {
  const graph made = with_loss<M>();
  const graph_view view = made.view();
  const lowered_program whole = lowered(view, program_kind::train);
  const lowered_program halves =
      lowering(view, program_kind::train, 32, sgd<momentum>::rule, backward_form::halves).lower();
  int compared = 0;
  for (std::int32_t stage = 0; stage < view.stages; ++stage) {
    const std::span<const emitted_call> all = calls_of(whole, stage, action_kind::backward);
    const std::span<const emitted_call> inputs =
        calls_of(halves, stage, action_kind::input_gradient);
    const std::span<const emitted_call> weights =
        calls_of(halves, stage, action_kind::weight_gradient);
    CHECK(calls_of(whole, stage, action_kind::input_gradient).empty());
    CHECK(calls_of(halves, stage, action_kind::backward).empty());
    REQUIRE(all.size() == inputs.size() + weights.size());
    std::size_t next[2] = {};
    for (const emitted_call& row : all) {
      const bool of_weights = row.phase == call_phase::weight_gradient;
      const std::span<const emitted_call> half = of_weights ? weights : inputs;
      std::size_t& at = next[of_weights ? 1 : 0];
      REQUIRE(at < half.size());
      CHECK(half[at].code == row.code);
      CHECK(half[at].key == row.key);
      CHECK(half[at].node == row.node);
      ++at;
      ++compared;
    }
    CHECK(calls_of(whole, stage, action_kind::forward).size() ==
          calls_of(halves, stage, action_kind::forward).size());
    CHECK(calls_of(whole, stage, action_kind::update).size() ==
          calls_of(halves, stage, action_kind::update).size());
  }
  return compared;
}

}  // namespace

TEST_CASE("halves do what the whole does") {
  const int compared = check_halves<mlp>() + check_halves<branching>() + check_halves<slender>() +
                       check_halves<four_stages>();
  CHECK(compared > 60);
  std::printf("halves: compared %d calls\n", compared);
}
