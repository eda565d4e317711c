// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/dense.hpp and vocabulary/layers/initialization.hpp.
#include <ipu_dsl/vocabulary/layers/dense.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;
using testing::same_start;
using tests::checks;

template <typename Layer>
constexpr dense_options options_of_layer = Layer::description.options.template as<dense_options>();

struct stranger {};

constexpr checks test_defaults() {
  const auto made = apply<Dense<256>>({{784}});
  checks done;
  done.that(made.gives({256}));
  done.that(made.only().parameters == 2);
  const tensor& kernel = made.parameter(0);
  done.that(kernel.name == "kernel");
  done.that(kernel.extents == shape{784, 256});
  done.that(same_start(kernel.start, glorot_uniform::start));
  done.that(kernel.lies == storage::panels);
  const tensor& bias = made.parameter(1);
  done.that(bias.name == "bias");
  done.that(bias.extents == shape{256});
  done.that(same_start(bias.start, zeros::start));
  done.that(options_of_layer<Dense<256>>.activation == activation_kind::linear);
  return done;
}

constexpr checks test_starts() {
  const auto made = apply<Dense<2, bias_init<constant<0.5F>>, init<he_uniform>>>({{3}});
  checks done;
  done.that(same_start(made.parameter(0).start, he_uniform::start));
  done.that(made.parameter(1).start.kind == initializer_kind::constant);
  done.that(made.parameter(1).start.value == 0.5F);
  return done;
}

constexpr checks test_refusals() {
  checks done;
  done.that(apply<Dense<256>>({{}}).refused("a vector, or positions of features", "()"));
  done.that(apply<Dense<0>>({{784}}).refused("at least 1 unit", "0"));
  done.that(apply<Dense<-3>>({{784}}).refused("at least 1 unit", "-3"));
  done.that(apply<Dense<3, relu, hyperbolic_tangent>>({{784}}).refused(
      "one option for activation", "relu as option 1 and hyperbolic_tangent as option 2"));
  done.that(apply<Dense<3, stranger>>({{784}}).found.found());
  return done;
}

/// The last axis is multiplied, whatever stands before it.
constexpr bool test_positions() {
  const auto made = apply<Dense<8>>({{28, 28, 3}});
  return made.gives({28, 28, 8}) && made.parameter(0).extents == shape{3, 8} &&
         made.output().lies == storage::positions &&
         apply<Dense<32>>({{28, 28}}).output().lies == storage::rows;
}

/// The same options in another order are the same layer.
template <typename First, typename Second>
constexpr bool same_layer() {
  const element& first = First::description;
  const element& second = Second::description;
  bool same = first.followed_by == nullptr && second.followed_by == nullptr;
  for (std::size_t i = 0; i < attributes::capacity; ++i) {
    same = same && first.options.words[i] == second.options.words[i];
  }
  return same;
}

static_assert(test_defaults());
static_assert(test_starts());
static_assert(test_positions());
static_assert(apply<Dense<1, use_bias<false>>>({{3}}).only().parameters == 1);
static_assert(same_layer<Dense<8, relu, use_bias<false>, init<ones>>,
                         Dense<8, init<ones>, relu, use_bias<false>>>());
static_assert(!same_layer<Dense<8, relu>, Dense<8, hyperbolic_tangent>>());
static_assert(!same_layer<Dense<8>, Dense<9>>());

// An activation whose gradient needs its input is a node of its own.
static_assert(fused_activation(options_of_layer<Dense<8, gelu>>.activation) ==
              activation_kind::linear);
static_assert(Dense<8, gelu>::description.followed_by->rule == &activation_family);
static_assert(fused_activation(options_of_layer<Dense<8, relu>>.activation) ==
              activation_kind::relu);
static_assert(options_of_layer<Dense<8, leaky_relu>>.alpha == 0.3F);
static_assert(options_of_layer<Dense<8, alpha<0.1F>, leaky_relu>>.alpha == 0.1F);

static_assert(describe(Dense<10>::description).view() == "Dense<10>");
static_assert(describe(Dense<10, use_bias<false>, softmax>::description).view() ==
              "Dense<10, softmax, use_bias<false>>");

TEST_CASE("Dense has Keras's defaults") {
  CHECK(test_defaults());
}

TEST_CASE("Dense takes its initialisers") {
  CHECK(test_starts());
}

TEST_CASE("Dense multiplies the last axis") {
  CHECK(test_positions());
}

TEST_CASE("Dense refuses what it cannot multiply") {
  CHECK(test_refusals());
}

}  // namespace
