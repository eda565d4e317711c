// SPDX-License-Identifier: MIT
// What tells a training from one whose arrays are alike.
#include <cstdint>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/training/training_identity.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

template <typename... Body>
struct net : model<input<8>, Body...> {};

template <typename... Body>
constexpr std::uint64_t number_of = number_of_model(graph_of<net<Body...>>, false);

constexpr std::uint64_t plain = number_of<sequential<Dense<4, relu>, Dropout<0.25F>, Dense<3>>>;

using in_stages = pipeline<stage<Dense<4, relu>, Dropout<0.25F>>, stage<Dense<3>>>;
using with_names = sequential<named<"first", Dense<4, relu>>, Dropout<0.25F>, Dense<3>>;

// Where it is computed and what it is called are no part of it.
static_assert(number_of<in_stages> == plain);
static_assert(number_of<with_names> == plain);

// What it computes is.
static_assert(number_of<sequential<Dense<4, sigmoid>, Dropout<0.25F>, Dense<3>>> != plain);
static_assert(number_of<sequential<Dense<4, relu>, Dropout<0.5F>, Dense<3>>> != plain);
static_assert(number_of<sequential<Dense<4, relu>, GaussianDropout<0.25F>, Dense<3>>> != plain);
static_assert(number_of<sequential<Dense<4, relu>, Dense<3>>> != plain);
static_assert(number_of<sequential<frozen<Dense<4, relu>>, Dropout<0.25F>, Dense<3>>> != plain);
static_assert(number_of_model(graph_of<net<in_stages>>, true) != plain);

/// Of two branches that read each other's tensors.
template <bool Swapped>
struct joined {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input("x", {4});
    const symbolic_tensor y = build.input("y", {4});
    return Swapped ? build.layer<Subtract>("difference", y, x)
                   : build.layer<Subtract>("difference", x, y);
  }
};

static_assert(number_of_model(graph_of<joined<false>>, false) !=
              number_of_model(graph_of<joined<true>>, false));

}  // namespace

TEST_CASE("a model has the same number wherever it is computed, and another if it is another") {
  CHECK(number_of<in_stages> == plain);
  CHECK(number_of<sequential<Dense<4, relu>, Dense<3>>> != plain);
}
