// SPDX-License-Identifier: MIT
// Tests of core/text.hpp.
#include <cstdint>
#include <limits>
#include <string_view>

#include <ipu_dsl/core/text.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

template <typename... Parts>
constexpr label written(const Parts&... parts) {
  label words;
  (words << ... << parts);
  return words;
}

constexpr bool test_words() {
  bool right = label().empty() && label("").empty() && !label("a").empty();
  right = right && label("layer").view() == "layer";
  right = right && written("layer ", 12, ' ', std::string_view("Dense"), label("<256>")).view() ==
                       "layer 12 Dense<256>";
  return right && label("same") == label("same") && !(label("same") == label("some"));
}

constexpr bool test_integers() {
  bool right = written(0).view() == "0" && written(-1).view() == "-1";
  right = right && written(std::size_t{784}).view() == "784";
  right =
      right && written(std::numeric_limits<std::int64_t>::min()).view() == "-9223372036854775808";
  return right && written(std::numeric_limits<std::int64_t>::max()).view() == "9223372036854775807";
}

constexpr bool test_numbers() {
  bool right = written(0.0F).view() == "0" && written(1.5F).view() == "1.5";
  right = right && written(0.2F).view() == "0.2" && written(-0.05F).view() == "-0.05";
  right = right && written(1e-6F).view() == "0.000001" && written(1e-8F).view() == "0";
  right = right && written(-1e-8F).view() == "0" && written(1000000.0F).view() == "1000000";
  right = right && written(0.9999999F).view() == "1";
  right = right && written(3e38F).view() == "above 10^12";
  right = right && written(-std::numeric_limits<float>::infinity()).view() == "below -10^12";
  return right && written(std::numeric_limits<float>::quiet_NaN()).view() == "not a number";
}

constexpr bool test_cut() {
  text<4> words = "abcdef";
  bool right = words.view() == "abcd" && words.length == 4;
  words << "g" << 17;
  return right && words.view() == "abcd" && words.characters[4] == '\0';
}

constexpr bool test_fixed_string() {
  constexpr fixed_string name("logits");
  return name.view() == "logits" && sizeof(name.characters) == 7;
}

static_assert(test_words());
static_assert(test_integers());
static_assert(test_numbers());
static_assert(test_cut());
static_assert(test_fixed_string());

TEST_CASE("text joins words, integers and numbers") {
  CHECK(test_words());
  CHECK(test_integers());
  CHECK(test_numbers());
}

TEST_CASE("text cuts what does not fit") {
  CHECK(test_cut());
}

TEST_CASE("fixed_string does not count its zero") {
  CHECK(test_fixed_string());
}

}  // namespace
