// SPDX-License-Identifier: MIT
// Large schedules that update within a run, and with weight gradients of their own.
#include <ipu_dsl/catalogue/asynchronous.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>

#include "schedule/large_catalogue.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using large_catalogue::check;

TEST_CASE(
    "streams and backwards in halves of 16 devices are studied while "
    "compiling") {
  CHECK(check<pipedream, 1>() > 0);
  CHECK(check<pipedream_2bw<>, 1>() > 0);
  CHECK(check<zb_h1, 1>() > 0);
  CHECK(check<zb_h2, 1>() > 0);
}
