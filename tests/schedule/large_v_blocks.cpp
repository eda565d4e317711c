// SPDX-License-Identifier: MIT
// Large schedules whose gaps are filled in pieces.
#include <ipu_dsl/catalogue/v_blocks.hpp>

#include "schedule/large_catalogue.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using large_catalogue::check;

TEST_CASE("blocks on a V of 16 devices are studied while compiling") {
  CHECK(check<v_half, 2>() > 0);
  CHECK(check<v_min, 2>() > 0);
}
