// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/layout/padding.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

constexpr layout::architecture avx2{8, 16, true};
constexpr layout::architecture avx512{16, 32, true};

constexpr checks test_strides() {
  checks done;
  done.that(layout::row_stride(1, avx2) == 8);
  done.that(layout::row_stride(8, avx2) == 8);
  done.that(layout::row_stride(9, avx2) == 16);
  done.that(layout::row_stride(784, avx2) == 784);
  done.that(layout::row_stride(10, avx512) == 16);
  done.that(layout::batch_stride(33, avx512) == 48);
  return done;
}

static_assert(test_strides());

}  // namespace

TEST_CASE("strides of known extents") {
  CHECK(test_strides());
}

TEST_CASE("a stride is the least multiple of the lanes that holds the extent") {
  int checked = 0;
  for (const std::int32_t lanes : {4, 8, 16}) {
    const layout::architecture target{lanes, 16, true};
    for (std::int32_t extent = 1; extent <= 200; ++extent) {
      const std::int32_t stride = layout::whole_vectors(extent, target);
      CHECK(stride % lanes == 0);
      CHECK(stride >= extent);
      CHECK(stride - extent < lanes);
      ++checked;
    }
  }
  CHECK(checked == 600);
  std::printf("padding: checked %d strides\n", checked);
}
