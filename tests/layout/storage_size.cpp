// SPDX-License-Identifier: MIT
// Tests of layout/storage_size.hpp: padding belongs to the last axis of positions, and to the rows
// of kernels of any rank.
#include <ipu_dsl/layout/storage_size.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using layout::padded_elements;
using tests::checks;

/// A kernel [ky, kx, inputs, outputs] lies as the matrix [ky * kx * inputs, outputs].
constexpr checks test_kernels() {
  checks done;
  for (const std::int32_t outputs : {1, 7, 16, 100}) {
    const std::int64_t matrix = padded_elements(storage::panels, {3 * 2 * 5, outputs}, 1);
    done.that(padded_elements(storage::panels, {3, 2, 5, outputs}, 1) == matrix);
    done.that(padded_elements(storage::panels, {6, 5, outputs}, 1) == matrix);
    done.that(matrix == layout::panel_elements(30, outputs));
  }
  return done;
}

/// What is padded in the same way takes the same place in both storages.
constexpr checks test_positions() {
  checks done;
  done.that(padded_elements(storage::positions, {7}, 3) == padded_elements(storage::rows, {7}, 3));
  done.that(padded_elements(storage::positions, {5, 5, 32}, 3) ==
            padded_elements(storage::rows, {5, 5, 32}, 3));
  done.that(padded_elements(storage::positions, {5, 5, 3}, 2) == 2 * 25 * layout::row_stride(3));
  done.that(padded_elements(storage::rows, {5, 5, 3}, 2) == 2 * layout::row_stride(75));
  return done;
}

static_assert(test_kernels());
static_assert(test_positions());

TEST_CASE("kernels of every rank take as much as their matrix") {
  CHECK(test_kernels());
}

TEST_CASE("positions are padded one by one") {
  CHECK(test_positions());
}

}  // namespace
