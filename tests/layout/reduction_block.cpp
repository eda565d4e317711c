// SPDX-License-Identifier: MIT
// Tests of layout/reduction_block.hpp.
#include <cstdint>

#include <ipu_dsl/layout/reduction_block.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

/// Stretches fit the cache, there are as few as may be, and they are as even as may be.
constexpr checks test_blocks() {
  checks done;
  done.that(layout::reduction_block(784, 24) == 262);
  for (const std::int32_t width : {8, 16, 24, 48}) {
    const std::int32_t most = layout::panel_block_bytes / (4 * width);
    for (const std::int32_t inputs : {1, 7, most - 1, most, most + 1, 2 * most + 1, 5 * most}) {
      const std::int32_t block = layout::reduction_block(inputs, width);
      const std::int32_t blocks = (inputs + block - 1) / block;
      done.that(block >= 1);
      done.that(block <= most);
      done.that(blocks == (inputs + most - 1) / most);
      done.that(blocks == 1 || (block - 1) * blocks < inputs);
    }
  }
  return done;
}

static_assert(test_blocks());

TEST_CASE("a reduction is cut into few and even stretches that fit the cache") {
  CHECK(test_blocks());
}

}  // namespace
