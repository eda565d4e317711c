// SPDX-License-Identifier: MIT
// Tests of runtime/initial_values.hpp: distributions, fans, seeds, and the bits themselves.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

#include <ipu_dsl/core/hash.hpp>
#include <ipu_dsl/runtime/initial_values.hpp>
#include <ipu_dsl/vocabulary/layers/initialization.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

std::vector<float> start(const initializer& chosen, const shape& extents, std::uint64_t seed = 1,
                         std::uint64_t stream = 2) {
  std::vector<float> values(static_cast<std::size_t>(extents.elements()), 77.0F);
  start_values(chosen, extents, seed, stream, {values.data(), values.size()});
  return values;
}

struct moments {
  double mean = 0;
  double deviation = 0;
  double largest = 0;  ///< of |value - mean|
};

moments moments_of(const std::vector<float>& values, double centre) {
  moments found;
  const auto count = static_cast<double>(values.size());
  for (const float value : values) {
    found.mean += static_cast<double>(value) / count;
    found.largest = std::max(found.largest, std::abs(static_cast<double>(value) - centre));
  }
  for (const float value : values) {
    const double beside = static_cast<double>(value) - found.mean;
    found.deviation += beside * beside / count;
  }
  found.deviation = std::sqrt(found.deviation);
  return found;
}

/// What a distribution is of: its mean, its standard deviation, beyond what nothing lies (0: no
/// bound), and its fourth moment in units of the deviation, which says how far the deviation of n
/// values is off: deviation * sqrt((kurtosis - 1) / (4 n)).
struct expected_moments {
  double mean = 0;
  double deviation = 0;
  double bound = 0;
  double kurtosis = 3;
};

constexpr double kurtosis_of_uniform = 1.8;
constexpr double kurtosis_of_truncated = 2.37;

void check_moments(const char* name, const initializer& chosen, const shape& extents,
                   const expected_moments& expected, std::size_t& checked) {
  INFO(name);
  const std::vector<float> values = start(chosen, extents);
  const auto count = static_cast<double>(values.size());
  const moments found = moments_of(values, expected.mean);
  // Five standard deviations of each estimate.
  CHECK(std::abs(found.mean - expected.mean) < 5 * expected.deviation / std::sqrt(count));
  CHECK(std::abs(found.deviation - expected.deviation) <
        5 * expected.deviation * std::sqrt((expected.kurtosis - 1) / (4 * count)));
  if (expected.bound > 0) {
    CHECK(found.largest <= expected.bound * (1 + 0x1p-22));
    CHECK(found.largest > 0.97 * expected.bound);
  } else {
    CHECK(found.largest > 3 * expected.deviation);
  }
  ++checked;
}

void check_uniform(const char* name, const initializer& chosen, const shape& extents, double limit,
                   std::size_t& checked) {
  check_moments(name, chosen, extents, {0, limit / std::sqrt(3), limit, kurtosis_of_uniform},
                checked);
}

/// One with this deviation after what lies beyond two deviations of a wider one was drawn again.
void check_truncated(const char* name, const initializer& chosen, const shape& extents,
                     double deviation, std::size_t& checked) {
  const double wider = deviation / 0.87962566103423978;
  check_moments(name, chosen, extents, {0, deviation, 2 * wider, kurtosis_of_truncated}, checked);
}

}  // namespace

TEST_CASE("every initialiser has its mean, its deviation and its bounds") {
  std::size_t checked = 0;
  const shape kernel{120, 80};
  check_uniform("random_uniform", random_uniform::start, kernel, 0.05, checked);
  check_moments("minval, maxval", *init<random_uniform, minval<1>, maxval<3>>::as_option.start,
                kernel, {2, 1 / std::sqrt(3), 1, kurtosis_of_uniform}, checked);
  check_moments("random_normal", random_normal::start, kernel, {0, 0.05, 0, 3}, checked);
  check_moments("mean_value, stddev",
                *init<random_normal, mean_value<-2>, init_stddev<0.5F>>::as_option.start, kernel,
                {-2, 0.5, 0, 3}, checked);
  check_truncated("truncated_normal", truncated_normal::start, kernel, 0.05 * 0.87962566103423978,
                  checked);
  check_uniform("glorot_uniform", glorot_uniform::start, kernel, std::sqrt(6.0 / 200), checked);
  check_truncated("glorot_normal", glorot_normal::start, kernel, std::sqrt(2.0 / 200), checked);
  check_uniform("he_uniform", he_uniform::start, kernel, std::sqrt(6.0 / 120), checked);
  check_truncated("he_normal", he_normal::start, kernel, std::sqrt(2.0 / 120), checked);
  check_uniform("lecun_uniform", lecun_uniform::start, kernel, std::sqrt(3.0 / 120), checked);
  check_truncated("lecun_normal", lecun_normal::start, kernel, std::sqrt(1.0 / 120), checked);
  check_moments("untruncated", variance_scaling<2, "fan_out", "untruncated_normal">::start, kernel,
                {0, std::sqrt(2.0 / 80), 0, 3}, checked);
  CHECK(checked == 12);
  std::printf("checked %zu distributions of 9600 numbers\n", checked);
}

TEST_CASE("fans are those of every shape of parameter") {
  std::size_t checked = 0;
  using fan_out = variance_scaling<1, "fan_out", "uniform">;
  check_uniform("bias", he_uniform::start, {9000}, std::sqrt(6.0 / 9000), checked);
  check_uniform("convolution", he_uniform::start, {3, 5, 20, 30}, std::sqrt(6.0 / 300), checked);
  check_uniform("its outputs", fan_out::start, {3, 5, 20, 30}, std::sqrt(3.0 / 450), checked);
  check_truncated("its average", glorot_normal::start, {3, 5, 20, 30}, std::sqrt(2.0 / 750),
                  checked);
  check_uniform("embedding", glorot_uniform::start, {1000, 9}, std::sqrt(6.0 / 1009), checked);
  check_uniform("recurrent", lecun_uniform::start, {96, 96}, std::sqrt(3.0 / 96), checked);
  CHECK(checked == 6);
  std::printf("checked %zu shapes\n", checked);
}

namespace {

/// Of a matrix of floats the largest |rows . rows - gain^2 identity|, of rows or columns, whichever
/// are fewer.
double beside_orthonormal(const std::vector<float>& values, std::size_t columns, double gain) {
  const std::size_t rows = values.size() / columns;
  const bool by_row = rows <= columns;
  const std::size_t vectors = by_row ? rows : columns;
  const std::size_t length = by_row ? columns : rows;
  const auto at = [&](std::size_t vector, std::size_t along) {
    return static_cast<double>(by_row ? values[vector * columns + along]
                                      : values[along * columns + vector]);
  };
  double largest = 0;
  for (std::size_t left = 0; left < vectors; ++left) {
    for (std::size_t right = 0; right <= left; ++right) {
      double sum = left == right ? -gain * gain : 0;
      for (std::size_t along = 0; along < length; ++along) {
        sum += at(left, along) * at(right, along);
      }
      largest = std::max(largest, std::abs(sum));
    }
  }
  return largest;
}

/// Every number is rounded to float, off by at most 2^-24 of itself, so a sum of products is off by
/// at most 2 2^-24 times a sum of magnitudes, which is at most gain^2 (Cauchy and Schwarz); the
/// doubles before add less than a hundredth of that.
void check_orthogonal(const shape& extents, float gain, std::size_t& checked) {
  INFO(describe(extents).view());
  initializer chosen = orthogonal::start;
  chosen.value = gain;
  const std::vector<float> values = start(chosen, extents);
  const auto columns = static_cast<std::size_t>(extents[extents.rank - 1]);
  const double squared = static_cast<double>(gain) * static_cast<double>(gain);
  CHECK(beside_orthonormal(values, columns, static_cast<double>(gain)) <
        1.01 * 2 * 0x1p-24 * squared);
  ++checked;
}

}  // namespace

TEST_CASE("an orthogonal start has orthonormal rows or columns") {
  std::size_t checked = 0;
  check_orthogonal({1, 1}, 1, checked);
  check_orthogonal({32, 32}, 1, checked);
  check_orthogonal({100, 37}, 1, checked);
  check_orthogonal({37, 100}, 1, checked);
  check_orthogonal({200, 200}, 0.5F, checked);
  check_orthogonal({3, 3, 4, 20}, 2, checked);
  CHECK(checked == 6);
  std::printf("checked %zu matrices\n", checked);
}

TEST_CASE("the directions of an orthogonal start are those that were drawn") {
  // The first column is the first column that was drawn, scaled.
  const shape extents{50, 20};
  const std::vector<float> values = start(orthogonal::start, extents);
  initial_value at{.extents = extents, .seed = 1, .stream = 2};
  double norm = 0;
  for (std::uint64_t row = 0; row < 50; ++row) {
    at.index = row * 20;
    norm += at.normal() * at.normal();
  }
  for (std::uint64_t row = 0; row < 50; ++row) {
    at.index = row * 20;
    CHECK(static_cast<double>(values[row * 20]) ==
          Approx(at.normal() / std::sqrt(norm)).epsilon(1e-7));
  }
}

TEST_CASE("an identity has its gain on the diagonal") {
  const std::vector<float> values = start({initializer_kind::identity, 3}, {2, 3});
  CHECK(values == std::vector<float>{3, 0, 0, 0, 3, 0});
}

namespace {

struct ramp {
  static float start(const initial_value& at) {
    return static_cast<float>(at.extents[1]) + 0.5F * static_cast<float>(at.index);
  }
};

struct coin {
  static float start(const initial_value& at) { return at.uniform() < 0.5F ? -1.0F : 1.0F; }
};

}  // namespace

TEST_CASE("a forget gate starts with ones, other gates as they are told") {
  for (initializer chosen : {zeros::start, constant<0.5F>::start}) {
    chosen.ones_in_second_quarter = true;
    const std::vector<float> values = start(chosen, {12});
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(values[i] == (i / 3 == 1 ? 1.0F : chosen.value));
    }
  }
}

TEST_CASE("an initialiser of one's own is told the place and draws") {
  CHECK(start(*init<ramp>::as_option.start, {2, 2}) == std::vector<float>{2, 2.5F, 3, 3.5F});
  const std::vector<float> coins = start(*init<coin>::as_option.start, {100, 100});
  const auto heads = std::count(coins.begin(), coins.end(), 1.0F);
  CHECK(heads + std::count(coins.begin(), coins.end(), -1.0F) == 10'000);
  // The deviation of the count is 50.
  CHECK(std::abs(heads - 5'000) < 250);
}

TEST_CASE("a seed of an initialiser alone decides") {
  const initializer seeded = *init<he_normal, init_seed<7>>::as_option.start;
  const initializer other = *init<he_normal, init_seed<8>>::as_option.start;
  const shape extents{12, 10};
  CHECK(start(seeded, extents, 1, 2) == start(seeded, extents, 3, 4));
  CHECK(start(seeded, extents) != start(other, extents));
  CHECK(start(he_normal::start, extents, 1, 2) != start(he_normal::start, extents, 3, 2));
  CHECK(start(he_normal::start, extents, 1, 2) != start(he_normal::start, extents, 1, 4));
}

namespace {

std::uint64_t fingerprint_of(const initializer& chosen) {
  fnv_1a hash;
  for (const float value : start(chosen, {33, 21}, 5, 6)) {
    hash.take(std::bit_cast<std::uint32_t>(value));
  }
  return hash.value;
}

struct known_bits {
  const char* name;
  const initializer& chosen;
  std::uint64_t fingerprint;
};

}  // namespace

TEST_CASE("the bits of every initialiser are the same with every compiler and processor") {
  const known_bits known[] = {
      {"random_uniform", random_uniform::start, 0x6EB535A464E4D203},
      {"random_normal", random_normal::start, 0x759A3335C30FAB5D},
      {"truncated_normal", truncated_normal::start, 0x8BFA0D1BDA03D76C},
      {"glorot_uniform", glorot_uniform::start, 0xCF98CE0B4E659D31},
      {"glorot_normal", glorot_normal::start, 0x46568AFE6D1DFB16},
      {"he_normal", he_normal::start, 0x1E15C009C5182EB6},
      {"lecun_normal", lecun_normal::start, 0x727C80C214A5E771},
      {"orthogonal", orthogonal::start, 0x9790EFFC8572051F},
      {"identity", identity::start, 0x1D6DF30304712758},
  };
  std::size_t checked = 0;
  for (const known_bits& each : known) {
    INFO(each.name);
    CHECK(fingerprint_of(each.chosen) == each.fingerprint);
    ++checked;
  }
  CHECK(checked == 9);
  std::printf("checked %zu fingerprints\n", checked);
}
