// SPDX-License-Identifier: MIT
// Two stages a device on a V: the first and the last share one.
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/v_blocks.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>

#include "support/catch2.hpp"
#include "training/schedules.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

static_assert(scheduled<in_eight_stages, zb_v>::settings.devices == 4);

TEST_CASE("stages on a V have the bits of one stage") {
  check_executed(case_of<scheduled<in_eight_stages, zb_v>>());
  check_executed(case_of<scheduled<in_eight_stages, v_half>>());
  check_executed(case_of<scheduled<in_eight_stages, v_min>>());
  check_executed(case_of<scheduled<in_eight_stages, one_f_one_b_v>>());
}

TEST_CASE("steps of two actions have the bits of one stage") {
  check_executed(case_of<scheduled<in_eight_stages, dualpipe_v>>());
}
