// SPDX-License-Identifier: MIT
// Large schedules of virtual stages.
#include <ipu_dsl/catalogue/looped.hpp>

#include "schedule/large_catalogue.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using large_catalogue::check;

TEST_CASE("virtual stages of 16 devices are studied while compiling") {
  CHECK(check<interleaved_one_f_one_b, 2>() > 0);
  CHECK(check<looped_bfs, 2>() > 0);
  CHECK(check<interleaved_zero_bubble, 2>() > 0);
}
