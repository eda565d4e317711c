// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/initialization.hpp: Keras's initialisers, their options, refusals.
#include <ipu_dsl/vocabulary/layers/initialization.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::same_start;
using tests::checks;
using kind = initializer_kind;

template <typename Initializer, typename... Options>
constexpr const initializer& start_of_init = *init<Initializer, Options...>::as_option.start;

template <typename Initializer, typename... Options>
constexpr bool reads(const initializer& expected) {
  return init<Initializer, Options...>::as_option.fault == nullptr &&
         same_start(start_of_init<Initializer, Options...>, expected);
}

template <typename Initializer, typename... Options>
constexpr bool refused(std::string_view expected, std::string_view got) {
  const problem* const found = init<Initializer, Options...>::as_option.fault;
  return found != nullptr && found->expected.view() == expected && found->got.view() == got;
}

/// Keras's defaults.
constexpr checks test_defaults() {
  checks done;
  done.that(reads<zeros>({kind::zeros}));
  done.that(reads<ones>({kind::ones}));
  done.that(reads<constant<0.25F>>({kind::constant, 0.25F}));
  done.that(reads<random_uniform>({kind::uniform, -0.05F, 0.05F}));
  done.that(reads<random_normal>({kind::normal, 0, 0.05F}));
  done.that(reads<truncated_normal>({kind::truncated_normal, 0, 0.05F}));
  done.that(reads<glorot_uniform>({kind::scaled_uniform, 1, 0, fan_mode::average}));
  done.that(reads<glorot_normal>({kind::scaled_truncated_normal, 1, 0, fan_mode::average}));
  done.that(reads<he_uniform>({kind::scaled_uniform, 2, 0, fan_mode::inputs}));
  done.that(reads<he_normal>({kind::scaled_truncated_normal, 2, 0, fan_mode::inputs}));
  done.that(reads<lecun_uniform>({kind::scaled_uniform, 1, 0, fan_mode::inputs}));
  done.that(reads<lecun_normal>({kind::scaled_truncated_normal, 1, 0, fan_mode::inputs}));
  done.that(reads<orthogonal>({kind::orthogonal, 1}));
  done.that(reads<identity>({kind::identity, 1}));
  done.that(reads<variance_scaling<>>({kind::scaled_truncated_normal, 1, 0, fan_mode::inputs}));
  return done;
}

constexpr checks test_options() {
  checks done;
  done.that(reads<random_uniform, maxval<2>, minval<-1>>({kind::uniform, -1, 2}));
  done.that(reads<random_normal, mean_value<1>, init_stddev<0.5F>>({kind::normal, 1, 0.5F}));
  done.that(reads<truncated_normal, init_stddev<0>>({kind::truncated_normal, 0, 0}));
  done.that(reads<orthogonal, init_gain<2>>({kind::orthogonal, 2}));
  done.that(reads<identity, init_gain<0.5F>>({kind::identity, 0.5F}));
  done.that(reads<variance_scaling<2, "fan_out">>(
      {kind::scaled_truncated_normal, 2, 0, fan_mode::outputs}));
  done.that(reads<variance_scaling<0.5F, "fan_avg", "uniform">>(
      {kind::scaled_uniform, 0.5F, 0, fan_mode::average}));
  done.that(reads<variance_scaling<1, "fan_in", "untruncated_normal">>(
      {kind::scaled_normal, 1, 0, fan_mode::inputs}));
  done.that(reads<he_normal, init_seed<7>>(
      {kind::scaled_truncated_normal, 2, 0, fan_mode::inputs, true, 7}));
  done.that(reads<random_uniform, init_seed<0>, minval<0>>(
      {kind::uniform, 0, 0.05F, fan_mode::average, true}));
  return done;
}

struct ramp {
  static float start(const initial_value& at) { return 0.5F * static_cast<float>(at.index); }
};

struct halves {
  static constexpr double start(const initial_value&) { return 0.5; }
};

struct takes_nothing {
  static float start() { return 1; }
};

constexpr checks test_own() {
  checks done;
  done.that(init<ramp>::as_option.fault == nullptr);
  done.that(start_of_init<ramp>.kind == initializer_kind::own);
  done.that(start_of_init<ramp, init_seed<3>>.seed == 3);
  done.that(start_of_init<halves>.own({}) == 0.5F);
  return done;
}

constexpr checks test_refusals() {
  checks done;
  done.that(init<takes_nothing>::as_option.fault->expected.view() == "an initializer");
  done.that(init<int>::as_option.fault->got.view() == "int");
  done.that(refused<he_normal, init_seed<-1>>("a whole number of at least 0 in init_seed<...>",
                                              "one below"));
  done.that(refused<random_normal, init_stddev<-1>>("a standard deviation of at least 0", "-1"));
  done.that(refused<random_uniform, minval<1>>("minval of at most maxval", "1 and 0.05"));
  done.that(refused<variance_scaling<0>>("a scale above 0", "0"));
  done.that(refused<variance_scaling<1, "fan_on">>("\"fan_in\", \"fan_out\" or \"fan_avg\"",
                                                   "\"fan_on\""));
  done.that(refused<variance_scaling<1, "fan_in", "normal">>(
      "\"truncated_normal\", \"untruncated_normal\" or \"uniform\"", "\"normal\""));
  done.that(init<zeros, init_gain<2>>::as_option.fault->expected.view() ==
            "an option that it takes");
  done.that(init<orthogonal, init_stddev<2>>::as_option.fault->hint.view() ==
            "it takes init_gain and init_seed");
  done.that(init<he_normal, init_seed<1>, init_seed<2>>::as_option.fault->expected.view() ==
            "one option for init_seed");
  return done;
}

static_assert(initializer_type<he_normal> && !initializer_type<int>);
static_assert(test_defaults());
static_assert(test_options());
static_assert(test_own());
static_assert(test_refusals());

TEST_CASE("initialisers have Keras's defaults") {
  CHECK(test_defaults());
}

TEST_CASE("initialisers take numbers and a seed") {
  CHECK(test_options());
}

TEST_CASE("a type with a function of a number's place is an initialiser") {
  CHECK(test_own());
  CHECK(start_of_init<ramp>.own({.index = 3}) == 1.5F);
}

TEST_CASE("what is no initialiser, and numbers that none has, are refused") {
  CHECK(test_refusals());
}

}  // namespace
