// SPDX-License-Identifier: MIT
#include <cmath>

#include <ipu_dsl/kernels/elementwise.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;

TEST_CASE("tensors are summed in the order given") {
  const int elements = 3 * lanes;
  const test::buffer a = test::random_rows(1, elements, 121);
  const test::buffer b = test::random_rows(1, elements, 122);
  const test::buffer c = test::random_rows(1, elements, 123);
  const float* const terms[] = {a.data(), b.data(), c.data()};
  test::buffer sum(elements);
  kernels::sum_tensors(terms, 3, sum.data(), elements);
  int checked = 0;
  for (int i = 0; i < elements; ++i) {
    CHECK(test::same_bits(sum[i], (a[i] + b[i]) + c[i]));
    ++checked;
  }
  CHECK(sum.intact());
  test::buffer in_place = a;
  const float* const from_itself[] = {in_place.data(), b.data(), c.data()};
  kernels::sum_tensors(from_itself, 3, in_place.data(), elements);
  CHECK(test::same_bits(in_place.view(), sum.view()));
  test::buffer bent(elements);
  kernels::sum_tensors<activation_kind::relu6>(terms, 3, bent.data(), elements);
  for (int i = 0; i < elements; ++i) {
    CHECK(test::same_bits(bent[i], std::fmin(6.0F, std::fmax(0.0F, sum[i]))));
    ++checked;
  }
  CHECK(checked == 2 * elements);
  std::printf("elementwise: checked %d sums\n", checked);
}

namespace {

/// Beside the sum and a pass of its own through the activation that made y.
template <activation_kind Kind>
int wrong_through(const test::buffer& y) {
  const auto elements = static_cast<std::int32_t>(y.size());
  const test::buffer a = test::random_rows(1, elements, 127);
  const test::buffer b = test::random_rows(1, elements, 128);
  const float* const terms[] = {a.data(), b.data()};
  test::buffer expected(elements);
  kernels::sum_tensors(terms, 2, expected.data(), elements);
  kernels::activation_gradient_from_output<Kind>(expected.data(), y.data(), expected.data(), 1,
                                                 elements, 0.0F);
  test::buffer found = b;
  const float* const into_last[] = {a.data(), found.data()};
  kernels::sum_through<Kind>(into_last, 2, y.data(), found.data(), elements);
  CHECK(found.intact());
  int wrong = 0;
  for (std::int64_t i = 0; i < elements; ++i) {
    wrong += test::same_bits(found[i], expected[i]) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("sums go through activations as in a pass of their own") {
  const test::buffer y = test::random_rows(1, 5 * lanes, 126);
  CHECK(wrong_through<activation_kind::relu>(y) == 0);
  CHECK(wrong_through<activation_kind::relu6>(y) == 0);
  CHECK(wrong_through<activation_kind::tanh>(y) == 0);
  CHECK(wrong_through<activation_kind::sigmoid>(y) == 0);
}

TEST_CASE("scaling and clearing") {
  const test::buffer x = test::random_rows(1, 2 * lanes, 124);
  test::buffer y(x.size());
  kernels::scale_tensor(x.data(), 0.3F, y.data(), x.size());
  for (std::int64_t i = 0; i < x.size(); ++i) {
    CHECK(test::same_bits(y[i], 0.3F * x[i]));
  }
  kernels::clear_tensor(y.data(), y.size());
  for (std::int64_t i = 0; i < x.size(); ++i) {
    CHECK(test::same_bits(y[i], 0.0F));
  }
  CHECK(y.intact());
}

TEST_CASE("concatenation and the split of its gradient are inverse") {
  constexpr int rows = 7;
  constexpr int left_units = lanes - 1;
  constexpr int right_units = lanes + 2;
  constexpr int total = left_units + right_units;
  constexpr int left_stride = layout::row_stride(left_units);
  constexpr int right_stride = layout::row_stride(right_units);
  constexpr int stride = layout::row_stride(total);
  const test::buffer left = test::random_rows(rows, left_units, 125);
  const test::buffer right = test::random_rows(rows, right_units, 126);
  test::buffer both(std::int64_t{rows} * stride);
  kernels::copy_columns(left.data(), left_stride, both.data(), stride, rows, left_units);
  kernels::copy_columns(right.data(), right_stride, both.data() + left_units, stride, rows,
                        right_units);
  kernels::clear_columns(both.data() + total, stride, rows, stride - total);
  CHECK(test::padding_is_zero(both, rows, total));
  CHECK(both.intact());
  CHECK(both[left_units] == right[0]);

  test::buffer back(right.size());
  kernels::copy_columns(both.data() + left_units, stride, back.data(), right_stride, rows,
                        right_units);
  kernels::clear_columns(back.data() + right_units, right_stride, rows, right_stride - right_units);
  CHECK(test::same_bits(back.view(), right.view()));
  CHECK(back.intact());
}
