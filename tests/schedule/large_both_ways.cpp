// SPDX-License-Identifier: MIT
// Large schedules with micro-batches from both ends.
#include <ipu_dsl/catalogue/bidirectional.hpp>

#include "schedule/large_catalogue.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using large_catalogue::check;

TEST_CASE("pipes in opposite directions of 16 devices are studied while compiling") {
  CHECK(check<chimera, 2>() > 0);
  CHECK(check<dualpipe, 2>() > 0);
  CHECK(check<dualpipe_v, 2>() > 0);
}
