// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/kernels/floating_bits.hpp>
#include <ipu_dsl/kernels/pixelwise_product.hpp>
#include <ipu_dsl/kernels/transpose.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;
using vector = kernels::vector<layout::native>;

namespace {

/// Pairs of values with every kind of number among them.
struct pairs {
  static constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr float values[] = {
      0.0F,     -0.0F,     1.0F, -1.0F,      0.1F,       -0x1.8p-140F,
      infinity, -infinity, 3.0F, 0x1.fp127F, -0x1p-126F, std::numeric_limits<float>::quiet_NaN()};
};

/// `operation` on vectors gives each element the bits that it gives the scalars.
template <typename Operation>
int differing_elements(const Operation& operation) {
  int differing = 0;
  for (const float left : pairs::values) {
    for (const float right : pairs::values) {
      float results[static_cast<std::size_t>(lanes)] = {};
      kernels::store(results, operation(vector(left), vector(right)));
      const float want = operation(left, right);
      for (const float got : results) {
        const bool same = test::same_bits(got, want) || (std::isnan(got) && std::isnan(want));
        differing += same ? 0 : 1;
      }
    }
  }
  return differing;
}

}  // namespace

TEST_CASE("vectors and scalars agree bit by bit") {
  using namespace kernels;
  CHECK(differing_elements([](auto a, auto b) { return maximum(a, b); }) == 0);
  CHECK(differing_elements([](auto a, auto b) { return minimum(a, b); }) == 0);
  CHECK(differing_elements([](auto a, auto b) { return choose(a < b, a, b); }) == 0);
  CHECK(differing_elements([](auto a, auto b) { return multiply_add(a, b, a); }) == 0);
  CHECK(differing_elements([](auto a, auto b) { return magnitude(a - b); }) == 0);
  CHECK(differing_elements([](auto a, auto b) { return sign_of(a - b); }) == 0);
  // The count makes sure that the comparison can fail.
  CHECK(differing_elements([](auto a, auto) {
          return a + decltype(a)(std::is_same_v<decltype(a), float> ? 1.0F : 2.0F);
        }) > 0);
}

TEST_CASE("a sign is one, a zero or not a number") {
  CHECK(kernels::sign_of(0x1p-149F) == 1.0F);
  CHECK(kernels::sign_of(-pairs::infinity) == -1.0F);
  CHECK(test::same_bits(kernels::sign_of(-0.0F), -0.0F));
  CHECK(std::isnan(kernels::sign_of(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("the first lanes are kept, and zeros stand behind them, whatever was there") {
  int checked = 0;
  for (const float behind : pairs::values) {
    for (std::int32_t count = 0; count <= lanes; ++count) {
      float given[static_cast<std::size_t>(lanes)];
      std::fill_n(given, lanes, behind);
      std::fill_n(given, count, 7.0F);
      float kept[static_cast<std::size_t>(lanes)];
      kernels::store(kept, kernels::first_lanes(kernels::load<vector>(given), count));
      for (std::int32_t lane = 0; lane < lanes; ++lane) {
        CHECK(test::same_bits(kept[lane], lane < count ? 7.0F : 0.0F));
        ++checked;
      }
    }
  }
  CHECK(checked > 0);
}

TEST_CASE("a multiply-add rounds once where the architecture does") {
  // (1 + e) (1 - e) - 1 = -e^2, which a rounded product loses.
  const float e = 0x1p-13F;
  const float expected = layout::native.fused_multiply_add ? -0x1p-26F : 0.0F;
  CHECK(kernels::multiply_add(1.0F + e, 1.0F - e, -1.0F) == expected);
  float results[static_cast<std::size_t>(lanes)] = {};
  kernels::store(results, kernels::multiply_add(vector(1.0F + e), vector(1.0F - e), vector(-1.0F)));
  CHECK(results[lanes - 1] == expected);
}

TEST_CASE("loads and stores need no alignment") {
  float memory[static_cast<std::size_t>(3 * lanes)] = {};
  int checked = 0;
  for (int shift = 0; shift < lanes; ++shift) {
    for (int i = 0; i < 3 * lanes; ++i) {
      memory[i] = static_cast<float>(i);
    }
    kernels::store(memory + lanes + shift, kernels::load<vector>(memory + shift));
    CHECK(memory[lanes + shift] == static_cast<float>(shift));
    CHECK(memory[2 * lanes + shift - 1] == static_cast<float>(lanes + shift - 1));
    ++checked;
  }
  CHECK(checked == lanes);
}

TEST_CASE("powers of two and integers as floats are exact") {
  int checked = 0;
  for (std::int32_t n = -126; n <= 127; ++n) {
    CHECK(kernels::power_of_two<float>(n) == std::ldexp(1.0F, n));
    CHECK(kernels::float_of<float>(n) == static_cast<float>(n));
    const float shifted = static_cast<float>(n) + kernels::integer_shift;
    CHECK(kernels::shifted_integer(shifted) == n);
    ++checked;
  }
  CHECK(checked == 254);
  std::printf("simd: checked %d powers of two\n", checked);
}

TEST_CASE("numbers of groups are repeated in their lanes") {
  float numbers[static_cast<std::size_t>(lanes)];
  for (int i = 0; i < lanes; ++i) {
    numbers[i] = static_cast<float>(i);
  }
  const auto given = kernels::load<vector>(numbers);
  int checked = 0;
  int wrong = 0;
  const auto check = [&](const vector& repeated, int size, int place) {
    float got[static_cast<std::size_t>(lanes)];
    kernels::store(got, repeated);
    for (int i = 0; i < lanes; ++i) {
      wrong += got[i] == static_cast<float>(i / size * size + place) ? 0 : 1;
      ++checked;
    }
  };
  for (int place = 0; place < 2; ++place) {
    check(kernels::repeat_in_groups<2>(given, place), 2, place);
  }
  for (int place = 0; place < 4; ++place) {
    check(kernels::repeat_in_groups<4>(given, place), 4, place);
  }
  CHECK(wrong == 0);
  CHECK(checked == 6 * lanes);
}

namespace {

/// A vector whose lane i holds 100 * row + i.
vector numbered(int row) {
  float numbers[static_cast<std::size_t>(lanes)];
  for (int i = 0; i < lanes; ++i) {
    numbers[i] = static_cast<float>(100 * row + i);
  }
  return kernels::load<vector>(numbers);
}

/// How many lanes hold something else than `want(lane)`.
template <typename Want>
int differing_lanes(const vector& given, const Want& want) {
  float got[static_cast<std::size_t>(lanes)];
  kernels::store(got, given);
  int differing = 0;
  for (int i = 0; i < lanes; ++i) {
    differing += got[i] == static_cast<float>(want(i)) ? 0 : 1;
  }
  return differing;
}

}  // namespace

TEST_CASE("blocks of four by four are transposed where they lie") {
  vector rows[] = {numbered(0), numbered(1), numbered(2), numbered(3)};
  kernels::transpose_quads(rows);
  for (int row = 0; row < 4; ++row) {
    CHECK(differing_lanes(rows[row], [&](int i) { return 100 * (i % 4) + i / 4 * 4 + row; }) == 0);
  }
}

#if XSIMD_WITH_AVX512F
namespace {

/// Calls `check(place)` for the first lane of each four of a vector of sixteen, as constants.
template <typename Check>
int for_quads(const Check& check) {
  check(std::integral_constant<int, 0>());
  check(std::integral_constant<int, 4>());
  check(std::integral_constant<int, 8>());
  check(std::integral_constant<int, 12>());
  return 4;
}

}  // namespace

TEST_CASE("four lanes of two vectors of sixteen are joined") {
  const int checked = for_quads([](auto place) {
    constexpr int first = decltype(place)::value;
    const vector joined = kernels::join_quads<first>(numbered(1), numbered(2));
    CHECK(differing_lanes(
              joined, [](int i) { return i < 8 ? (i / 4 + 1) * 100 + first + i % 4 : 0; }) == 0);
  });
  CHECK(checked == 4);
}
#endif

TEST_CASE("multiply-adds within some lanes leave the others alone") {
  int checked = 0;
  for (int begin = 0; begin <= lanes; ++begin) {
    for (int end = begin; end <= lanes; ++end) {
      const vector sums =
          kernels::multiply_add_within({begin, end}, numbered(0), vector(2.0F), numbered(3));
      CHECK(differing_lanes(
                sums, [&](int i) { return 300 + i + (i >= begin && i < end ? 2 * i : 0); }) == 0);
      ++checked;
    }
  }
  CHECK(checked == (lanes + 1) * (lanes + 2) / 2);
}
