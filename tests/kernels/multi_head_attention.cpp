// SPDX-License-Identifier: MIT
// Tests of kernels/multi_head_attention.hpp: a head against float64, and that it leaves the columns
// of others alone; products are chains.
#include <ipu_dsl/kernels/multi_head_attention.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using kernels::attention_heads;
using test::wide;

namespace {

/// One head in float64: what each query attends to, and what it gathers.
template <attention_heads Of>
struct wide_head {
  double p[std::size_t{Of.queries}][std::size_t{Of.keys}] = {};
  double context[std::size_t{Of.queries}][std::size_t{Of.value_width}] = {};

  wide_head(const test::buffer& q, const test::buffer& k, const test::buffer& v, int head) {
    for (int i = 0; i < Of.queries; ++i) {
      double sum = 0;
      for (int j = 0; j < Of.attended(i); ++j) {
        double product = 0;
        for (int n = head * Of.key_width; n < (head + 1) * Of.key_width; ++n) {
          product += wide(q[i * Of.key_stride() + n]) * wide(k[j * Of.key_stride() + n]);
        }
        p[i][j] = std::exp(product / std::sqrt(static_cast<double>(Of.key_width)));
        sum += p[i][j];
      }
      for (int j = 0; j < Of.keys; ++j) {
        p[i][j] /= sum;
        for (int n = 0; n < Of.value_width; ++n) {
          context[i][n] += p[i][j] * wide(v[j * Of.value_stride() + head * Of.value_width + n]);
        }
      }
    }
  }
};

/// All heads of a sample; returns how many numbers were compared.
template <attention_heads Of>
int check() {
  const test::buffer q = test::random_rows(Of.queries, Of.heads * Of.key_width, 1, 2.0F);
  const test::buffer k = test::random_rows(Of.keys, Of.heads * Of.key_width, 2, 2.0F);
  const test::buffer v = test::random_rows(Of.keys, Of.heads * Of.value_width, 3, 2.0F);
  const std::int64_t scores = Of.queries * Of.score_stride();
  test::buffer p(Of.heads * scores);
  test::buffer context(Of.queries * Of.value_stride());
  for (int head = 0; head < Of.heads; ++head) {
    kernels::attend<Of>(q.data(), k.data(), v.data(), p.data() + head * scores, context.data(),
                        head);
  }
  int wrong = 0;
  int compared = 0;
  // A score is at most 2 x 2 x sqrt(key_width) = 16 and its rounding error moves an exponential
  // as much; chains of at most 40 steps and a quotient add their own.
  constexpr double tolerance = 2.0 * (16.0 * 40.0 + 60.0) * test::unit_roundoff;
  for (int head = 0; head < Of.heads; ++head) {
    const wide_head<Of> expected(q, k, v, head);
    for (int i = 0; i < Of.queries; ++i) {
      for (int j = 0; j < Of.keys; ++j) {
        const float found = p[head * scores + i * Of.score_stride() + j];
        wrong += std::fabs(wide(found) - expected.p[i][j]) <= tolerance ? 0 : 1;
        wrong += j < Of.attended(i) || found == 0.0F ? 0 : 1;
        ++compared;
      }
      for (int n = 0; n < Of.value_width; ++n) {
        const float found = context[i * Of.value_stride() + head * Of.value_width + n];
        wrong += std::fabs(wide(found) - expected.context[i][n]) <= 2 * tolerance ? 0 : 1;
        ++compared;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(p, Of.heads * Of.queries, Of.keys));
  CHECK(test::padding_is_zero(context, Of.queries, Of.heads * Of.value_width));
  CHECK((p.intact() && context.intact()));
  return compared;
}

}  // namespace

TEST_CASE("heads attend as float64 says, padding is zero") {
  int compared = check<{
      .queries = 5, .keys = 7, .heads = 3, .key_width = 5, .value_width = 3, .causal = false}>();
  compared += check<{
      .queries = 40, .keys = 40, .heads = 2, .key_width = 16, .value_width = 16, .causal = true}>();
  compared += check<{
      .queries = 3, .keys = 1, .heads = 1, .key_width = 1, .value_width = 33, .causal = true}>();
  CHECK(compared > 0);
  std::printf("attention: compared %d numbers\n", compared);
}

TEST_CASE("a row of scores that is far from zero is still a distribution") {
  test::buffer row(layout::row_stride(3), 0.0F);
  row[0] = 3e4F;
  row[1] = -3e4F;
  row[2] = 3e4F;
  kernels::attend_row<layout::native>(row.data(), 3, layout::row_stride(3), 1.0F);
  CHECK(row[0] == 0.5F);
  CHECK(row[1] == 0.0F);
  CHECK(row[2] == 0.5F);
}

TEST_CASE("products of rows are chains in ascending order") {
  constexpr int rows = 7;
  constexpr int columns = 37;
  constexpr int inputs = 9;
  constexpr int x_stride = 16;
  constexpr std::int32_t stride = layout::row_stride(columns);
  test::buffer x(rows * x_stride, 0.0F);
  test::buffer w(inputs * stride, 0.0F);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    x[i] = test::number(4, static_cast<std::uint64_t>(i));
  }
  for (std::int64_t i = 0; i < w.size(); ++i) {
    w[i] = test::number(5, static_cast<std::uint64_t>(i));
  }
  test::buffer y(rows * stride);
  kernels::multiply_rows<layout::native, rows, columns, x_stride, stride>(x.data(), w.data(),
                                                                          y.data(), inputs);
  test::buffer outer(inputs * stride);
  kernels::multiply_transposed<layout::native, inputs, columns, stride>(
      x.data(), x_stride, y.data(), outer.data(), rows);
  int wrong = 0;
  for (int n = 0; n < columns; ++n) {
    for (int row = 0; row < rows; ++row) {
      float sum = 0.0F;
      for (int i = 0; i < inputs; ++i) {
        sum = test::chain_step(x[row * x_stride + i], w[i * stride + n], sum);
      }
      wrong += y[row * stride + n] == sum ? 0 : 1;
    }
    for (int i = 0; i < inputs; ++i) {
      float sum = 0.0F;
      for (int row = 0; row < rows; ++row) {
        sum = test::chain_step(x[row * x_stride + i], y[row * stride + n], sum);
      }
      wrong += outer[i * stride + n] == sum ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK((y.intact() && outer.intact()));
}
