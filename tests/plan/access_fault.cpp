// SPDX-License-Identifier: MIT
// Tests of plan/access_fault.hpp: declarations that no kernel can keep do not compile with a
// target, and each says what is wrong with it.
#include <string_view>

#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr problem same_shape(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

constexpr family too_few{
    .name = "TooFew", .shapes = same_shape, .forward = [](emitter& emit) {
      call_draft call = emit.call();
      const axis_id unit = call.over(6);
      call.writes(emit.output_value(0), {unit}).reads(emit.input_value(0), {unit});
    }};

constexpr family too_far{.name = "TooFar", .shapes = same_shape, .forward = [](emitter& emit) {
                           call_draft call = emit.call();
                           const auto [sample, unit] = call.over(emit.batch(), 6);
                           call.writes(emit.output_value(0), {sample, unit})
                               .reads(emit.input_value(0), {sample, shifted(unit, 1)});
                         }};

constexpr family written_twice{
    .name = "WrittenTwice", .shapes = same_shape, .forward = [](emitter& emit) {
      call_draft call = emit.call();
      const auto [sample, unit] = call.over(emit.batch(), 6);
      const axis_id other = call.over(6);
      call.writes(emit.output_value(0), {sample, unit}).reads(emit.input_value(0), {sample, other});
    }};

/// Makes 18 numbers of 6 and writes the first of them.
constexpr family left_out{.name = "LeftOut",
                          .shapes = [](node_draft& draft) -> problem {
                            draft.output(shape{18});
                            return {};
                          },
                          .forward =
                              [](emitter& emit) {
                                call_draft call = emit.call();
                                const auto [sample, unit] = call.over(emit.batch(), 6);
                                call.writes(emit.output_value(0), {sample, unit})
                                    .reads(emit.input_value(0), {sample, unit});
                              }};

/// Writes the gradient of half of its input.
constexpr family half_gradient{.name = "HalfGradient",
                               .shapes = same_shape,
                               .forward =
                                   [](emitter& emit) {
                                     call_draft call = emit.call();
                                     const auto [sample, unit] = call.over(emit.batch(), 6);
                                     call.writes(emit.output_value(0), {sample, unit})
                                         .reads(emit.input_value(0), {sample, unit});
                                   },
                               .input_gradient =
                                   [](emitter& emit) {
                                     call_draft call = emit.call();
                                     const auto [sample, unit] = call.over(emit.batch(), 3);
                                     call.writes(emit.input_gradient(0), {sample, unit})
                                         .reads(emit.output_gradient(0), {sample, unit});
                                   }};

/// Makes 18 numbers of 6 in three calls, a third by each.
constexpr family in_thirds{.name = "InThirds",
                           .shapes = [](node_draft& draft) -> problem {
                             draft.output(shape{18});
                             return {};
                           },
                           .forward =
                               [](emitter& emit) {
                                 for (std::int32_t third = 0; third < 3; ++third) {
                                   call_draft call = emit.call();
                                   const auto [sample, unit] = call.over(emit.batch(), 6);
                                   call.writes(emit.output_value(0),
                                               {sample, shifted(unit, 6 * third)})
                                       .reads(emit.input_value(0), {sample, unit});
                                 }
                               }};

constexpr family right{
    .name = "Right", .shapes = same_shape, .forward = [](emitter& emit) {
      call_draft call = emit.call();
      const auto [sample, unit] = call.over(emit.batch(), 6);
      const axis_id other = call.all(6);
      call.writes(emit.output_value(0), {sample, unit}).reads(emit.input_value(0), {sample, other});
    }};

/// Without reaches: all of it, on one tile.
constexpr family undeclared{
    .name = "Undeclared", .shapes = same_shape, .forward = [](emitter& emit) {
      emit.call().writes(emit.output_value(0)).reads(emit.input_value(0));
    }};

template <const family& Rule>
struct own {
  static constexpr element description{.kind = element_kind::layer, .rule = &Rule};
};

template <const family& Rule>
struct net : model<input<6>, sequential<own<Rule>, Dense<3>>> {};

template <const family& Rule>
struct training
    : compile<net<Rule>, micro_batch<4>, on<ipu2>, loss<sparse_categorical_crossentropy>> {};

struct behind_another : model<input<6>, sequential<Dense<6>, own<half_gradient>, Dense<3>>> {};

struct training_behind
    : compile<behind_another, micro_batch<4>, on<ipu2>, loss<sparse_categorical_crossentropy>> {};

template <const family& Rule>
constexpr sentence fault = compile_fault_of<typename training<Rule>::compiled>::value.message();

constexpr std::string_view in_the_rule_of = "the rule for forward of layer 0 ";

constexpr checks test_sentences() {
  const std::string_view few = fault<too_few>.view();
  const std::string_view far = fault<too_far>.view();
  const std::string_view twice = fault<written_twice>.view();
  const std::string_view left = fault<left_out>.view();
  checks done;
  done.that(few.starts_with(in_the_rule_of));
  done.that(far.starts_with(in_the_rule_of));
  done.that(twice.starts_with(in_the_rule_of));
  done.that(few.find("expected 2 positions in operand 0, [samples] of (6), got 1") != few.npos);
  done.that(far.find("expected positions below 6 in operand 1, got those from 1 to 6") != far.npos);
  done.that(twice.find("got axis 2 is not there") != twice.npos);
  done.that(left.starts_with(in_the_rule_of));
  done.that(left.find("expected writes to all 72 elements of operand 0 in a micro-batch, got 24 of "
                      "them") != left.npos);
  const sentence of_gradient =
      compile_fault_of<typename training_behind::compiled>::value.message();
  const std::string_view half = of_gradient.view();
  done.that(half.starts_with("the rule for input_gradient of layer 1 "));
  done.that(half.find("got 12 of them") != half.npos);
  return done;
}

static_assert(test_sentences());
static_assert(is_valid<training<right>>());
static_assert(is_valid<training<undeclared>>());
static_assert(is_valid<training<in_thirds>>());

TEST_CASE("declarations that no kernel can keep are refused") {
  CHECK(test_sentences());
}

}  // namespace
