// SPDX-License-Identifier: MIT
// Tests of core/text.hpp.
#include <cstdint>
#include <limits>
#include <string_view>

#include <ipu_dsl/core/text.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

template <typename... Parts>
constexpr label written(const Parts&... parts) {
  label words;
  (words << ... << parts);
  return words;
}

constexpr checks test_words() {
  checks done;
  done.that(label().empty());
  done.that(label("").empty());
  done.that(!label("a").empty());
  done.that(label("layer").view() == "layer");
  done.that(written("layer ", 12, ' ', std::string_view("Dense"), label("<256>")).view() ==
            "layer 12 Dense<256>");
  done.that(label("same") == label("same"));
  done.that(!(label("same") == label("some")));
  return done;
}

constexpr checks test_integers() {
  checks done;
  done.that(written(0).view() == "0");
  done.that(written(-1).view() == "-1");
  done.that(written(std::size_t{784}).view() == "784");
  done.that(written(std::numeric_limits<std::int64_t>::min()).view() == "-9223372036854775808");
  done.that(written(std::numeric_limits<std::int64_t>::max()).view() == "9223372036854775807");
  return done;
}

constexpr checks test_numbers() {
  checks done;
  done.that(written(0.0F).view() == "0");
  done.that(written(1.5F).view() == "1.5");
  done.that(written(0.2F).view() == "0.2");
  done.that(written(-0.05F).view() == "-0.05");
  done.that(written(1e-6F).view() == "0.000001");
  done.that(written(1e-8F).view() == "0");
  done.that(written(-1e-8F).view() == "0");
  done.that(written(1000000.0F).view() == "1000000");
  done.that(written(0.9999999F).view() == "1");
  done.that(written(3e38F).view() == "above 10^12");
  done.that(written(-std::numeric_limits<float>::infinity()).view() == "below -10^12");
  done.that(written(std::numeric_limits<float>::quiet_NaN()).view() == "not a number");
  return done;
}

constexpr checks test_cut() {
  text<4> words = "abcdef";
  const bool right = words.view() == "a..." && words.length == 4;
  words << "g" << 17;
  checks done;
  done.that(right);
  done.that(words.view() == "a...");
  done.that(words.characters[4] == '\0');
  done.that(text<4>("abcd").view() == "abcd");
  done.that(text<2>("abcd").view() == "..");
  return done;
}

constexpr bool test_fixed_string() {
  constexpr fixed_string name("logits");
  return name.view() == "logits" && sizeof(name.characters) == 7;
}

constexpr checks test_counts() {
  checks done;
  done.that(how_many(0, "stage").view() == "0 stages");
  done.that(how_many(1, "stage").view() == "1 stage");
  done.that(how_many(std::size_t{2}, "stage").view() == "2 stages");
  done.that(how_many(1, "micro-batch").view() == "1 micro-batch");
  done.that(how_many(std::int64_t{3}, "micro-batch").view() == "3 micro-batches");
  return done;
}

static_assert(test_words());
static_assert(test_integers());
static_assert(test_numbers());
static_assert(test_cut());
static_assert(test_fixed_string());
static_assert(test_counts());

TEST_CASE("text joins words, integers and numbers") {
  CHECK(test_words());
  CHECK(test_integers());
  CHECK(test_numbers());
}

TEST_CASE("text cuts what does not fit") {
  CHECK(test_cut());
}

TEST_CASE("one of something has no plural") {
  CHECK(test_counts());
}

TEST_CASE("fixed_string does not count its zero") {
  CHECK(test_fixed_string());
}

}  // namespace
