// SPDX-License-Identifier: MIT
// Tests of kernels/constraint.hpp and of the calls that operators/constraint.hpp makes with it.
#include <cmath>
#include <vector>

#include <ipu_dsl/kernels/constraint.hpp>
#include <ipu_dsl/operators/constraint.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;

namespace {

constexpr int rows = 300;
constexpr int columns = 37;
constexpr float limit = 5.0F;
constexpr float least = 2.0F;
constexpr float rate = 0.25F;

/// A kernel in panels, after its constraint in so many parts.
template <constraint_kind Kind>
std::vector<float> constrained(const test::buffer& drawn, int parts) {
  constexpr parameter_extents kernel{storage::panels, shape{rows, columns}};
  const layout::panels panels(rows, columns);
  std::vector<float> stored(static_cast<std::size_t>(updated_elements(kernel)), 0.0F);
  for (int i = 0; i < rows * columns; ++i) {
    stored[static_cast<std::size_t>(panels.offset(i / columns, i % columns))] = drawn[i];
  }
  void* const operands[] = {stored.data()};
  const float limits[] = {limit, least};
  run_context context;
  for (context.part = {0, parts}; context.part.index < parts; ++context.part.index) {
    operators<&constraint_family>::run<constraint_call{Kind, kernel, rate}>(context, operands,
                                                                            limits);
  }
  return stored;
}

/// What Keras makes of a number whose unit has this norm.
double expected_of(constraint_kind kind, double w, double norm) {
  switch (kind) {
    case constraint_kind::non_negative:
      return w < 0 ? 0 : w;
    case constraint_kind::max_norm:
      return w * std::fmin(norm, wide(limit)) / (1e-7 + norm);
    case constraint_kind::min_max_norm: {
      const double between = std::fmax(std::fmin(norm, wide(limit)), wide(least));
      return w * (wide(rate) * between + (1 - wide(rate)) * norm) / (1e-7 + norm);
    }
    default:
      return w / (1e-7 + norm);
  }
}

template <constraint_kind Kind>
int check_columns() {
  const test::buffer drawn = test::random_rows(1, rows * columns, 91);
  const std::vector<float> whole = constrained<Kind>(drawn, 1);
  CHECK(constrained<Kind>(drawn, 3) == whole);
  const layout::panels panels(rows, columns);
  double left = 0;
  for (const float each : whole) {
    left += std::fabs(wide(each));
  }
  int checked = 0;
  for (int column = 0; column < columns; ++column) {
    double square = 0;
    for (int row = 0; row < rows; ++row) {
      square += wide(drawn[row * columns + column]) * wide(drawn[row * columns + column]);
    }
    for (int row = 0; row < rows; ++row) {
      const float found = whole[static_cast<std::size_t>(panels.offset(row, column))];
      const double exact =
          expected_of(Kind, wide(drawn[row * columns + column]), std::sqrt(square));
      CHECK(std::fabs(wide(found) - exact) <= 2e-6 * std::fabs(exact));
      left -= std::fabs(wide(found));
      ++checked;
    }
  }
  // Padding is zero.
  CHECK(std::fabs(left) < 1e-6);
  return checked;
}

}  // namespace

TEST_CASE("numbers and norms of units become what a constraint wants, in any number of parts") {
  int checked = check_columns<constraint_kind::non_negative>();
  checked += check_columns<constraint_kind::max_norm>();
  checked += check_columns<constraint_kind::unit_norm>();
  checked += check_columns<constraint_kind::min_max_norm>();
  CHECK(checked == 4 * rows * columns);
}

TEST_CASE("norms of rows without padding are those of the columns, in any number of parts") {
  constexpr parameter_extents table{storage::plain, shape{rows, columns}};
  const test::buffer drawn = test::random_rows(1, rows * columns, 93);
  const float limits[] = {limit, 0.0F};
  int checked = 0;
  for (const int parts : {1, 3}) {
    std::vector<float> stored(static_cast<std::size_t>(updated_elements(table)), 0.0F);
    for (int i = 0; i < rows * columns; ++i) {
      stored[static_cast<std::size_t>(i)] = drawn[i];
    }
    void* const operands[] = {stored.data()};
    run_context context;
    for (context.part = {0, parts}; context.part.index < parts; ++context.part.index) {
      operators<&constraint_family>::run<constraint_call{constraint_kind::max_norm, table, 1}>(
          context, operands, limits);
    }
    for (int column = 0; column < columns; ++column) {
      double square = 0;
      for (int row = 0; row < rows; ++row) {
        square += wide(drawn[row * columns + column]) * wide(drawn[row * columns + column]);
      }
      for (int row = 0; row < rows; ++row) {
        const double exact = expected_of(constraint_kind::max_norm,
                                         wide(drawn[row * columns + column]), std::sqrt(square));
        const float found = stored[static_cast<std::size_t>(row * columns + column)];
        CHECK(std::fabs(wide(found) - exact) <= 2e-6 * std::fabs(exact));
        ++checked;
      }
    }
  }
  CHECK(checked == 2 * rows * columns);
}

TEST_CASE("a norm that is too small grows to the least one") {
  float column[] = {0.3F, -0.4F};
  const kernels::norm_limits limits{.most = 3, .least = 2, .rate = 1};
  kernels::constrain_column<constraint_kind::min_max_norm>(column, 2, 1, limits);
  CHECK(wide(column[0]) == Approx(1.2).epsilon(1e-5));
  CHECK(wide(column[1]) == Approx(-1.6).epsilon(1e-5));
}

TEST_CASE("the norm of what is no kernel is that of all of it, and one of zero stays") {
  constexpr int elements = 3 * lanes;
  test::buffer w = test::random_rows(1, elements, 92);
  double square = 0;
  for (int i = 0; i < elements; ++i) {
    square += wide(w[i]) * wide(w[i]);
  }
  const test::buffer before = w;
  kernels::constrain_elements<constraint_kind::unit_norm>(w.data(), elements, {});
  int checked = 0;
  for (int i = 0; i < elements; ++i) {
    CHECK(wide(w[i]) == Approx(wide(before[i]) / std::sqrt(square)).epsilon(1e-6));
    ++checked;
  }
  CHECK(checked == elements);
  CHECK(w.intact());
  test::buffer zeros(lanes, 0.0F);
  kernels::constrain_elements<constraint_kind::unit_norm>(zeros.data(), lanes, {});
  kernels::constrain_columns<constraint_kind::max_norm>(zeros.data(), 1, lanes, {});
  CHECK(zeros[0] == 0);
}

TEST_CASE("what is not a number does not become zero") {
  test::buffer w(lanes, -1.0F);
  w[1] = std::nanf("");
  kernels::make_non_negative(w.data(), lanes);
  CHECK(w[0] == 0);
  CHECK(std::isnan(w[1]));
}
