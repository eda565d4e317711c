// SPDX-License-Identifier: MIT
// Tests of layout/stored_matrix.hpp: every element has a place of its own, where layouts say.
#include <cstdio>
#include <set>

#include <ipu_dsl/layout/storage_size.hpp>
#include <ipu_dsl/layout/stored_matrix.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr std::int32_t extents[] = {1, 2, 5, 8, 19, 24, 25, 37, 64, 130};

static_assert(stored_matrix(storage::plain, 3, 4).index_of(2, 1) == 9);
static_assert(stored_matrix(storage::rows, 3, 4).index_of(2, 1) == 2 * layout::row_stride(4) + 1);
static_assert(stored_matrix(storage::columns, 3, 4).index_of(2, 1) == layout::batch_stride(3) + 2);
static_assert(stored_matrix(storage::panel_bias, 1, 4).index_of(0, 3) == 3);

TEST_CASE("elements of a matrix have distinct places within the buffer") {
  int checked = 0;
  for (const storage lies :
       {storage::rows, storage::columns, storage::panels, storage::plain, storage::positions}) {
    for (const std::int32_t rows : extents) {
      for (const std::int32_t columns : extents) {
        INFO("storage " << static_cast<int>(lies) << ", " << rows << " x " << columns);
        const stored_matrix matrix(lies, rows, columns);
        const bool whole = lies == storage::panels || lies == storage::plain;
        const shape sample = whole ? shape{rows, columns} : shape{columns};
        const std::int64_t elements = layout::padded_elements(lies, sample, whole ? 1 : rows);
        std::set<std::int64_t> places;
        for (std::int32_t row = 0; row < rows; ++row) {
          for (std::int32_t column = 0; column < columns; ++column) {
            places.insert(matrix.index_of(row, column));
          }
        }
        CHECK(places.size() == static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
        CHECK(*places.begin() == 0);
        CHECK(*places.rbegin() < elements);
        ++checked;
      }
    }
  }
  CHECK(checked > 0);
  std::printf("checked %d matrices\n", checked);
}

TEST_CASE("kernels lie as panels lay them out") {
  int checked = 0;
  for (const std::int32_t rows : extents) {
    for (const std::int32_t columns : extents) {
      const layout::panels panels(rows, columns);
      const stored_matrix matrix(storage::panels, rows, columns);
      const stored_matrix bias(storage::panel_bias, 1, columns);
      for (std::int32_t row = 0; row < rows; ++row) {
        CHECK(matrix.index_of(row, columns - 1) == panels.offset(row, columns - 1));
        CHECK(matrix.index_of(row, columns / 2) == panels.offset(row, columns / 2));
        ++checked;
      }
      CHECK(bias.index_of(0, columns - 1) == columns - 1);
    }
  }
  CHECK(checked > 0);
  std::printf("checked %d rows of panels\n", checked);
}

}  // namespace
