// SPDX-License-Identifier: MIT
// Large schedules on a V of stages.
#include <ipu_dsl/catalogue/v_blocks.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>

#include "schedule/large_catalogue.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using large_catalogue::check;

TEST_CASE("stages on a V of 16 devices are studied while compiling") {
  CHECK(check<zb_v, 2>() > 0);
  CHECK(check<one_f_one_b_v, 2>() > 0);
}
