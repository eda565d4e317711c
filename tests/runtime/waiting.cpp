// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/runtime/waiting.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

/// Pauses before who waits falls asleep.
int pauses(const waiting_policy& policy) {
  return policy.rounds * policy.spins;
}

}  // namespace

TEST_CASE("workers with a processor each stay awake for some tenths of a millisecond") {
  const double pause = pause_nanoseconds();
  CHECK(pause >= 1);
  CHECK(pause < 10'000);
  const waiting_policy alone = choose_waiting(2, 2);
  // Measured twice on a busy machine, a pause may differ by a factor.
  CHECK(pauses(alone) * pause > 30'000);
  CHECK(pauses(alone) * pause < 3'000'000);
  std::printf("a pause takes %.1f ns: %d rounds of %d\n", pause, alone.rounds, alone.spins);
}

TEST_CASE("workers that share processors fall asleep sooner") {
  int checked = 0;
  for (const int processors : {1, 2, 7}) {
    const waiting_policy shared = choose_waiting(processors + 1, processors);
    CHECK(shared.rounds > 0);
    CHECK(shared.spins < choose_waiting(processors, processors).spins);
    CHECK(pauses(shared) < pauses(choose_waiting(processors, processors)));
    ++checked;
  }
  CHECK(checked == 3);
}
