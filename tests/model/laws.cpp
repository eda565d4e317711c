// SPDX-License-Identifier: MIT
// Laws of putting models together, each stated once and applied to many.
#include <cstdio>

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "model/same_graph.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using testing::output_of;
using testing::same_computation;
using testing::same_graph;

template <typename Input, typename... Layers>
struct chain : model<Input, sequential<Layers...>> {};

template <typename Input, typename... Stages>
struct cut : model<Input, pipeline<Stages...>> {};

template <typename... Ms>
constexpr bool equal = false;

template <typename First, typename Second>
constexpr bool equal<First, Second> = same_computation(graph_of<First>, graph_of<Second>);

/// A sequence inside a sequence is its layers.
template <typename Input, typename A, typename B, typename C>
constexpr bool composes =
    equal<chain<Input, sequential<A, B>, C>, chain<Input, A, B, C>> &&
    equal<chain<Input, A, sequential<B, C>>, chain<Input, A, B, C>> &&
    equal<chain<Input, sequential<sequential<A>, B, C>>, chain<Input, A, B, C>>;

/// Flatten gives a vector of as many elements, and a second one changes nothing.
template <typename Input>
constexpr bool flattens =
    output_of<chain<Input, Flatten>>() ==
        shape{static_cast<std::int32_t>(Input::extents.elements())} &&
    output_of<chain<Input, Flatten, Flatten>>() == output_of<chain<Input, Flatten>>();

/// Cutting a stage in two changes no tensor, no node and no connection.
template <typename Input, typename A, typename B, typename C>
constexpr bool cuts_change_nothing =
    equal<chain<Input, A, B, C>, cut<Input, stage<A, B, C>>> &&
    equal<cut<Input, stage<A, B, C>>, cut<Input, stage<A>, stage<B, C>>> &&
    equal<cut<Input, stage<A>, stage<B, C>>, cut<Input, stage<A>, stage<B>, stage<C>>>;

/// A name changes what a layer is called and nothing else.
template <typename Input, typename Layer>
constexpr bool names_change_nothing =
    equal<chain<Input, Layer>, chain<Input, named<"some", Layer>>> &&
    graph_of<chain<Input, named<"some", Layer>>>.layers.back().name == "some";

/// A layer without extents of its own keeps the shape.
template <typename Layer, typename... Inputs>
constexpr bool keeps_shapes = ((output_of<chain<Inputs, Layer>>() == Inputs::extents) && ...);

template <bool... Holds>
constexpr int holding = (0 + ... + (Holds ? 1 : 0));

constexpr int laws = holding<
    composes<input<28, 28>, Flatten, Dense<10>, relu>,
    composes<input<9>, Dense<4>, residual<Dense<4>>, Dense<2, gelu>>,
    composes<input<6>, concat<Dense<4>, relu>, Dropout<0.5F>, Reshape<2, 5>>,
    flattens<input<28, 28>>, flattens<input<7>>, flattens<input<2, 3, 5, 7>>, flattens<input<>>,
    cuts_change_nothing<input<28, 28>, Flatten, Dense<10, softmax>, relu>,
    cuts_change_nothing<input<4>, residual<Dense<4>, Dense<4>>, Dense<2>, softmax>,
    names_change_nothing<input<4>, Dense<3>>, names_change_nothing<input<4>, residual<Dense<4>>>,
    names_change_nothing<input<2, 2>, Flatten>, keeps_shapes<relu, input<4>, input<2, 3>, input<>>,
    keeps_shapes<Dropout<0.1F>, input<4>, input<2, 3>>,
    keeps_shapes<residual<relu>, input<4>, input<2, 3>>>;
static_assert(laws == 15);

// Options in any order are the same graph.
static_assert(equal<chain<input<4>, Dense<3, relu, use_bias<false>, init<he_uniform>>>,
                    chain<input<4>, Dense<3, init<he_uniform>, relu, use_bias<false>>>>);
static_assert(equal<chain<input<4>, Dense<3, swish, bias_init<ones>>>,
                    chain<input<4>, Dense<3, bias_init<ones>, swish>>>);
static_assert(equal<chain<input<4>, Dense<3, linear>>, chain<input<4>, Dense<3>>>);
static_assert(!equal<chain<input<4>, Dense<3, relu>>, chain<input<4>, Dense<3>>>);
static_assert(!equal<chain<input<4>, Dense<3>>, chain<input<4>, Dense<2>>>);

TEST_CASE("laws of composition") {
  std::printf("checked %d laws of composition\n", laws);
  CHECK(laws == 15);
}

}  // namespace
