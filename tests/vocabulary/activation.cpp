// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/activation.hpp.
#include <ipu_dsl/vocabulary/layers/activation.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

template <typename Layer>
constexpr activation_options read = Layer::description.options.template as<activation_options>();

template <typename... Layers>
constexpr bool keep_shapes() {
  return ((apply<Layers>({{7}}).gives({7}) && !apply<Layers>({{7}}).only().parameters) && ...);
}

static_assert(keep_shapes<linear, relu, relu6, leaky_relu, elu, gelu, swish, sigmoid,
                          hyperbolic_tangent, softplus, selu, hard_sigmoid, softsign, exponential,
                          mish, softmax, log_softmax, Softmax, Activation<>, Activation<relu>>());
static_assert(apply<relu>({{2, 3}}).gives({2, 3}));
static_assert(apply<softmax>({{2, 3}}).gives({2, 3}));
static_assert(apply<Activation<log_softmax>>({{4, 2, 3}}).gives({4, 2, 3}));
static_assert(apply<softmax>({{}}).refused("a vector, or positions of units", "()"));

// Of one unit both are constant, and behind each other they mean nothing.
static_assert(apply<softmax>({{1}}).refused("at least 2 units for softmax",
                                            "1, of which it makes 1 always"));
static_assert(apply<log_softmax>({{4, 1}}).refused("at least 2 units for log_softmax",
                                                   "1, of which it makes 0 always"));

// What runs over the last axis has rules of its own, however it is written.
static_assert(Activation<softmax>::description.rule == softmax::description.rule &&
              softmax::description.rule == &softmax_family &&
              relu::description.rule == &activation_family);

// A type and the option of Activation<...> are the same layer.
static_assert(read<relu>.kind == activation_kind::relu);
static_assert(read<Activation<relu>>.kind == activation_kind::relu);
static_assert(read<Activation<>>.kind == activation_kind::linear);
static_assert(read<leaky_relu>.alpha == 0.3F && read<Activation<leaky_relu>>.alpha == 0.3F);
static_assert(read<elu>.alpha == 1.0F);
static_assert(read<Activation<alpha<0.1F>, elu>>.alpha == 0.1F);
static_assert(read<Activation<elu, alpha<0.1F>>>.alpha == 0.1F);
static_assert(apply<Activation<relu, elu>>({{7}}).refused("one option for activation",
                                                          "relu as option 1 and elu as option 2"));

static_assert(read<mish>.kind == activation_kind::mish &&
              read<Activation<selu>>.kind == activation_kind::selu);
static_assert(describe(hard_sigmoid::description).view() == "hard_sigmoid");
static_assert(describe(relu6::description).view() == "relu6");
static_assert(describe(swish::description).view() == "swish");
static_assert(describe(Activation<elu>::description).view() == "elu");

TEST_CASE("activations keep the shape") {
  CHECK(keep_shapes<linear, relu, softmax>());
  CHECK(apply<softmax>({{2, 3}}).gives({2, 3}));
  CHECK(apply<softmax>({{}}).found.found());
}

}  // namespace
