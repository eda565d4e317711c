// SPDX-License-Identifier: MIT
// Tests of plan/definition.hpp: families that leave a rule out, or ask for what there is not, do
// not compile into a program that reads what nobody wrote.
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr problem same_shape(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

constexpr problem scaled_shape(node_draft& draft) {
  draft.parameter("scale", draft.input(0), {initializer_kind::ones});
  return same_shape(draft);
}

constexpr void forward(emitter& emit) {
  emit.call().writes(emit.output_value(0)).reads(emit.input_value(0));
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    emit.call().writes(emit.input_gradient(0)).reads(emit.output_gradient(0));
  }
}

constexpr void weight_gradient(emitter& emit) {
  emit.call()
      .updates(emit.accumulator(0))
      .reads(emit.output_gradient(0))
      .reads(emit.input_value(0));
}

/// A layer of one of the families below.
template <const family& Rule>
struct own {
  static constexpr element description{.kind = element_kind::layer, .rule = &Rule};
};

constexpr family complete{.name = "Complete",
                          .shapes = scaled_shape,
                          .forward = forward,
                          .input_gradient = input_gradient,
                          .weight_gradient = weight_gradient};

constexpr family forward_only{.name = "ForwardOnly", .shapes = same_shape, .forward = forward};

constexpr family no_forward{.name = "NoForward", .shapes = same_shape};

constexpr family no_weight_gradient{.name = "NoWeightGradient",
                                    .shapes = scaled_shape,
                                    .forward = forward,
                                    .input_gradient = input_gradient};

constexpr family no_input_gradient{.name = "NoInputGradient",
                                   .shapes = scaled_shape,
                                   .forward = forward,
                                   .weight_gradient = weight_gradient};

constexpr family forgetful{.name = "Forgetful",
                           .shapes = same_shape,
                           .forward = forward,
                           .input_gradient = [](emitter& emit) {
                             const shape& extents = emit.output_shape(0);
                             emit.call()
                                 .writes(emit.input_gradient(0))
                                 .reads(emit.output_gradient(0))
                                 .reads(emit.scratch(1, extents, storage::rows));
                           }};

constexpr family one_of_two_outputs{.name = "OneOfTwo",
                                    .shapes =
                                        [](node_draft& draft) {
                                          draft.output(draft.input(0));
                                          draft.output(draft.input(0));
                                          return problem{};
                                        },
                                    .forward = forward,
                                    .input_gradient = input_gradient};

constexpr family reads_itself{.name = "ReadsItself",
                              .shapes = same_shape,
                              .forward =
                                  [](emitter& emit) {
                                    emit.call()
                                        .writes(emit.output_value(0))
                                        .reads(emit.input_value(0))
                                        .reads(emit.output_value(0));
                                  },
                              .input_gradient = input_gradient};

constexpr family reads_gradient{.name = "ReadsGradient",
                                .shapes = same_shape,
                                .forward =
                                    [](emitter& emit) {
                                      emit.call()
                                          .writes(emit.output_value(0))
                                          .reads(emit.input_value(0))
                                          .reads(emit.output_gradient(0));
                                    },
                                .input_gradient = input_gradient};

constexpr family second_input{.name = "SecondInput",
                              .shapes = same_shape,
                              .forward =
                                  [](emitter& emit) {
                                    emit.call()
                                        .writes(emit.output_value(0))
                                        .reads(emit.input_value(0))
                                        .reads(emit.input_value(1));
                                  },
                              .input_gradient = input_gradient};

constexpr family third_parameter{.name = "ThirdParameter",
                                 .shapes = scaled_shape,
                                 .forward = forward,
                                 .input_gradient = input_gradient,
                                 .weight_gradient = [](emitter& emit) {
                                   emit.call()
                                       .updates(emit.accumulator(0))
                                       .updates(emit.accumulator(3))
                                       .reads(emit.output_gradient(0));
                                 }};

constexpr family scratch_beyond{
    .name = "ScratchBeyond",
    .shapes = same_shape,
    .forward =
        [](emitter& emit) {
          emit.call()
              .writes(emit.output_value(0))
              .writes(emit.scratch(20, emit.output_shape(0), storage::rows))
              .reads(emit.input_value(0));
        },
    .input_gradient = input_gradient};

constexpr family three_scalars{.name = "ThreeScalars",
                               .shapes = same_shape,
                               .forward =
                                   [](emitter& emit) {
                                     emit.call()
                                         .scalar(1)
                                         .scalar(2)
                                         .scalar(3)
                                         .writes(emit.output_value(0))
                                         .reads(emit.input_value(0));
                                   },
                               .input_gradient = input_gradient};

constexpr family reads_first{
    .name = "ReadsFirst",
    .shapes = same_shape,
    .forward =
        [](emitter& emit) { emit.call().reads(emit.input_value(0)).writes(emit.output_value(0)); },
    .input_gradient = input_gradient};

constexpr family claims_update{.name = "ClaimsUpdate",
                               .shapes = scaled_shape,
                               .forward = forward,
                               .input_gradient = input_gradient,
                               .weight_gradient = weight_gradient,
                               .updates_with_gradient = true};

constexpr problem counted_shape(node_draft& draft) {
  draft.state("count", draft.input(0), {});
  return same_shape(draft);
}

constexpr void contribute(emitter& emit) {
  emit.call().writes(emit.state_contribution(0)).reads(emit.input_value(0));
}

constexpr void fold(emitter& emit) {
  emit.call().updates(emit.parameter_value(0)).reads(emit.state_contribution(0));
}

constexpr void forward_and_contribute(emitter& emit) {
  forward(emit);
  if (emit.program() == program_kind::train) {
    contribute(emit);
  }
}

constexpr family counts{.name = "Counts",
                        .shapes = counted_shape,
                        .forward = forward_and_contribute,
                        .input_gradient = input_gradient,
                        .fold = fold};

constexpr family writes_state{.name = "WritesState",
                              .shapes = counted_shape,
                              .forward =
                                  [](emitter& emit) {
                                    emit.call()
                                        .writes(emit.output_value(0))
                                        .updates(emit.parameter_value(0))
                                        .reads(emit.input_value(0));
                                  },
                              .input_gradient = input_gradient};

constexpr family always_contributes{.name = "AlwaysContributes",
                                    .shapes = counted_shape,
                                    .forward =
                                        [](emitter& emit) {
                                          forward(emit);
                                          contribute(emit);
                                        },
                                    .input_gradient = input_gradient,
                                    .fold = fold};

constexpr family never_folds{.name = "NeverFolds",
                             .shapes = counted_shape,
                             .forward = forward_and_contribute,
                             .input_gradient = input_gradient};

constexpr family folds_nothing{.name = "FoldsNothing",
                               .shapes = counted_shape,
                               .forward = forward,
                               .input_gradient = input_gradient,
                               .fold = fold};

constexpr family learns_contribution{.name = "LearnsContribution",
                                     .shapes = scaled_shape,
                                     .forward = forward_and_contribute,
                                     .input_gradient = input_gradient,
                                     .weight_gradient = weight_gradient};

/// A rule that the compiler cannot run.
void forward_at_run_time(emitter& emit) {
  forward(emit);
}

constexpr family at_run_time{.name = "AtRunTime",
                             .shapes = same_shape,
                             .forward = forward_at_run_time,
                             .input_gradient = input_gradient};

/// What stands in the middle of what learns.
template <typename Layer>
struct between : model<input<6>, sequential<Dense<6>, Layer, Dense<3>>> {};

template <typename Layer>
struct first : model<input<6>, sequential<Layer, Dense<3>>> {};

template <typename M>
using trained = compile<M, micro_batch<8>, loss<sparse_categorical_crossentropy>>;

template <typename M>
using predicting = compile<M, micro_batch<8>>;

template <typename C>
constexpr sentence sentence_in = compile_fault_of<typename C::compiled>::value.message();

template <typename C>
constexpr std::string_view fault_in = sentence_in<C>.view();

template <const family& Rule>
constexpr std::string_view trained_fault = fault_in<trained<between<own<Rule>>>>;

static_assert(trained_fault<complete>.empty());
static_assert(trained_fault<counts>.empty());

// Forward alone is enough for predicting, and for what stands before nothing that learns.
static_assert(fault_in<predicting<between<own<forward_only>>>>.empty());
static_assert(fault_in<trained<first<own<forward_only>>>>.empty());
static_assert(fault_in<predicting<between<own<no_weight_gradient>>>>.empty());
static_assert(fault_in<trained<first<own<no_input_gradient>>>>.empty());

// Nothing is said here of what the compiler cannot run, but where code is made.
static_assert(lowered_by_compiler<trained<between<own<complete>>>::compiled, program_kind::train>);
static_assert(
    !lowered_by_compiler<trained<between<own<at_run_time>>>::compiled, program_kind::train>);

/// Two branches read the first layer: what one of them leaves out is told of it.
struct branched : model<input<6>, sequential<Dense<6>, residual<Dense<6>, own<forward_only>>,
                                             concat<own<complete>, Dense<2>>, Dense<3>>> {};

/// A view of what the layer reads stands between.
struct behind_view
    : model<input<6>, sequential<Dense<6>, Reshape<2, 3>, Flatten, own<forward_only>, Dense<3>>> {};

/// In halves and over stages the same is found.
struct staged
    : model<input<6>, pipeline<stage<Dense<6>>, stage<own<no_weight_gradient>, Dense<3>>>> {};

using staged_training = compile<staged, micro_batch<8>, gradient_accumulation<4>, zb_h1,
                                loss<sparse_categorical_crossentropy>>;

/// The sentence of every fault, and the words that it must have.
struct expectation {
  std::string_view found;
  std::string_view layer;
  std::string_view expected;
  std::string_view hint;
};

constexpr expectation expectations[] = {
    {trained_fault<forward_only>, "layer 1 ForwardOnly in stage 0",
     "expected a rule for input_gradient that writes that of input 0, since layers before it learn",
     "let .input_gradient append a call that writes emit.input_gradient(0)"},
    {trained_fault<no_input_gradient>, "layer 1 NoInputGradient in stage 0",
     "a rule for input_gradient", "emit.input_gradient(0)"},
    {trained_fault<no_weight_gradient>, "layer 1 NoWeightGradient in stage 0",
     "expected a rule for weight_gradient that writes that of parameter 0, scale",
     "let .weight_gradient append a call that writes emit.accumulator(0)"},
    {trained_fault<no_forward>, "layer 1 NoForward in stage 0",
     "expected a rule for forward that writes output 0", "emit.output_value(0)"},
    {fault_in<predicting<between<own<no_forward>>>>, "layer 1 NoForward in stage 0",
     "expected a rule for forward that writes output 0", "emit.output_value(0)"},
    {trained_fault<writes_state>, "layer 1 WritesState in stage 0",
     "expected a rule for forward that only reads parameters and states, got one that writes count",
     "in training write emit.state_contribution(...), and let .fold take it in"},
    {fault_in<predicting<between<own<always_contributes>>>>, "layer 1 AlwaysContributes in stage 0",
     "expected a rule for forward that contributes to states in training alone",
     "ask emit.program() == program_kind::train first"},
    {trained_fault<never_folds>, "layer 1 NeverFolds in stage 0",
     "expected a rule for fold that takes in the contributions to count, got none",
     "let .fold append a call that updates emit.parameter_value(0)"},
    {trained_fault<folds_nothing>, "layer 1 FoldsNothing in stage 0",
     "expected a rule for forward that contributes to the state count, got none",
     "in training let .forward write emit.state_contribution(0)"},
    {trained_fault<learns_contribution>, "layer 1 LearnsContribution in stage 0",
     "expected emit.state_contribution of a state, got number 0, a parameter, in a rule for "
     "forward",
     "parameters and states are numbered together"},
    {trained_fault<forgetful>, "layer 1 Forgetful in stage 0",
     "a rule for input_gradient that reads what was written before, got scratch 1", "Hint"},
    {trained_fault<reads_itself>, "layer 1 ReadsItself in stage 0",
     "a rule for forward that reads what was written before, got output 0 itself", "Hint"},
    {trained_fault<reads_gradient>, "layer 1 ReadsGradient in stage 0",
     "a rule for forward that reads what was written before, got a gradient", "Hint"},
    {trained_fault<second_input>, "layer 1 SecondInput in stage 0",
     "expected numbers of inputs below 1, got 1 in a rule for forward", ""},
    {trained_fault<third_parameter>, "layer 1 ThirdParameter in stage 0",
     "expected numbers of parameters below 1, got 3 in a rule for weight_gradient", ""},
    {trained_fault<scratch_beyond>, "layer 1 ScratchBeyond in stage 0",
     "expected numbers of scratch tags below 20, got 20", ""},
    {trained_fault<three_scalars>, "layer 1 ThreeScalars in stage 0",
     "expected at most 2 scalars of a call, got one more", ""},
    {trained_fault<reads_first>, "layer 1 ReadsFirst in stage 0",
     "expected a call that says first what it writes, then what it reads",
     "the kernel finds its operands in this order"},
    {trained_fault<claims_update>, "layer 1 ClaimsUpdate in stage 0",
     "expected an update of parameter scale", "updates_with_gradient"},
    {fault_in<trained<branched>>, "layer 1.1 ForwardOnly in stage 0", "that of input 0",
     "emit.input_gradient(0)"},
    {fault_in<trained<behind_view>>, "layer 3 ForwardOnly in stage 0", "that of input 0",
     "emit.input_gradient(0)"},
    {fault_in<staged_training>, "layer 1 NoWeightGradient in stage 1", "parameter 0, scale",
     "emit.accumulator(0)"},
    {fault_in<trained<between<own<one_of_two_outputs>>>>, "layer 1 OneOfTwo in stage 0",
     "expected a layer of 1 output, got 2 outputs", "build.layers<Layer, 2>(...)"},
};

}  // namespace

TEST_CASE("a family that leaves a rule out is told so by name") {
  int checked = 0;
  for (const expectation& wanted : expectations) {
    INFO(wanted.found);
    CHECK(wanted.found.starts_with(wanted.layer));
    CHECK(wanted.found.find(wanted.expected) != std::string_view::npos);
    CHECK(wanted.found.find(wanted.hint) != std::string_view::npos);
    ++checked;
  }
  CHECK(checked == 23);
  std::printf("definition: checked %d sentences\n", checked);
}

namespace {

/// One output of two is made, in a functional model, where both are read.
struct half_made {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({6});
    const auto [left, right] = build.layers<own<one_of_two_outputs>, 2>("split", point);
    const symbolic_tensor joined = build.layer<Add>("sum", left, right);
    return build.layer<Dense<3>>("out", joined);
  }
};

}  // namespace

TEST_CASE("an output that no forward writes is found behind a join") {
  CHECK(fault_in<predicting<half_made>>.starts_with(
      "layer 0 OneOfTwo named split in stage 0: expected a rule for forward that writes output 1"));
}
