// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/merge.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;

namespace {

constexpr int count = 3;
constexpr int rows = 5;
constexpr int units = lanes + 3;

struct terms_of {
  test::buffer each[count] = {test::random_rows(rows, units, 51),
                              test::random_rows(rows, units, 52),
                              test::random_rows(rows, units, 53)};
  const float* at[count] = {each[0].data(), each[1].data(), each[2].data()};

  /// Some numbers are the same in several.
  terms_of() {
    for (std::int64_t i = 0; i < each[0].size(); i += 2) {
      each[1][i] = each[0][i];
    }
    for (std::int64_t i = 0; i < each[0].size(); i += 3) {
      each[2][i] = each[1][i];
    }
  }
};

/// A chain of plain floats.
template <typename Rule>
void check_forward(float divisor, float (*join)(float, float)) {
  const terms_of terms;
  test::buffer y(terms.each[0].size());
  kernels::merge_tensors<Rule>(terms.at, count, divisor, y.data(), y.size());
  for (std::int64_t i = 0; i < y.size(); ++i) {
    const float pair = join(terms.each[0][i], terms.each[1][i]);
    CHECK(y[i] == join(pair, terms.each[2][i]) / divisor);
  }
  CHECK(test::padding_is_zero(y, rows, units));
  CHECK(y.intact());
}

template <typename Rule>
void check_gradient(bool (*better)(float, float)) {
  const terms_of terms;
  const test::buffer gradient = test::random_rows(rows, units, 54);
  int given = 0;
  for (int which = 0; which < count; ++which) {
    test::buffer dx(gradient.size());
    kernels::gradient_to_chosen<Rule>(gradient.data(), terms.at, count, which, dx.data(),
                                      dx.size());
    for (std::int64_t i = 0; i < dx.size(); ++i) {
      int first = 0;
      for (int other = 1; other < count; ++other) {
        first = better(terms.each[other][i], terms.each[first][i]) ? other : first;
      }
      CHECK(dx[i] == (first == which ? gradient[i] : 0.0F));
      given += dx[i] != 0.0F ? 1 : 0;
    }
    CHECK(dx.intact());
  }
  // Every number goes to one of them.
  CHECK(given == rows * units);
}

}  // namespace

TEST_CASE("merges are chains in order of their terms") {
  check_forward<kernels::subtracted>(1, [](float a, float b) { return a - b; });
  check_forward<kernels::multiplied>(1, [](float a, float b) { return a * b; });
  check_forward<kernels::added>(3, [](float a, float b) { return a + b; });
  check_forward<kernels::larger>(1, [](float a, float b) { return a > b ? a : b; });
  check_forward<kernels::smaller>(1, [](float a, float b) { return a < b ? a : b; });
}

TEST_CASE("the first of those that are chosen has the gradient") {
  check_gradient<kernels::larger>([](float a, float b) { return a > b; });
  check_gradient<kernels::smaller>([](float a, float b) { return a < b; });
}

TEST_CASE("what is not a number passes, whichever term it is") {
  const float unknown = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(kernels::larger::joined(unknown, 1.0F)));
  CHECK(std::isnan(kernels::larger::joined(1.0F, unknown)));
  CHECK(std::isnan(kernels::smaller::joined(unknown, 1.0F)));
  CHECK(std::isnan(kernels::smaller::joined(1.0F, unknown)));
}

TEST_CASE("of zero the negative is zero") {
  test::buffer x = test::random_rows(rows, units, 55);
  test::buffer y(x.size());
  kernels::negate_tensor(x.data(), y.data(), x.size());
  for (std::int64_t i = 0; i < x.size(); ++i) {
    CHECK(y[i] == -x[i]);
  }
  CHECK(test::padding_is_zero(y, rows, units));
}
