// SPDX-License-Identifier: MIT
// Tests of runtime/parameters.hpp: values of a parameter of any rank find their places in panels.
#include <cstdio>
#include <vector>

#include <ipu_dsl/layout/storage_size.hpp>
#include <ipu_dsl/layout/stored_matrix.hpp>
#include <ipu_dsl/runtime/parameters.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

/// Whether ascending values are where the matrix of all axes but the last and the last has them,
/// with zeros elsewhere, and come back.
bool test_places(const shape& extents) {
  const std::int32_t rows = layout::rows_of_panels(extents);
  const std::int32_t columns = layout::outputs_of_panels(extents);
  parameter_place place;
  place.stored.extents = extents;
  place.stored.lies = storage::panels;
  place.panel_width = layout::panel_width(columns);
  std::vector<float> values;
  for (std::int32_t i = 0; i < rows * columns; ++i) {
    values.push_back(static_cast<float>(i + 1));
  }
  const auto floats =
      static_cast<std::size_t>(layout::padded_elements(storage::panels, extents, 1));
  std::vector<float> stored(floats, 0.0F);
  store_values(place, values, stored);
  const stored_matrix matrix(storage::panels, rows, columns);
  std::vector<float> expected(floats, 0.0F);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    expected.at(static_cast<std::size_t>(matrix.index_of(number))) = values[i];
  }
  std::vector<float> loaded(values.size());
  load_values(place, stored, loaded);
  return stored == expected && loaded == values;
}

TEST_CASE("values of kernels of every rank find their places in panels") {
  int checked = 0;
  for (const std::int32_t columns : {1, 5, 16, 37}) {
    CHECK(test_places({6, columns}));
    CHECK(test_places({3, 5, columns}));
    CHECK(test_places({3, 2, 5, columns}));
    checked += 3;
  }
  CHECK(checked == 12);
  std::printf("checked places of %d kernels\n", checked);
}

}  // namespace
