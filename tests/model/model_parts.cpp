// SPDX-License-Identifier: MIT
// Tests of model/model_parts.hpp: what stands between the brackets of model<...>.
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d_transpose.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

using body = sequential<Flatten, Dense<10>>;

template <typename M>
constexpr bool says(std::string_view where, std::string_view expected, std::string_view got) {
  const problem& found = fault_of<M>::value;
  return model_type<M> && !is_valid<M>() && found.where.view() == where &&
         found.expected.view() == expected && found.got.view() == got;
}

struct image {};

static_assert(is_valid<model<input<28, 28>, body>>());
static_assert(is_valid<model<input<28, 28>, body, stage_assignment<0, 1>>>());
static_assert(says<model<>>("model", "input<...> first", "nothing"));
static_assert(says<model<body>>("model", "input<...> first", "sequential"));
static_assert(says<model<image, body>>("model", "input<...> first", "image") ||
              says<model<image, body>>("model", "input<...> first", "{anonymous}::image") ||
              says<model<image, body>>("model", "input<...> first",
                                       "(anonymous namespace)::image"));
static_assert(says<model<input<4>>>("model", "a body behind the input", "none"));
static_assert(says<model<input<4>, input<4>>>("model",
                                              "a body behind the input, such as sequential<...>",
                                              "input<...>"));
static_assert(says<model<input<4>, model<input<4>, body>>>(
    "model", "a body behind the input, such as sequential<...>", "a model"));
static_assert(says<model<input<28, 28>, Flatten, Dense<10>>>("model", "one body behind the input",
                                                             "Flatten and Dense<10>"));
static_assert(says<model<input<28, 28>, body, stage_assignment<0, 1>, stage_assignment<0, 1>>>(
    "model", "nothing behind stage_assignment<...>", "stage_assignment<...>"));
static_assert(says<model<input<28.0, 28.0>, body>>("input", "a whole number",
                                                   "a value of type double"));
static_assert(says<model<input<28, 28>, body, stage_assignment<0, 0.5>>>("stage_assignment",
                                                                         "a whole number",
                                                                         "a value of type double"));
static_assert(says<model<input<28, 28>, sequential<Flatten, Dense<10.0>>>>(
    "layer 1 Dense<units> in stage 0", "a whole number", "a value of type double"));
static_assert(says<model<input<28, 28>, sequential<Flatten, Dense<>>>>(
    "layer 1 Dense<units> in stage 0", "a whole number", "none"));
static_assert(says<model<input<28, 28>, sequential<Flatten, named<"two", Dense<9>, Dense<10>>>>>(
    "layer 1 named<...> in stage 0", "one layer behind the name", "2"));

/// Of a layer that is long to describe, where it stands is not cut off.
using long_layer = named<"scores_of_the_last_of_all_heads_behind_the_trunk",
                         Conv2DTranspose<2, 3, strides<1, 2>, output_padding<0, 1>, same_padding>>;
static_assert(says<model<input<16>, long_layer>>(
    "layer 0 Conv2DTranspose<2,... named scores_of_the_last_of_all_heads_behind_the_trunk in stage "
    "0",
    "an image (rows, columns, channels)", "(16)"));

constexpr family kept_family{.name = "Kept", .shapes = [](node_draft& draft) {
                               draft.output(draft.input(0));
                               return problem{};
                             }};

/// Descriptions of layers that the compiler cannot read, or that say too little.
struct description_not_static {
  element description{.kind = element_kind::layer, .rule = &kept_family};
};

struct description_not_constant {
  inline static element description{.kind = element_kind::layer, .rule = &kept_family};
};

struct description_without_kind_of_layer {
  static constexpr element description{.rule = &kept_family};
};

template <typename Layer>
constexpr bool refuses_layer(std::string_view expected, std::string_view got) {
  const problem& found = fault_of<model<input<4>, sequential<Layer>>>::value;
  return found.expected.view() == expected && found.got.view() == got;
}

static_assert(refuses_layer<description_not_static>("a description that the compiler can read",
                                                    "one that it can not"));
static_assert(refuses_layer<description_not_constant>("a description that the compiler can read",
                                                      "one that it can not"));
static_assert(refuses_layer<description_without_kind_of_layer>("a description with its kind",
                                                               "one without"));

/// A rule that the compiler cannot run: nothing is said here, but where code is made.
problem count_at_run_time(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

constexpr family counted_family{.name = "Counted", .shapes = count_at_run_time};

struct Counted {
  static constexpr element description{.kind = element_kind::layer, .rule = &counted_family};
};

static_assert(!folded_by_compiler<model<input<4>, sequential<Counted>>>);

/// A build that the compiler cannot run: nothing is said here, but where code is made.
struct counting {
  static symbolic_tensor build(functional_builder& build) {
    return build.layer<Dense<2>>("", build.input({4}));
  }
};

static_assert(functional_model<counting> && !folded_by_compiler<counting>);

TEST_CASE("a model that is put together wrongly says what it is made of") {
  CHECK(says<model<body>>("model", "input<...> first", "sequential"));
  CHECK(says<model<input<28, 28>, Flatten, Dense<10>>>("model", "one body behind the input",
                                                       "Flatten and Dense<10>"));
}

}  // namespace
