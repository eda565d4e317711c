// SPDX-License-Identifier: MIT
// Tests of kernels/penalty.hpp and of the sums that operators/penalty.hpp makes with it.
#include <cmath>
#include <vector>

#include <ipu_dsl/kernels/penalty.hpp>
#include <ipu_dsl/operators/penalty.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;

TEST_CASE("the gradient of a penalty is added in two roundings, and none to padding") {
  constexpr int elements = 5 * lanes;
  test::buffer w = test::random_rows(1, elements, 81);
  w[3] = 0;
  w[4] = -0.0F;
  const test::buffer before = test::random_rows(1, elements, 82);
  test::buffer gradient = before;
  gradient[3] = 0;
  kernels::add_penalty_gradient(gradient.data(), w.data(), elements, 0.25F, 0.5F);
  int checked = 0;
  for (int i = 0; i < elements; ++i) {
    const float sign = w[i] > 0 ? 1.0F : w[i] < 0 ? -1.0F : 0.0F;
    const float begun = i == 3 ? 0.0F : before[i];
    const float squared = test::chain_step(0.5F, w[i], begun);
    CHECK(gradient[i] == test::chain_step(0.25F, sign, squared));
    ++checked;
  }
  CHECK(gradient[3] == 0);
  CHECK(gradient.intact());
  CHECK(checked == elements);
}

TEST_CASE("what a parameter adds to the loss agrees with float64, however it lies") {
  const parameter_rules rules{0.25F, 0.5F};
  int checked = 0;
  for (const parameter_extents& parameter : {parameter_extents{storage::panels, shape{600, 37}},
                                             parameter_extents{storage::panels, shape{3, 2, 5, 7}},
                                             parameter_extents{storage::panel_bias, shape{21}},
                                             parameter_extents{storage::rows, shape{1000, 9}}}) {
    const auto padded = static_cast<std::size_t>(updated_elements(parameter));
    std::vector<float> stored(padded, 0.0F);
    const bool in_panels = parameter.lies == storage::panels;
    const int columns = in_panels ? layout::outputs_of_panels(parameter.extents) : 1;
    const int rows = static_cast<int>(parameter.extents.elements()) / columns;
    const layout::panels panels(rows, columns);
    const test::buffer drawn = test::random_rows(1, rows * columns, 83);
    double expected = 0;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const float value = drawn[row * columns + column];
        stored[static_cast<std::size_t>(in_panels ? panels.offset(row, column) : row)] = value;
        expected += 0.25 * std::fabs(wide(value)) + 0.5 * wide(value) * wide(value);
      }
    }
    CHECK(penalty_of(parameter, rules, stored.data()) == Approx(expected).epsilon(1e-6));
    ++checked;
  }
  CHECK(checked == 4);
}
