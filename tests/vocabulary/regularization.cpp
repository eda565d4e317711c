// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/regularization.hpp.
#include <ipu_dsl/core/parameter_rules.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/regularization.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

template <typename... Options>
constexpr problem fault_with = *Dense<4, Options...>::description.fault;

static_assert(l1<>::penalty.l1 == 0.01F && l1<>::penalty.l2 == 0);
static_assert(l2<0.5>::penalty.l2 == 0.5F && l2<0.5>::penalty.l1 == 0);
static_assert(l1_l2<0.25F, 2>::penalty.l1 == 0.25F && l1_l2<0.25F, 2>::penalty.l2 == 2);

static_assert(!fault_with<kernel_regularizer<l2<>>, bias_regularizer<l1<>>>.found());
static_assert(fault_with<kernel_regularizer<l2<0>>>.expected.view() ==
              "a finite strength above 0 in kernel_regularizer<...>");
static_assert(fault_with<kernel_regularizer<l1_l2<1, -1>>>.got.view() == "-1");
static_assert(fault_with<bias_regularizer<relu>>.expected.view() ==
              "a regularizer in bias_regularizer<...>");
static_assert(fault_with<kernel_regularizer<l2<>>, kernel_regularizer<l1<>>>.found());
static_assert(!fault_with<use_bias<false>, activity_regularizer<l1<>>>.found());
static_assert(fault_with<activity_regularizer<l1<-1>>>.got.view() == "-1");
static_assert(fault_with<activity_regularizer<relu>>.expected.view() ==
              "a regularizer in activity_regularizer<...>");
static_assert(Dense<4, activity_regularizer<l1<0.5>>>::description.weights->output.l1 == 0.5F);
static_assert(fault_with<use_bias<false>, bias_regularizer<l1<>>>.got.view() == "use_bias<false>");
static_assert(fault_with<recurrent_regularizer<l1<>>>.found());

static_assert(Dense<4>::description.weights == nullptr);
static_assert(Conv2D<4, 3, relu>::description.weights == nullptr);

using recurrent = SimpleRNN<4, recurrent_regularizer<l1<0.5>>, kernel_regularizer<l2<0.25>>>;

/// What is asked of the parameters of a recurrent layer.
constexpr bool asks_as_written() {
  int found = 0;
  for (const weight_rules::entry& each : recurrent::description.weights->entries) {
    found += each.parameter == "kernel" && each.rules.l2 == 0.25F ? 1 : 0;
    found += each.parameter == "recurrent_kernel" && each.rules.l1 == 0.5F ? 1 : 0;
    found += each.parameter == "bias" && !each.rules.any() ? 1 : 0;
  }
  return found == 3;
}

static_assert(asks_as_written());

TEST_CASE("penalties are asked of the parameters that they are written for") {
  CHECK(asks_as_written());
}

}  // namespace
