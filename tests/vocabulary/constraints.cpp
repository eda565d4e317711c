// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/constraints.hpp, vocabulary/layers/asked_of_weights.hpp and
// vocabulary/layers/asking_option.hpp.
#include <ipu_dsl/vocabulary/layers/asked_of_weights.hpp>
#include <ipu_dsl/vocabulary/layers/asking_option.hpp>
#include <ipu_dsl/vocabulary/layers/constraints.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

template <typename... Options>
constexpr problem fault_with = *Dense<4, Options...>::description.fault;

static_assert(!fault_with<kernel_constraint<non_neg>, bias_constraint<max_norm<>>>.found());
static_assert(fault_with<kernel_constraint<max_norm<0>>>.expected.view() ==
              "a finite norm above 0 in kernel_constraint<...>");
static_assert(fault_with<bias_constraint<relu>>.expected.view() ==
              "a constraint in bias_constraint<...>");
static_assert(fault_with<use_bias<false>, bias_constraint<non_neg>>.expected.view() ==
              "a bias beside bias_constraint<...>");
static_assert(!fault_with<kernel_constraint<min_max_norm<0.5, 2, 0.25F>>>.found());
static_assert(fault_with<kernel_constraint<min_max_norm<2.0F, 1.0F>>>.expected.view() ==
              "a least norm of at least 0, and at most the largest in kernel_constraint<...>");
static_assert(fault_with<kernel_constraint<min_max_norm<0, 0>>>.got.view() == "0");
static_assert(fault_with<kernel_constraint<min_max_norm<0, 1, 2>>>.expected.view() ==
              "a rate above 0 and at most 1 in kernel_constraint<...>");
static_assert(fault_with<embeddings_constraint<non_neg>>.found());
static_assert(fault_with<recurrent_constraint<non_neg>>.found());
static_assert(fault_with<kernel_constraint<non_neg>, kernel_constraint<unit_norm>>.found());

using recurrent = SimpleRNN<4, recurrent_constraint<unit_norm>, bias_constraint<max_norm<0.5>>,
                            kernel_regularizer<l1<0.25>>, kernel_constraint<non_neg>>;

/// What is asked of the parameters of a recurrent layer.
constexpr bool asks_as_written() {
  int found = 0;
  for (const weight_rules::entry& each : recurrent::description.weights->entries) {
    const parameter_rules& rules = each.rules;
    if (each.parameter == "kernel") {
      found += rules.l1 == 0.25F && rules.constraint == constraint_kind::non_negative ? 1 : 0;
    } else if (each.parameter == "recurrent_kernel") {
      found += rules.constraint == constraint_kind::unit_norm && !rules.penalizes() ? 1 : 0;
    } else if (each.parameter == "bias") {
      found += rules.constraint == constraint_kind::max_norm && rules.limit == 0.5F ? 1 : 0;
    }
  }
  return found == 3;
}

static_assert(asks_as_written());
static_assert(Conv2D<4, 3, relu>::description.weights == nullptr);

TEST_CASE("constraints are asked of the parameters that they are written for") {
  CHECK(asks_as_written());
}

}  // namespace
