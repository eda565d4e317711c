// SPDX-License-Identifier: MIT
// Two stages a device, dealt out in rounds.
#include <ipu_dsl/catalogue/looped.hpp>

#include "support/catch2.hpp"
#include "training/schedules.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

static_assert(scheduled<in_eight_stages, looped_bfs>::settings.devices == 4);

TEST_CASE("looped stages have the bits of one stage") {
  check_executed(case_of<scheduled<in_eight_stages, interleaved_one_f_one_b>>());
  check_executed(case_of<scheduled<in_eight_stages, interleaved_one_f_one_b_grouped<5>>>());
  check_executed(case_of<scheduled<in_eight_stages, looped_bfs>>());
  check_executed(case_of<scheduled<in_eight_stages, interleaved_zero_bubble>>());
}
