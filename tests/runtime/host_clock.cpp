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
}

TEST_CASE("the host's clock begins anew with every run") {
  host_clock clock;
  clock.restart();
  bool anew = false;
  // Somebody else may take the processor between two looks, but not every time.
  for (int attempt = 0; attempt < 10 && !anew; ++attempt) {
    const std::int64_t begin = clock.now();
    while (clock.now() - begin < 10'000'000) {
    }
    const std::int64_t before = clock.now();
    clock.restart();
    anew = clock.now() < before;
  }
  CHECK(anew);
}
