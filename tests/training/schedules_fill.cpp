// SPDX-License-Identifier: MIT
// One stage a device, whole backwards: the reference's schedules and the family of 1F1B.
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/inference.hpp>

#include "support/catch2.hpp"
#include "training/schedules.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

TEST_CASE("the reference's schedules have the bits of one stage") {
  check_executed(case_of<scheduled<in_four_stages, grouped>>());
  check_executed(case_of<scheduled<in_four_stages, interleaved>>());
  check_executed(case_of<scheduled<in_four_stages, popart_implicit>>());
}

TEST_CASE("the family of 1F1B has the bits of one stage") {
  check_executed(case_of<scheduled<in_four_stages, gpipe>>());
  check_executed(case_of<scheduled<in_four_stages, one_f_one_b>>());
  check_executed(case_of<scheduled<in_four_stages, eager_one_f_one_b>>());
  check_executed(case_of<scheduled<in_four_stages, fill<5, 2, 2, 0>>>());
}
