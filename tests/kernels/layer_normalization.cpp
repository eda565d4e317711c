// SPDX-License-Identifier: MIT
// Tests of kernels/layer_normalization.hpp and of the sums along a row: each number is the chain
// that is written down here, whatever the width of vectors.
#include <ipu_dsl/kernels/layer_normalization.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using kernels::normalization_form;

namespace {

constexpr float epsilon = 1e-3F;

/// The sum of `units` terms as sixteen chains and then as a tree.
template <typename Term>
float sum_of_chains(int units, const Term& term) {
  float chain[16] = {};
  for (int i = 0; i < units; ++i) {
    chain[i % 16] = term(chain[i % 16], i);
  }
  for (const int apart : {8, 4, 2, 1}) {
    for (int c = 0; c < apart; ++c) {
      chain[c] = chain[c] + chain[c + apart];
    }
  }
  return chain[0];
}

struct row_numbers {
  float mean;
  float inverse;
};

template <normalization_form Form>
row_numbers numbers_of(const float* x, int units) {
  const auto count = static_cast<float>(units);
  const float mean =
      Form.centers ? sum_of_chains(units, [&](float sum, int i) { return sum + x[i]; }) / count
                   : 0.0F;
  const float squares = sum_of_chains(units, [&](float sum, int i) {
    const float centred = x[i] - mean;
    return test::chain_step(centred, centred, sum);
  });
  return {mean, 1.0F / std::sqrt(squares / count + epsilon)};
}

/// What is kept of rows, and where.
struct kept {
  test::buffer mean;
  test::buffer inverse;

  kept(int samples, int positions)
      : mean(samples * layout::row_stride(positions)),
        inverse(samples * layout::row_stride(positions)) {}

  kernels::row_moments moments() { return {mean.data(), inverse.data()}; }
};

/// All kernels on some samples, in two parts; returns how many numbers were compared.
template <normalization_form Form>
int check(int samples, int positions, int units) {
  const kernels::normalized_rows shape{positions, units};
  const int rows = samples * positions;
  const std::int64_t stride = layout::row_stride(units);
  const test::buffer x = test::random_rows(rows, units, 3, 2.0F);
  const test::buffer d = test::random_rows(rows, units, 4);
  const test::buffer gamma = test::random_rows(1, units, 5);
  const test::buffer beta = test::random_rows(1, units, 6);
  kept moments(samples, positions);
  test::buffer y(x.size());
  test::buffer dx(x.size());
  const auto at = [&](int row) {
    return row / positions * layout::row_stride(positions) + row % positions;
  };
  for (const index_range part : {index_range{0, rows / 2}, index_range{rows / 2, rows}}) {
    kernels::normalize_rows<Form>(x.data(), gamma.data(), beta.data(), epsilon, shape, part,
                                  y.data(), moments.moments());
    kernels::normalized_rows_gradient<Form>(d.data(), x.data(), gamma.data(), shape, part,
                                            moments.moments(), dx.data());
  }
  int wrong = 0;
  int compared = 0;
  std::vector<float> of_gamma(static_cast<std::size_t>(units), 0.0F);
  std::vector<float> of_beta(static_cast<std::size_t>(units), 0.0F);
  for (int row = 0; row < rows; ++row) {
    const float* const read = x.data() + row * stride;
    const float* const slope = d.data() + row * stride;
    const row_numbers found = numbers_of<Form>(read, units);
    wrong += moments.inverse[at(row)] == found.inverse ? 0 : 1;
    wrong += !Form.centers || moments.mean[at(row)] == found.mean ? 0 : 1;
    const auto normal = [&](int i) { return (read[i] - found.mean) * found.inverse; };
    const auto scaled = [&](int i, float more) {
      return Form.scales ? test::chain_step(slope[i], gamma[i], more) : slope[i] + more;
    };
    const auto count = static_cast<float>(units);
    const float mean_slope =
        Form.centers
            ? sum_of_chains(units, [&](float sum, int i) { return scaled(i, sum); }) / count
            : 0.0F;
    const float along = -(sum_of_chains(units,
                                        [&](float sum, int i) {
                                          return test::chain_step(scaled(i, 0.0F), normal(i), sum);
                                        }) /
                          count);
    for (int i = 0; i < units; ++i) {
      const float shift = Form.shifts ? beta[i] : 0.0F;
      const float wanted = Form.scales
                               ? test::chain_step(normal(i), gamma[i], shift)
                               : test::chain_step(read[i] - found.mean, found.inverse, shift);
      const float back = test::chain_step(normal(i), along, scaled(i, -mean_slope)) * found.inverse;
      wrong += y[row * stride + i] == wanted ? 0 : 1;
      wrong += dx[row * stride + i] == back ? 0 : 1;
      const auto place = static_cast<std::size_t>(i);
      of_gamma[place] = test::chain_step(slope[i], normal(i), of_gamma[place]);
      of_beta[place] = of_beta[place] + slope[i];
      compared += 2;
    }
  }
  test::buffer gamma_sum(stride);
  test::buffer beta_sum(stride);
  for (const int part : {0, 1}) {
    kernels::normalization_weight_gradient<Form>(d.data(), x.data(), shape, rows, moments.moments(),
                                                 {gamma_sum.data(), beta_sum.data(), false},
                                                 {part, 2});
  }
  for (int i = 0; i < units; ++i) {
    const auto place = static_cast<std::size_t>(i);
    wrong += !Form.scales || gamma_sum[i] == of_gamma[place] ? 0 : 1;
    wrong += !Form.shifts || beta_sum[i] == of_beta[place] ? 0 : 1;
  }
  INFO(samples << " x " << positions << " x " << units);
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(y, rows, units));
  CHECK(test::padding_is_zero(dx, rows, units));
  CHECK((y.intact() && dx.intact() && moments.mean.intact() && moments.inverse.intact()));
  return compared;
}

/// The same rows on narrower vectors, which pad them otherwise.
int check_narrow(int rows, int units) {
  constexpr normalization_form form{true, true, true};
  constexpr layout::architecture narrow{4, layout::native.registers,
                                        layout::native.fused_multiply_add};
  const kernels::normalized_rows shape{1, units};
  const index_range all{0, rows};
  const std::int64_t stride = layout::row_stride(units);
  const std::int64_t narrow_stride = layout::row_stride(units, narrow);
  const test::buffer x = test::random_rows(rows, units, 8, 2.0F);
  const test::buffer gamma = test::random_rows(1, units, 9);
  test::buffer narrow_x(rows * narrow_stride, 0.0F);
  for (int i = 0; i < rows * units; ++i) {
    narrow_x[i / units * narrow_stride + i % units] = x[i / units * stride + i % units];
  }
  kept moments(rows, 1);
  test::buffer y(x.size());
  test::buffer narrow_y(narrow_x.size());
  kernels::normalize_rows<form>(x.data(), gamma.data(), gamma.data(), epsilon, shape, all, y.data(),
                                moments.moments());
  kernels::normalize_rows<form, narrow>(narrow_x.data(), gamma.data(), gamma.data(), epsilon, shape,
                                        all, narrow_y.data(), moments.moments());
  int wrong = 0;
  for (int i = 0; i < rows * units; ++i) {
    const float wide = y[i / units * stride + i % units];
    wrong += test::same_bits(wide, narrow_y[i / units * narrow_stride + i % units]) ? 0 : 1;
  }
  CHECK(wrong == 0);
  return rows * units;
}

}  // namespace

TEST_CASE("rows are normalised by chains, and so are the gradients, and padding is zero") {
  int compared = 0;
  for (const int units : {1, 3, 8, 16, 17, 31, 40, 130}) {
    compared += check<normalization_form{true, true, true}>(3, 5, units);
    compared += check<normalization_form{false, true, false}>(4, 1, units);
  }
  compared += check<normalization_form{true, false, true}>(2, 3, 19);
  compared += check<normalization_form{true, true, false}>(2, 3, 19);
  compared += check<normalization_form{false, false, false}>(2, 3, 19);
  CHECK(compared > 0);
  std::printf("layer normalization: compared %d elements\n", compared);
}

TEST_CASE("rows are normalised to the same bits by vectors of any width") {
  int compared = 0;
  for (const int units : {1, 3, 4, 5, 9, 16, 21, 36, 130}) {
    compared += check_narrow(3, units);
  }
  CHECK(compared > 0);
}

TEST_CASE("gradients of gamma and beta go on from where they stood") {
  constexpr normalization_form form{true, true, true};
  const kernels::normalized_rows shape{1, 5};
  const test::buffer x = test::random_rows(4, 5, 3);
  const test::buffer d = test::random_rows(4, 5, 4);
  kept moments(4, 1);
  test::buffer y(x.size());
  kernels::normalize_rows<form>(x.data(), x.data(), x.data(), epsilon, shape, {0, 4}, y.data(),
                                moments.moments());
  const std::int64_t stride = layout::row_stride(5);
  test::buffer whole(2 * stride);
  test::buffer halves(2 * stride);
  const auto add = [&](test::buffer& to, int first, int rows, bool continues) {
    const std::int64_t kept_row = layout::row_stride(1);
    kernels::normalization_weight_gradient<form>(
        d.data() + first * stride, x.data() + first * stride, shape, rows,
        {moments.mean.data() + first * kept_row, moments.inverse.data() + first * kept_row},
        {to.data(), to.data() + stride, continues}, {0, 1});
  };
  add(whole, 0, 4, false);
  add(halves, 0, 2, false);
  add(halves, 2, 2, true);
  CHECK(test::same_bits(whole.view(), halves.view()));
}
