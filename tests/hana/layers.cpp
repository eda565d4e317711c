// SPDX-License-Identifier: MIT
#include <type_traits>

#include <boost/hana/append.hpp>
#include <boost/hana/back.hpp>
#include <boost/hana/drop_back.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/transform.hpp>

#include <ipu_dsl/hana/layers.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
namespace hana = boost::hana;

using logits = named<"logits", Dense<10>>;
using in_stages =
    model<input<28, 28>, pipeline<stage<Flatten, Dense<16, relu>>, stage<Dense<8, relu>, logits>>>;

struct mlp : in_stages {};

static_assert(layers_of<mlp> == hana::tuple_t<Flatten, Dense<16, relu>, Dense<8, relu>, logits>);
static_assert(stages_of<mlp> == hana::make_tuple(hana::tuple_t<Flatten, Dense<16, relu>>,
                                                 hana::tuple_t<Dense<8, relu>, logits>));

// A model and its layers are the same thing, both ways.
static_assert(model_of<mlp::input_type>(stages_of<mlp>) == hana::type_c<in_stages>);
static_assert(model_of<mlp::input_type>(layers_of<mlp>) ==
              hana::type_c<model<input<28, 28>,
                                 sequential<Flatten, Dense<16, relu>, Dense<8, relu>, logits>>>);

using assigned = model<input<4>, sequential<Dense<3>, Dense<2>>, stage_assignment<0, 1>>;

static_assert(layers_of<assigned> == hana::tuple_t<Dense<3>, Dense<2>>);
static_assert(stages_of<assigned> == hana::make_tuple(layers_of<assigned>));
static_assert(model_of<input<4>, assigned::assignment_type>(layers_of<assigned>) ==
              hana::type_c<assigned>);

// What is cut by the compiler lists the layers of its sequence; other elements are layers.
static_assert(layers_of<model<input<4>, auto_pipeline<sequential<Dense<3>, Dense<2>>, 2>>> ==
              hana::tuple_t<Dense<3>, Dense<2>>);
static_assert(layers_of<model<input<4>, residual<Dense<4>>>> == hana::tuple_t<residual<Dense<4>>>);
static_assert(layers_of<model<input<4>, sequential<residual<Dense<4>>, concat<Dense<1>>>>> ==
              hana::tuple_t<residual<Dense<4>>, concat<Dense<1>>>);
static_assert(layers_of<model<input<4>, pipeline<>>> == hana::tuple_t<>);

// Stages need not be stages of the same length, and may be a sequence each.
static_assert(layers_of<model<input<4>, pipeline<stage<Dense<3>>, stage<>, stage<Dense<2>>>>> ==
              hana::tuple_t<Dense<3>, Dense<2>>);

constexpr auto widths = hana::tuple_c<int, 16, 32, 64>;
constexpr auto swept = hana::transform(widths, [](auto width) {
  return model_of<input<8>>(hana::tuple_t<Dense<width(), relu>, Dense<4>>);
});

template <int Width>
using of_width = model<input<8>, sequential<Dense<Width, relu>, Dense<4>>>;

static_assert(swept == hana::tuple_t<of_width<16>, of_width<32>, of_width<64>>);

template <typename Tuple>
constexpr bool all_are_valid(Tuple models) {
  return hana::unpack(
      models, [](auto... each) { return (is_valid<typename decltype(each)::type>() && ...); });
}

static_assert(all_are_valid(swept) && hana::length(swept) == hana::size_c<3>);

// All but the last layer frozen.
constexpr auto tuned =
    hana::append(hana::transform(hana::drop_back(layers_of<mlp>), hana::template_<frozen>),
                 hana::back(layers_of<mlp>));
using tuned_model = decltype(model_of<mlp::input_type>(tuned))::type;

constexpr int learning_parameters(const graph_view& of) {
  int count = 0;
  for (const tensor& atom : of.tensors) {
    count += atom.role == tensor_role::parameter && atom.trainable ? 1 : 0;
  }
  return count;
}

static_assert(learning_parameters(graph_of<tuned_model>) == 2);
static_assert(learning_parameters(graph_of<mlp>) == 6);

// What is refused.
struct calls {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Dense<10>>("logits", build.input({4}));
  }
};

constexpr problem of_calls = layers_as_types::fault_of_layers<calls>::value;

static_assert(of_calls.found() && of_calls.where.view() == "layers_of and stages_of");
static_assert(of_calls.expected.view() == "a model that lists its layers, model<input<...>, ...>");
static_assert(of_calls.hint.view() == "a functional model has calls, in any order");
static_assert(layers_as_types::fault_of_layers<Flatten>::value.hint.view() ==
              "give them the model itself: layers_of<mlp>");
static_assert(!layers_as_types::fault_of_layers<mlp>::value.found());

using layer_type = decltype(hana::type_c<Flatten>);
using stage_types = std::remove_const_t<decltype(hana::tuple_t<Flatten>)>;

constexpr problem of_mixture = layers_as_types::fault_of_body<layer_type, stage_types, int>::value;

static_assert(of_mixture.where.view() == "model_of");
static_assert(of_mixture.got.view() == "a layer, a stage, something else");
static_assert(!layers_as_types::fault_of_body<layer_type, layer_type>::value.found());
static_assert(!layers_as_types::fault_of_body<stage_types, stage_types>::value.found());

TEST_CASE("layers as types are those of the model") {
  CHECK(hana::length(layers_of<mlp>).value == 4);
  CHECK(all_are_valid(swept));
}

}  // namespace
