// SPDX-License-Identifier: MIT
// Tests of core/option.hpp.
#include <ipu_dsl/core/option.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr option_key width_key{"width"};
constexpr option_key slope_key{"slope"};
constexpr option_key color_key{"color"};

enum class color { red };
constexpr const option_key* accepted[] = {&width_key, &slope_key};

template <int Value>
struct width {
  static constexpr option as_option{&width_key, Value};
};

template <float Value>
struct slope {
  static constexpr option as_option{&slope_key, 0, Value};
};

struct red {
  static constexpr option as_option{&color_key, 1};
};

struct stranger {};

static_assert(option_type<width<3>> && option_type<red> && !option_type<stranger>);
static_assert(!option_type<int>);

template <typename... Options>
constexpr bool reads(int width_expected, float slope_expected) {
  const auto& given = options_of<Options...>;
  return !given.find_fault(accepted).found() && given.integer(width_key, -1) == width_expected &&
         given.number(slope_key, -1.0F) == slope_expected;
}

static_assert(reads<>(-1, -1.0F));
static_assert(reads<width<3>>(3, -1.0F));
static_assert(reads<width<3>, slope<0.5F>>(3, 0.5F));
static_assert(reads<slope<0.5F>, width<3>>(3, 0.5F), "options in any order are equal");
static_assert(options_of<width<0>>.given(width_key) && !options_of<width<0>>.given(slope_key));

constexpr problem twice = options_of<width<1>, slope<0.1F>, width<2>>.find_fault(accepted);
static_assert(twice.expected.view() == "one option for width");
static_assert(twice.got.view().ends_with("as option 3"));
static_assert(twice.got.view().find("as option 1 and ") != std::string_view::npos);

/// What a truth value is told that is none.
template <auto Value>
constexpr std::string_view refused_truth = bool_option<Value>(&width_key).fault->got.view();

static_assert(bool_option<true>(&width_key).integer == 1);
static_assert(bool_option<true>(&width_key).fault == nullptr);
static_assert(refused_truth<0.5F> == "0.5");
static_assert(refused_truth<0.25> == "0.25");
static_assert(refused_truth<-1> == "-1");
static_assert(refused_truth<color::red>.starts_with("a value of type "));

/// An option whose name leaves no room for another one's.
template <int First, int Second, int Third, int Fourth>
struct option_with_a_name_that_is_very_long_indeed_and_longer_than_what_there_is_room_for_in_one {
  static constexpr option as_option{&width_key, First};
};

template <int First>
using long_option =
    option_with_a_name_that_is_very_long_indeed_and_longer_than_what_there_is_room_for_in_one<
        First, 1'000'000, 1'000'000, 1'000'000>;

constexpr problem twice_long =
    options_of<long_option<1>, slope<0.1F>, long_option<2>>.find_fault(accepted);
static_assert(twice_long.got.view().find("... as option 1 and ") != std::string_view::npos);
static_assert(twice_long.got.view().ends_with("... as option 3"));

constexpr problem foreign_long = options_of<long_option<1>>.find_fault({});
static_assert(foreign_long.got.view().ends_with("... as option 1"));

constexpr problem foreign = options_of<width<1>, stranger>.find_fault(accepted);
static_assert(foreign.expected.view() == "an option that it takes");
static_assert(foreign.got.view().ends_with("stranger as option 2"));
static_assert(foreign.hint.view() == "it takes width and slope");

constexpr problem elsewhere = options_of<red>.find_fault(accepted);
static_assert(elsewhere.got.view().ends_with("red as option 1"));
static_assert(options_of<red>.find_fault({}).expected.view() == "no options");
static_assert(!options_of<>.find_fault({}).found());

constexpr option_key kernel_penalty_key{"kernel_penalty"};
constexpr option_key depthwise_penalty_key{.name = "depthwise_penalty", .usual = "kernel_penalty"};
constexpr option_key pointwise_penalty_key{.name = "pointwise_penalty", .usual = "kernel_penalty"};
constexpr option_key bias_penalty_key{"bias_penalty"};
constexpr const option_key* of_two_kernels[] = {&width_key, &depthwise_penalty_key,
                                                &bias_penalty_key, &pointwise_penalty_key};

struct kernel_penalty {
  static constexpr option as_option{&kernel_penalty_key, 1};
};

static_assert(options_of<kernel_penalty>.find_fault(of_two_kernels).hint.view() ==
              "write depthwise_penalty<...> or pointwise_penalty<...>");
static_assert(options_of<kernel_penalty>.find_fault(accepted).hint.view() ==
              "it takes width and slope");

TEST_CASE("options are read in any order") {
  CHECK(reads<width<3>, slope<0.5F>>(3, 0.5F));
  CHECK(reads<slope<0.5F>, width<3>>(3, 0.5F));
}

TEST_CASE("the first wrong option is the one reported") {
  const problem found = options_of<width<1>, width<2>, stranger>.find_fault(accepted);
  CHECK(found.expected.view() == "one option for width");
}

}  // namespace
