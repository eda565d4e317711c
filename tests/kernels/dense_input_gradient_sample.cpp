// SPDX-License-Identifier: MIT
// Tests of kernels/dense_input_gradient_sample.hpp: sums of sixteen chains, whose bits the width of
// vectors does not change, nor the number of registers.
#include <ipu_dsl/kernels/dense_input_gradient.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using layout::architecture;
using test::wide;
using tests::checks;

namespace {

constexpr checks test_periods() {
  constexpr architecture four{4, 16, true};
  constexpr architecture eight{8, 16, true};
  constexpr architecture sixteen{16, 32, true};
  const bool four_lanes = kernels::chain_period(1, four) == 4 &&
                          kernels::chain_period(2, four) == 2 &&
                          kernels::chain_period(3, four) == 4;
  const bool eight_lanes = kernels::chain_period(1, eight) == 2 &&
                           kernels::chain_period(2, eight) == 1 &&
                           kernels::chain_period(3, eight) == 2;
  checks done;
  done.that(four_lanes);
  done.that(eight_lanes);
  done.that(kernels::chain_period(3, sixteen) == 1);
  return done;
}

static_assert(test_periods());

/// Accumulators stay in registers, and there are enough of them that none is waited for.
constexpr checks test_rows() {
  checks done;
  done.that(kernels::chain_rows({4, 16, true}) == 3);
  done.that(kernels::chain_rows({4, 32, true}) == 6);
  done.that(kernels::chain_rows({8, 16, true}) == 6);
  done.that(kernels::chain_rows({16, 32, true}) == 8);
  return done;
}

static_assert(test_rows());

/// Weights [Inputs, Outputs] and gradients [Outputs] without padding.
struct numbers {
  std::vector<float> w;
  std::vector<float> d;
};

numbers random_numbers(int inputs, int outputs) {
  numbers made;
  for (int i = 0; i < inputs * outputs; ++i) {
    made.w.push_back(test::number(21, static_cast<std::uint64_t>(i)));
  }
  for (int n = 0; n < outputs; ++n) {
    made.d.push_back(test::number(22, static_cast<std::uint64_t>(n)));
  }
  return made;
}

/// The sum as it is defined, each chain and each half written out.
float sum_of_chains(const float* w, const float* d, int outputs) {
  float c[16];
  for (int j = 0; j < 16; ++j) {
    c[j] = 0.0F;
    for (int n = j; n < outputs; n += 16) {
      c[j] = test::chain_step(w[n], d[n], c[j]);
    }
  }
  float s8[8];
  for (int i = 0; i < 8; ++i) {
    s8[i] = c[i] + c[i + 8];
  }
  float s4[4];
  for (int i = 0; i < 4; ++i) {
    s4[i] = s8[i] + s8[i + 4];
  }
  const float even = s4[0] + s4[2];
  const float odd = s4[1] + s4[3];
  return (even + odd) + 0.0F;
}

/// Products that are rounded to -0.
numbers underflowing_numbers(int inputs, int outputs) {
  numbers made = random_numbers(inputs, outputs);
  for (float& weight : made.w) {
    weight = 0x1p-80F * (1.5F + weight);
  }
  for (float& slope : made.d) {
    slope = -0x1p-80F * (1.5F + slope);
  }
  return made;
}

struct outcome {
  int elements = 0;
  int wrong_bits = 0;
  int beyond_tolerance = 0;
  int wrong_padding = 0;
  int other_than_one_chain = 0;
  int negative_zeros = 0;
};

outcome seen;

template <architecture Target>
void judge(const numbers& from, const test::buffer& dx, int inputs, int outputs) {
  for (int k = 0; k < inputs; ++k) {
    const float* const w = from.w.data() + std::ptrdiff_t{k} * outputs;
    float chain = 0.0F;
    double exact = 0.0;
    double terms = 0.0;
    for (int n = 0; n < outputs; ++n) {
      const float slope = from.d[static_cast<std::size_t>(n)];
      chain = test::chain_step(w[n], slope, chain);
      exact += wide(w[n]) * wide(slope);
      terms += std::fabs(wide(w[n]) * wide(slope));
    }
    const float got = dx[std::int64_t{k} * Target.lanes];
    // A chain's steps, four halves, and what underflows.
    const int steps = (outputs + 15) / 16 + 4;
    const double tolerance = test::chain_error(steps, terms) + outputs * 0x1p-149;
    seen.wrong_bits += test::same_bits(got, sum_of_chains(w, from.d.data(), outputs)) ? 0 : 1;
    seen.beyond_tolerance += std::fabs(wide(got) - exact) <= tolerance ? 0 : 1;
    seen.other_than_one_chain += test::same_bits(got, chain) ? 0 : 1;
    seen.negative_zeros += got == 0.0F && std::signbit(got) ? 1 : 0;
    for (int lane = 1; lane < Target.lanes; ++lane) {
      const float beside = dx[std::int64_t{k} * Target.lanes + lane];
      seen.wrong_padding += test::same_bits(beside, 0.0F) ? 0 : 1;
    }
    seen.elements += 1;
  }
}

template <int Inputs, int Outputs, architecture Target>
void check_architecture(const numbers& from) {
  test::buffer w(layout::panel_elements(Inputs, Outputs, Target));
  layout::pack_panels(layout::panels(Inputs, Outputs, Target), from.w, w.view());
  test::buffer d(std::int64_t{Outputs} * layout::batch_stride(1, Target), 0.0F);
  for (int n = 0; n < Outputs; ++n) {
    d[std::int64_t{n} * Target.lanes] = from.d[static_cast<std::size_t>(n)];
  }
  test::buffer dx(std::int64_t{Inputs} * layout::batch_stride(1, Target));
  kernels::dense_input_gradient<1, Inputs, Outputs, Target>(w.data(), d.data(), dx.data());
  CHECK(dx.intact());
  judge<Target>(from, dx, Inputs, Outputs);
}

/// On every width of vectors that these compiler flags have.
template <int Inputs, int Outputs, int Registers = layout::native.registers>
void check_widths(const numbers& from = random_numbers(Inputs, Outputs)) {
  constexpr bool fused = layout::native.fused_multiply_add;
  INFO(Inputs << " x " << Outputs << ", " << Registers << " registers");
  check_architecture<Inputs, Outputs, architecture{4, Registers, fused}>(from);
  if constexpr (layout::native.lanes >= 8) {
    check_architecture<Inputs, Outputs, architecture{8, Registers, fused}>(from);
  }
  if constexpr (layout::native.lanes >= 16) {
    check_architecture<Inputs, Outputs, architecture{16, Registers, fused}>(from);
  }
}

constexpr int widths = layout::native.lanes == 16 ? 3 : layout::native.lanes == 8 ? 2 : 1;

template <int Inputs, int... Outputs>
void check_outputs() {
  (check_widths<Inputs, Outputs>(), ...);
}

template <int Inputs, int... Outputs>
void check_native_outputs() {
  (check_architecture<Inputs, Outputs, layout::native>(random_numbers(Inputs, Outputs)), ...);
}

}  // namespace

TEST_CASE("an input gradient of a single sample is the sum of sixteen chains") {
  CHECK(test_periods());
  CHECK(test_rows());
  seen = {};
  check_outputs<7, 1, 10, 16, 17, 24, 32, 100, 256>();
  check_outputs<64, 17, 100, 256>();
  check_native_outputs<1, 1, 10, 16, 17, 24, 32, 100, 256>();
  check_native_outputs<64, 1, 10, 16, 24, 32>();
  check_native_outputs<128, 1, 10, 16, 17, 24, 32, 100, 256>();
  CHECK(seen.wrong_bits == 0);
  CHECK(seen.beyond_tolerance == 0);
  CHECK(seen.wrong_padding == 0);
  CHECK(seen.other_than_one_chain > seen.elements / 2);
  CHECK(seen.elements == widths * (8 * 7 + 3 * 64) + 8 * (1 + 128) + 5 * 64);
  std::printf("dense_input_gradient_sample: checked %d elements\n", seen.elements);
}

TEST_CASE("sixteen chains go on where a stretch of outputs ends, and on few registers") {
  seen = {};
  check_widths<128, 5000>();
  check_widths<7, 9001>();
  check_widths<19, 133, 8>();
  check_widths<19, 133, 32>();
  CHECK(seen.wrong_bits == 0);
  CHECK(seen.beyond_tolerance == 0);
  CHECK(seen.wrong_padding == 0);
  CHECK(seen.elements == widths * (128 + 7 + 19 + 19));
  std::printf("dense_input_gradient_sample: checked %d elements in stretches\n", seen.elements);
}

TEST_CASE("chains that underflow make the same zero, however much padding follows them") {
  seen = {};
  check_widths<7, 16>(underflowing_numbers(7, 16));
  check_widths<7, 20>(underflowing_numbers(7, 20));
  check_widths<7, 24>(underflowing_numbers(7, 24));
  CHECK(seen.wrong_bits == 0);
  CHECK(seen.beyond_tolerance == 0);
  CHECK(seen.negative_zeros == 0);
  CHECK(seen.elements == widths * 21);
  std::printf("dense_input_gradient_sample: checked %d elements that underflow\n", seen.elements);
}

TEST_CASE("gathered gradients are those of the sample, and zero behind them") {
  constexpr int most = 24;
  int checked = 0;
  for (int count = 1; count <= most; ++count) {
    const test::buffer lying = test::random_rows(count, 1, 23);
    test::buffer gathered(most);
    kernels::gather_sample<layout::native>(lying.data(), gathered.data(), count, most);
    for (int n = 0; n < most; ++n) {
      const float expected = n < count ? lying[std::int64_t{n} * test::lanes] : 0.0F;
      CHECK(test::same_bits(gathered[n], expected));
      ++checked;
    }
    CHECK(gathered.intact());
  }
  CHECK(checked == most * most);
  std::printf("dense_input_gradient_sample: checked %d gathered gradients\n", checked);
}
