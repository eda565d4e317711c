// SPDX-License-Identifier: MIT
// One stage a device, backwards in halves, and the schedules that look at costs.
#include <ipu_dsl/catalogue/best_of.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>

#include "support/catch2.hpp"
#include "training/schedules.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

TEST_CASE("zero bubble has the bits of one stage") {
  check_executed(case_of<scheduled<in_four_stages, zb_h1>>());
  check_executed(case_of<scheduled<in_four_stages, zb_h2>>());
}

TEST_CASE("schedules made for the costs at hand have the bits of one stage") {
  check_executed(case_of<scheduled<in_four_stages, zero_bubble_list<>>>());
  check_executed(case_of<scheduled<in_four_stages, zero_bubble_list<2>>>());
  check_executed(case_of<scheduled<in_four_stages, best_of<interleaved, zb_h1>>>());
}
