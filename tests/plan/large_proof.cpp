// SPDX-License-Identifier: MIT
// A program proven in pieces is the program proven in one evaluation, of what is right and of what
// is wrong.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <utility>

#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/schedule/catalogue/bidirectional.hpp>
#include <ipu_dsl/schedule/catalogue/fill.hpp>
#include <ipu_dsl/schedule/catalogue/list_scheduler.hpp>
#include <ipu_dsl/schedule/catalogue/v_shape.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
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

/// Compares all that is found of a program; returns how many actions it has.
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
  CHECK(std::ranges::equal(plan.order, order_of(plan)));
  CHECK(!plan.order.empty());
  return static_cast<int>(plan.order.size());
}

template <typename M, int MicroBatches, typename Schedule>
int check() {
  using one = training<M, MicroBatches, Schedule>;
  static_assert(valid<one>());
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

TEST_CASE("what is wrong with a program is the same in pieces") {
  using compiled = training<eight_stages, 32, stuck>::compiled;
  static_assert(!is_proven_at_once<compiled, program_kind::train>);
  const program_plan again = proven_again<compiled, program_kind::train>();
  REQUIRE(again.fault.found());
  CHECK(compile_fault_of<compiled>::value.message() == again.fault.message());
}
