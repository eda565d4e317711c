// SPDX-License-Identifier: MIT
// Tests of plan/lowering.hpp: which calls the actions of a stage are.
#include <array>
#include <cstdio>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/plan/lowering.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using testing::calls_of;
using testing::count_calls;
using testing::lowered;
using testing::with_loss;
using tests::checks;

constexpr auto variant_of(dense_variant variant) {
  return static_cast<std::int32_t>(variant);
}

/// What the tutorial's MLP does in training: one row an action.
constexpr checks test_training_of_mlp() {
  const graph model = with_loss<testing::mlp>();
  const lowered_program program = lowered(model.view(), program_kind::train);
  const auto forward_0 = calls_of(program, 0, action_kind::forward);
  const auto backward_0 = calls_of(program, 0, action_kind::backward);
  const auto update_0 = calls_of(program, 0, action_kind::update);
  checks done;
  done.that(forward_0.size() == 2);
  done.that(forward_0[0].code == &infeed_family);
  done.that(forward_0[0].key.as<infeed_call>().sources == 2);
  done.that(forward_0[1].code == &dense_family);
  // The first layer has no input gradient, only the mask of its activation; Flatten has no call.
  done.that(backward_0.size() == 2);
  done.that(count_calls(backward_0, dense_family, variant_of(dense_variant::input_gradient)) == 0);
  done.that(count_calls(backward_0, dense_family, variant_of(dense_variant::weight_gradient)) == 1);
  // The last weight gradient updates what it completes.
  done.that(update_0.empty());
  done.that(backward_0[1].ending == &sgd_momentum_family);
  done.that(backward_0[1].writes == 6);

  const auto forward_1 = calls_of(program, 1, action_kind::forward);
  const auto backward_1 = calls_of(program, 1, action_kind::backward);
  // In training the loss comes with its gradient, in the backward pass.
  done.that(forward_1.size() == 5);
  done.that(count_calls(forward_1, dense_family) == 4);
  done.that(count_calls(forward_1, accuracy_family) == 1);
  done.that(backward_1[0].code == &sparse_categorical_crossentropy_family);
  done.that(count_calls(backward_1, dense_family, variant_of(dense_variant::input_gradient)) == 4);
  done.that(count_calls(backward_1, dense_family, variant_of(dense_variant::output_gradient)) == 3);
  done.that(count_calls(backward_1, transpose_family) == 1);
  done.that(count_calls(backward_1, dense_family, variant_of(dense_variant::weight_gradient)) == 4);
  done.that(backward_1.size() == 13);
  done.that(calls_of(program, 1, action_kind::update).empty());
  return done;
}

constexpr checks test_forward_programs_of_mlp() {
  const graph model = with_loss<testing::mlp>();
  const lowered_program evaluated = lowered(model.view(), program_kind::evaluate);
  const auto scored = calls_of(evaluated, 1, action_kind::forward);
  checks done;
  done.that(count_calls(scored, sparse_categorical_crossentropy_family) == 1);
  done.that(count_calls(scored, accuracy_family) == 1);
  done.that(count_calls(scored, outfeed_family) == 0);
  const lowered_program predicted = lowered(model.view(), program_kind::predict);
  const auto handed_out = calls_of(predicted, 1, action_kind::forward);
  done.that(handed_out.size() == 5);
  done.that(handed_out.back().code == &outfeed_family);
  done.that(calls_of(predicted, 0, action_kind::forward)[0].key.as<infeed_call>().sources == 1);
  for (const action_kind kind : {action_kind::backward, action_kind::update}) {
    done.that(calls_of(predicted, 0, kind).empty());
    done.that(calls_of(evaluated, 1, kind).empty());
  }
  return done;
}

/// A softmax at the end is for predict; training goes around it, from the logits.
constexpr checks test_softmax_at_the_end() {
  const graph model = with_loss<testing::branching>();
  const auto last = model.view().stages - 1;
  checks done;
  done.that(!model.fault.found());
  const auto softmaxes = [&](program_kind kind) {
    const lowered_program program = lowered(model.view(), kind);
    std::int32_t count = 0;
    for (const emitted_call& row : calls_of(program, last, action_kind::forward)) {
      const bool softmax_call = row.code == &activation_family &&
                                row.key.as<activation_call>().kind == activation_kind::softmax;
      count += softmax_call ? 1 : 0;
    }
    return count;
  };
  done.that(softmaxes(program_kind::train) == 0);
  done.that(softmaxes(program_kind::evaluate) == 0);
  done.that(softmaxes(program_kind::predict) == 1);
  return done;
}

/// What several layers read gets its gradient as a sum, in order of the readers; where the sum of a
/// residual reads it, that is the gradient of the sum.
constexpr checks test_sums_at_fan_out() {
  const graph model = with_loss<testing::branching>();
  const lowered_program program = lowered(model.view(), program_kind::train);
  std::int32_t sums = 0;
  std::int32_t handed_on = 0;
  checks done;
  for (const emitted_call& row : program.made.calls) {
    if (row.code != &gradient_sum_family) {
      continue;
    }
    ++sums;
    done.that(row.key.as<gradient_sum_call>().readers == row.reads);
    done.that(row.reads >= 2);
    for (std::int32_t i = 0; i < row.reads; ++i) {
      const auto read = static_cast<std::size_t>(
          program.made.operands[static_cast<std::size_t>(row.first_operand + row.writes + i)]);
      const buffer_role role = program.made.buffers[read].role;
      done.that(role == buffer_role::contribution || role == buffer_role::gradient);
      handed_on += role == buffer_role::gradient ? 1 : 0;
    }
  }
  // The input of the residual, and that of the three branches.
  done.that(sums == 2);
  done.that(handed_on == 1);
  return done;
}

/// Within an action of a program nothing is read that nothing wrote: not by an earlier call of any
/// action that a micro-batch meets before.
template <typename M>
constexpr std::int32_t reads_of_unwritten(program_kind kind, std::int32_t& checked) {
  const graph model = with_loss<M>();
  const graph_view view = model.view();
  const lowered_program program = lowered(view, kind);
  list<bool> written(program.made.buffers.size(), false);
  for (std::size_t i = 0; i < program.made.buffers.size(); ++i) {
    const buffer& memory = program.made.buffers[i];
    written[i] = memory.life == buffer_life::persistent;
  }
  std::int32_t wrong = 0;
  const auto visit = [&](std::int32_t stage, action_kind action) {
    for (const call& row : calls_of(program, stage, action)) {
      for (std::int32_t i = 0; i < row.writes + row.reads; ++i) {
        const auto touched = static_cast<std::size_t>(
            program.made.operands[static_cast<std::size_t>(row.first_operand + i)]);
        wrong += i >= row.writes && !written[touched] ? 1 : 0;
        checked += i >= row.writes ? 1 : 0;
      }
      for (std::int32_t i = 0; i < row.writes; ++i) {
        written[static_cast<std::size_t>(
            program.made.operands[static_cast<std::size_t>(row.first_operand + i)])] = true;
      }
    }
  };
  for (std::int32_t stage = 0; stage < view.stages; ++stage) {
    visit(stage, action_kind::forward);
  }
  for (std::int32_t stage = view.stages - 1; stage >= 0; --stage) {
    visit(stage, action_kind::backward);
  }
  for (std::int32_t stage = 0; stage < view.stages; ++stage) {
    visit(stage, action_kind::update);
  }
  return wrong;
}

template <typename... Ms>
std::int32_t reads_of_unwritten_in(std::int32_t& checked) {
  std::int32_t wrong = 0;
  for (const program_kind kind :
       {program_kind::train, program_kind::evaluate, program_kind::predict}) {
    wrong += (0 + ... + reads_of_unwritten<Ms>(kind, checked));
  }
  return wrong;
}

/// How many calls of a family the backward pass of all stages has.
template <typename M>
constexpr std::int32_t calls_backward(const family& code) {
  const graph model = with_loss<M>();
  const lowered_program program = lowered(model.view(), program_kind::train);
  std::int32_t found = 0;
  for (const emitted_call& row : program.made.calls) {
    found += row.code == &code && row.phase != call_phase::forward ? 1 : 0;
  }
  return found;
}

template <typename M>
constexpr std::int32_t activation_gradients() {
  return calls_backward<M>(activation_family);
}

/// A stage that ends in a sum, which one layer reads.
struct slender_sum
    : model<input<8>, pipeline<stage<Dense<8>, residual<Dense<8>>>, stage<Dense<3>>>> {};

template <typename... Layers>
struct convolved : model<input<8, 8, 3>, sequential<Layers..., Flatten, Dense<3>>> {};

/// Pooling by windows that share an image out puts its gradient through the activation of the
/// convolution before it; where others read the image too, the sum of what they write does that;
/// where windows lie otherwise, it is left to a call of its own.
constexpr checks test_gradients_put_through() {
  checks done;
  using convolution = Conv2D<4, 3, same_padding, relu>;
  done.that(activation_gradients<convolved<convolution, MaxPooling2D<2>>>() == 0);
  done.that(activation_gradients<
                convolved<Conv2D<4, 3, same_padding, sigmoid>, MaxPooling2D<pool_size{4, 2}>>>() ==
            0);
  done.that(
      activation_gradients<convolved<DepthwiseConv2D<3, same_padding, relu>, MaxPooling2D<2>>>() ==
      0);
  done.that(activation_gradients<convolved<convolution, MaxPooling2D<2, strides<1>>>>() == 1);
  done.that(activation_gradients<convolved<convolution, MaxPooling2D<3>>>() == 1);
  done.that(activation_gradients<convolved<convolution, AveragePooling2D<2>>>() == 0);
  done.that(activation_gradients<convolved<convolution, AveragePooling2D<3>>>() == 1);
  done.that(activation_gradients<convolved<convolution, GlobalMaxPooling2D>>() == 1);
  done.that(
      activation_gradients<convolved<Conv2D<4, 3, same_padding, leaky_relu>, MaxPooling2D<2>>>() ==
      1);
  done.that(activation_gradients<convolved<Conv2D<4, 3, same_padding, gelu>, MaxPooling2D<2>>>() ==
            1);
  done.that(
      activation_gradients<convolved<convolution, residual<Conv2D<4, 1>>, MaxPooling2D<2>>>() == 0);
  done.that(activation_gradients<
                convolved<convolution, concat<MaxPooling2D<2>, AveragePooling2D<2>>>>() == 0);
  done.that(
      activation_gradients<
          convolved<Conv2D<4, 3, leaky_relu>, concat<MaxPooling2D<2>, AveragePooling2D<2>>>>() ==
      1);
  return done;
}

/// A stage that ends in a layer, before one that begins with another.
template <typename Last, typename First>
struct cut_between : model<input<8>, pipeline<stage<Dense<8>, residual<Dense<8>>, Last>,
                                              stage<residual<First>, Dense<8, relu>, Dense<3>>>> {};

/// An activation whose gradient is put through it, and the sum of a residual, make nothing of the
/// gradients that come to them and have no call; unless these come from another stage.
constexpr checks test_gradients_handed_on() {
  checks done;
  using norm = BatchNormalization<>;
  using block = residual<Conv2D<3, 3, same_padding>, norm, relu>;
  done.that(calls_backward<convolved<block, relu, block>>(add_family) == 0);
  // The first relu of a block has one reader, the sum; the relu between the blocks has two.
  done.that(activation_gradients<convolved<block, relu, block>>() == 2);
  done.that(activation_gradients<convolved<Conv2D<4, 3>, relu, MaxPooling2D<2>>>() == 0);
  done.that(activation_gradients<convolved<Conv2D<4, 3>, relu, MaxPooling2D<2, strides<1>>>>() ==
            1);
  done.that(activation_gradients<convolved<Conv2D<4, 3>, norm, linear, Conv2D<4, 3>>>() == 0);
  // A convolution puts its gradient through what made its image, unless groups are its lanes.
  done.that(activation_gradients<convolved<Conv2D<4, 3, relu>, Conv2D<4, 3>>>() == 0);
  done.that(activation_gradients<convolved<Conv2D<4, 3>, norm, relu, Conv2D<4, 3>>>() == 0);
  done.that(activation_gradients<convolved<Conv2D<4, 3, relu>, Conv2D<4, 3, groups<2>>>>() == 1);
  done.that(activation_gradients<convolved<Conv2D<4, 3, relu>, DepthwiseConv2D<3>>>() == 1);
  // Behind the cut two read what the relu makes, and their sum is made before it.
  done.that(activation_gradients<cut_between<relu, elu>>() == 1);
  done.that(calls_backward<cut_between<linear, elu>>(add_family) == 0);
  // Here the gradient of the first sum comes from behind the cut.
  done.that(calls_backward<slender_sum>(add_family) == 2);
  return done;
}

/// How many calls of activations the forward pass of a program has.
constexpr std::int32_t activations_forward(const graph& model, program_kind kind) {
  const lowered_program program = lowered(model.view(), kind);
  std::int32_t found = 0;
  for (const emitted_call& row : program.made.calls) {
    found += row.code == &activation_family && row.phase == call_phase::forward ? 1 : 0;
  }
  return found;
}

template <typename... Layers>
constexpr bool is_applied_before(std::int32_t left = 0) {
  bool holds = true;
  for (const program_kind kind :
       {program_kind::train, program_kind::evaluate, program_kind::predict}) {
    holds = holds && activations_forward(with_loss<convolved<Layers...>>(), kind) == left;
  }
  return holds;
}

/// What lies before an activation is read by a second layer.
struct read_twice {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input("x", {8});
    const symbolic_tensor normal = build.layer<BatchNormalization<>>("normal", x);
    const symbolic_tensor bent = build.layer<relu>("bent", normal);
    return build.layer<Dense<3>>("made", build.layer<Add>("sum", bent, normal));
  }
};

/// Or handed out.
struct handed_out {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x = build.input("x", {8});
    const symbolic_tensor normal = build.layer<BatchNormalization<>>("normal", x);
    return {normal, build.layer<relu>("bent", normal)};
  }
};

/// Its relu stands in another stage.
struct cut_before_relu
    : model<input<8>, pipeline<stage<Dense<8>, BatchNormalization<>>, stage<relu, Dense<3>>>> {};

/// A layer applies a relu behind it to what it writes, where nobody else reads that.
constexpr checks test_applied_activations() {
  checks done;
  using norm = BatchNormalization<>;
  using block = residual<Conv2D<3, 3, same_padding>, norm, relu>;
  done.that(is_applied_before<Conv2D<4, 3>, norm, relu>());
  done.that(is_applied_before<Conv2D<4, 3>, norm, relu6>());
  done.that(is_applied_before<block, relu, block>());
  done.that(is_applied_before<Conv2D<4, 3>, relu, DepthwiseConv2D<3>, relu6, Dense<4>, relu>());
  done.that(is_applied_before<Flatten, Dense<4>, relu>());
  done.that(is_applied_before<Conv2D<4, 3, sigmoid>, relu, Flatten, Dense<4, relu6>, relu>(2));
  // A penalty reads it as well, where there is one.
  using judged = convolved<Flatten, Dense<4, activity_regularizer<l2<0.1F>>>, relu>;
  done.that(activations_forward(with_loss<judged>(), program_kind::train) == 1);
  done.that(activations_forward(with_loss<judged>(), program_kind::predict) == 0);
  done.that(is_applied_before<Conv2D<4, 3>, norm, sigmoid>(1));
  done.that(is_applied_before<Conv2D<4, 3>, norm, leaky_relu>(1));
  done.that(is_applied_before<Conv2D<4, 3>, norm, relu, relu>(1));
  done.that(is_applied_before<relu>(1));
  done.that(is_applied_before<Conv2D<4, 3>, norm, residual<relu>>(1));
  done.that(activations_forward(with_loss<read_twice>(), program_kind::train) == 1);
  done.that(activations_forward(fold<handed_out>(), program_kind::predict) == 1);
  done.that(activations_forward(with_loss<cut_before_relu>(), program_kind::train) == 1);
  return done;
}

static_assert(test_applied_activations());
static_assert(test_gradients_put_through());
static_assert(test_gradients_handed_on());
static_assert(test_training_of_mlp());
static_assert(test_forward_programs_of_mlp());
static_assert(test_softmax_at_the_end());
static_assert(test_sums_at_fan_out());

TEST_CASE("the tutorial's MLP is lowered to these calls") {
  CHECK(test_training_of_mlp());
  CHECK(test_forward_programs_of_mlp());
}

TEST_CASE("predict ends in softmax, training skips it") {
  CHECK(test_softmax_at_the_end());
}

TEST_CASE("pooling puts its gradient through the activation of what it reads") {
  CHECK(test_gradients_put_through());
}

TEST_CASE("what makes nothing of its gradient has no call for it") {
  CHECK(test_gradients_handed_on());
}

TEST_CASE("a layer applies the relu behind it") {
  CHECK(test_applied_activations());
}

TEST_CASE("gradients are summed where several layers read") {
  CHECK(test_sums_at_fan_out());
}

TEST_CASE("calls read what was written before") {
  std::int32_t checked = 0;
  CHECK(reads_of_unwritten_in<testing::mlp, testing::branching, testing::alike, testing::slender>(
            checked) == 0);
  std::printf("checked %d reads of calls\n", checked);
  CHECK(checked > 300);
}

}  // namespace
