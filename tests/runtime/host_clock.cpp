// SPDX-License-Identifier: MIT
#include <cstdint>

#include <ipu_dsl/runtime/host_clock.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

TEST_CASE("the host's clock counts up from the beginning of a run") {
  host_clock clock;
  clock.restart();
  const std::int64_t first = clock.now();
  const std::int64_t second = clock.now();
  CHECK(first >= 0);
  CHECK(second >= first);
  // Anew, and not from the beginning of the first run: an hour has not passed.
  clock.restart();
  CHECK(clock.now() < std::int64_t{3'600'000'000'000});
}
