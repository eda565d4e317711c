// SPDX-License-Identifier: MIT
// A program proven in pieces is the program proven in one evaluation, of what is right and of what
// is wrong.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/catalogue/best_of.hpp>
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/library.hpp>
#include <ipu_dsl/vocabulary/losses/sparse_categorical_crossentropy.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using narrow = stage<Dense<4, relu>>;

struct eight_stages : model<input<4>, pipeline<narrow, narrow, stage<Dense<6, relu>, Dense<4>>,
                                               narrow, narrow, narrow, narrow, stage<Dense<3>>>> {};

struct sixteen_stages
    : model<input<4>, pipeline<narrow, narrow, narrow, narrow, narrow, narrow, narrow, narrow,
                               narrow, narrow, narrow, narrow, narrow, narrow, narrow, narrow>> {};

template <typename Indices>
struct narrow_stages;

template <int... Indices>
struct narrow_stages<std::integer_sequence<int, Indices...>> {
  using type = pipeline<stage<Dense<4 + 0 * Indices, relu>>...>;
};

struct deep : model<input<4>, narrow_stages<std::make_integer_sequence<int, 28>>::type> {};

template <typename M, int MicroBatches, typename Schedule>
struct training : compile<M, micro_batch<2>, gradient_accumulation<MicroBatches>, Schedule,
                          loss<sparse_categorical_crossentropy>> {};

/// The plan, proven in one evaluation when the program runs.
template <compiled_model C, program_kind Kind>
program_plan proven_again() {
  program_plan made = unproven_plan_of<C, Kind>();
  prove_with_slots<typename C::schedule_type>(made, purpose_of(Kind));
  return made;
}

/// How many waits the order of a program keeps: what an action waits for in its own run is counted
/// before it. -1 if it breaks one.
int count_kept_waits(const program_plan_view& plan) {
  std::vector<int> counted(static_cast<std::size_t>(plan.actions.stages * action_kinds));
  int kept = 0;
  for (const int index : plan.order) {
    const auto place = static_cast<std::size_t>(index);
    for (int i = plan.first_wait[place]; i < plan.first_wait[place + 1]; ++i) {
      const awaited_count& for_what = plan.waits[static_cast<std::size_t>(i)];
      if (counted[static_cast<std::size_t>(for_what.counter)] <= for_what.position) {
        return -1;
      }
      ++kept;
    }
    const action& what = plan.actions.actions[place];
    ++counted[static_cast<std::size_t>(counter_of(what.stage, what.kind))];
  }
  return kept;
}

/// Compares all that is found of a program; returns how many actions it has. The order of one that
/// runs in several pieces is another where actions start together.
template <typename Training, program_kind Kind>
int check_program() {
  using compiled = typename Training::compiled;
  static_assert(!is_proven_at_once<compiled, Kind>);
  const program_plan_view plan = frozen_plan_of<compiled, Kind>.view();
  const program_plan again = proven_again<compiled, Kind>();
  REQUIRE(!again.fault.found());
  CHECK(std::ranges::equal(plan.slots, again.slots));
  CHECK(std::ranges::equal(plan.actions.slot, again.time_slots));
  const wait_list waits = waits_of(plan);
  CHECK(std::ranges::equal(plan.first_wait, waits.begin));
  CHECK(std::ranges::equal(plan.waits, waits.waits));
  CHECK(count_kept_waits(plan) > 0);
  CHECK(plan.order.size() == plan.actions.actions.size());
  if (plan.order.size() <= static_cast<std::size_t>(pieces::confirmed_at_once)) {
    CHECK(std::ranges::equal(plan.order, order_of(plan)));
  }
  return static_cast<int>(plan.order.size());
}

template <typename M, int MicroBatches, typename Schedule>
int check() {
  using one = training<M, MicroBatches, Schedule>;
  static_assert(is_valid<one>());
  INFO(Schedule::name);
  const int trained = check_program<one, program_kind::train>();
  const program_plan_view plan = frozen_plan_of<typename one::compiled, program_kind::train>.view();
  const facts told = modelled_facts(plan);
  CHECK(told.makespan == one::timeline.makespan);
  CHECK(told.span_bubble == one::timeline.span_bubble);
  CHECK(told.work == one::timeline.work);
  std::printf("checked %.*s: %d actions, %zu edges\n", static_cast<int>(Schedule::name.size()),
              Schedule::name.data(), trained, plan.edges.size());
  return trained;
}

/// The last device wants a micro-batch that the first holds back until it has gone backward.
struct stuck : one_f_one_b {
  static constexpr std::string_view name = "stuck";

  static constexpr program make(int devices, int stages, int micro_batches) {
    program rows = one_f_one_b::make(devices, stages, micro_batches);
    const int begin = rows.row_begin[static_cast<std::size_t>(devices) - 1];
    std::swap(rows.actions.data()[begin + 1], rows.actions.data()[begin + 20]);
    return rows;
  }

  static constexpr list<action> make_row(int devices, int stages, int micro_batches,
                                         int device) = delete;
};

template <typename M, int MicroBatches, typename Schedule>
constexpr const problem& fault_of_training =
    compile_fault_of<typename training<M, MicroBatches, Schedule>::compiled>::value;

struct predicting : compile<sixteen_stages, gradient_accumulation<1024>> {};

}  // namespace

TEST_CASE("programs are the same proven in pieces") {
  CHECK(check<eight_stages, 16, one_f_one_b>() > 0);
  CHECK(check<eight_stages, 16, grouped>() > 0);
  CHECK(check<eight_stages, 16, zb_v>() > 0);
  CHECK(check<eight_stages, 40, zero_bubble_list<>>() > 0);
}

TEST_CASE("a program that predicts is the same proven in pieces") {
  CHECK(check_program<training<eight_stages, 40, gpipe>, program_kind::predict>() == 8 * 40);
}

TEST_CASE("a program of several pieces is the same proven in one") {
  CHECK(check<sixteen_stages, 256, dualpipe_v>() > 16 * 256);
}

TEST_CASE("a pipeline too deep for a search has as many slots as delay no action") {
  using compiled = training<deep, 56, one_f_one_b>::compiled;
  static_assert(is_valid<compiled>());
  const program_plan_view plan = frozen_plan_of<compiled, program_kind::train>.view();
  REQUIRE(plan.edges.size() * 28 * 56 > static_cast<std::size_t>(pieces::most_searched));
  CHECK(std::ranges::equal(plan.slots, slots_without_delay(plan.actions, plan.stages())));
  CHECK(count_kept_waits(plan) > 0);
}

TEST_CASE("what is wrong with a program is the same in pieces") {
  using compiled = training<eight_stages, 32, stuck>::compiled;
  static_assert(!is_proven_at_once<compiled, program_kind::train>);
  const program_plan again = proven_again<compiled, program_kind::train>();
  REQUIRE(again.fault.found());
  CHECK(compile_fault_of<compiled>::value.message() == again.fault.message());
}

TEST_CASE("programs too large for a compiler are refused in a sentence") {
  CHECK(fault_of_training<sixteen_stages, 256, zero_bubble_list<>>.message().view() ==
        "schedule zb-list: expected at most 1024 stages x micro-batches in a model, got 16 x 256. "
        "Hint: micro_batch<8> and gradient_accumulation<64> make a step of as many samples");
  CHECK(fault_of_training<sixteen_stages, 1536, gpipe>.message().view() ==
        "schedule gpipe: expected at most 8192 stages x micro-batches in a model, got 16 x 1536. "
        "Hint: micro_batch<6> and gradient_accumulation<512> make a step of as many samples");
  using best = best_of<one_f_one_b, zb_h1>;
  static_assert(!studying::allow_at_once<best>(16, 16, 32).found());
  CHECK(fault_of_training<sixteen_stages, 64, best>.expected.view() ==
        "at most 256 stages x micro-batches in a model");
  CHECK(compile_fault_of<predicting::compiled>::value.message().view() ==
        "schedule grouped: expected at most 8192 stages x micro-batches in a model, got 16 x 1024. "
        "Hint: without a loss leave gradient_accumulation<...> out");
}
