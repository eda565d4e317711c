// SPDX-License-Identifier: MIT
// Tests of data/digits.hpp and of the headers it is made of.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <ipu_dsl/data/digits.hpp>

#include "data/linear_classifier.hpp"
#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

using pixels = std::array<std::uint8_t, 784>;

constexpr bool test_square_root() {
  for (std::int32_t root = 0; root < 200; ++root) {
    if (pen::square_root(root * root) != root || pen::square_root(root * root + 2 * root) != root) {
      return false;
    }
  }
  return pen::square_root(2147483647) == 46340;
}

constexpr checks test_squared_distance() {
  constexpr pen::place begin = {0, 0};
  constexpr pen::place end = {256, 0};
  checks done;
  done.that(pen::squared_distance({128, 10}, begin, end) == 100);
  done.that(pen::squared_distance({-3, 4}, begin, end) == 25);
  done.that(pen::squared_distance({259, -4}, begin, end) == 25);
  done.that(pen::squared_distance({3, 4}, begin, begin) == 25);
  return done;
}

constexpr checks test_grey() {
  checks done;
  done.that(pen::grey_at(0, 256, 200) == 200);
  done.that(pen::grey_at(256 * 256, 256, 200) == 100);
  done.that(pen::grey_at(384 * 384, 256, 200) == 0);
  return done;
}

constexpr checks test_spline() {
  constexpr pen::place a = {0, 0};
  constexpr pen::place b = {64, 0};
  constexpr pen::place c = {64, 64};
  const pen::place first = pen::spline_point(a, b, c, 0);
  const pen::place last = pen::spline_point(a, b, c, 4);
  checks done;
  done.that(first.x == 32);
  done.that(first.y == 0);
  done.that(last.x == 64);
  done.that(last.y == 32);
  return done;
}

static_assert(test_square_root());
static_assert(test_squared_distance());
static_assert(test_grey());
static_assert(test_spline());
static_assert(dataset<digit_dataset>);

TEST_CASE("the arithmetic of the pen") {
  CHECK(test_square_root());
  CHECK(test_squared_distance());
  CHECK(test_grey());
  CHECK(test_spline());
}

TEST_CASE("every stroke fits its table and its paper") {
  int checked = 0;
  for (const pen::ways& ways : pen::digit_glyphs) {
    REQUIRE(ways.count >= 1);
    REQUIRE(ways.count <= pen::ways::max_glyphs);
    for (std::int32_t way = 0; way < ways.count; ++way) {
      const pen::glyph& glyph = ways.glyphs[way];
      REQUIRE(glyph.count >= 1);
      for (std::int32_t i = 0; i < glyph.count; ++i) {
        const pen::stroke& stroke = glyph.strokes[i];
        REQUIRE(stroke.count >= 2);
        for (std::int32_t point = 0; point < stroke.count; ++point) {
          CHECK(std::abs(stroke.points[point].x - 10) <= 13);
          CHECK(std::abs(stroke.points[point].y - 14) <= 17);
          ++checked;
        }
        // A place that is not counted would be a forgotten point.
        for (std::int32_t point = stroke.count; point < pen::stroke::max_points; ++point) {
          CHECK((stroke.points[point].x == 0 && stroke.points[point].y == 0));
        }
      }
    }
  }
  CHECK(checked > 150);
  WARN("checked " << checked << " points of strokes");
}

/// FNV-1a of labels and pixels.
std::uint64_t fingerprint(const digit_dataset& data) {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
  const auto add = [&](std::uint32_t byte) { hash = (hash ^ byte) * 0x100'0000'01B3; };
  for (const std::int32_t label : data.labels()) {
    add(static_cast<std::uint32_t>(label));
  }
  for (const std::uint8_t pixel : data.features()) {
    add(pixel);
  }
  return hash;
}

// Both compilers, every optimisation and every instruction set must give this value.
TEST_CASE("the first 1000 digits of a seed are the same bytes everywhere") {
  CHECK(fingerprint(synthetic_digits(1000, 1)) == 0xF486'2D1B'4E62'09A0);
  CHECK(fingerprint(synthetic_digits(1000, 2)) != fingerprint(synthetic_digits(1000, 1)));
}

TEST_CASE("a digit depends on seed and index alone") {
  const digit_dataset data = synthetic_digits(200, 9);
  pixels drawn = {};
  int checked = 0;
  for (std::uint32_t index = 200; index-- > 0;) {
    CHECK(draw_digit(9, index, drawn) == data.label(index));
    CHECK(std::equal(drawn.begin(), drawn.end(), &data.features()[index * drawn.size()]));
    ++checked;
  }
  CHECK(checked == 200);
}

TEST_CASE("all ten digits come about equally often, each with ink on it") {
  const digit_dataset data = synthetic_digits(5000, 4);
  std::array<int, 10> counts = {};
  int checked = 0;
  for (std::uint32_t index = 0; index < 5000; ++index) {
    ++counts[static_cast<std::size_t>(data.label(index))];
    const auto picture = data.features().subspan(index * 784, 784);
    CHECK(std::count_if(picture.begin(), picture.end(), [](int grey) { return grey > 60; }) > 15);
    ++checked;
  }
  for (const int count : counts) {
    // 500 expected, standard deviation 21.
    CHECK(std::abs(count - 500) < 107);
  }
  CHECK(checked == 5000);
  WARN("checked " << checked << " digits");
}

TEST_CASE("no digits, and fewer than none") {
  CHECK(synthetic_digits(0, 1).size() == 0);
  CHECK(tests::sentence_of([] { synthetic_digits(-1, 1); }) ==
        "synthetic_digits(count, seed) needs a count of 0 or more, got -1.");
  CHECK(tests::sentence_of([] { synthetic_digits(2'000'000'000, 1); }) ==
        "synthetic_digits(count, seed) keeps 784 bytes a digit; expected at most 10000000, got "
        "2000000000. Hint: draw_digit draws one at a time, for a feed of your own");
}

// What makes them worth a network: the tutorial's budget of training, without hidden layers. The
// other half, that the tutorial's network does learn them, is a test of the session.
TEST_CASE("a linear classifier does not learn the digits, but is far from guessing") {
  const digit_dataset train = synthetic_digits(20'000, 1);
  const digit_dataset test = synthetic_digits(2'000, 2);
  tests::linear_classifier classifier;
  classifier.fit(train, 2000);
  const double accuracy = classifier.accuracy(test);
  WARN("linear classifier: " << accuracy << " of " << test.size() << " digits");
  CHECK(accuracy < 0.88);
  CHECK(accuracy > 0.5);
}

}  // namespace
