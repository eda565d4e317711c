// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/schedule/schedules.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

static_assert(schedule_type<grouped>);
static_assert(schedule_type<interleaved>);
static_assert(schedule_type<sequential_schedule>);
static_assert(!schedule_type<int>);

static_assert(grouped::allows(2, 2, 6, purpose::training).message().view() ==
              "schedule grouped: expected a gradient accumulation count that is a multiple of 4 "
              "(2 x 2 stages), got 6. Hint: use 4 or 8");
static_assert(interleaved::allows(3, 3, 1, purpose::inference).message().view() ==
              "schedule interleaved: expected a number of steps per execution that is a multiple "
              "of 3 (3 stages), got 1. Hint: use 3");
static_assert(interleaved::allows(1, 2, 4, purpose::training).message().view() ==
              "schedule interleaved: expected every stage on a device of its own in training, got "
              "stages 0 and 1 on device 0. Hint: use grouped or sequential_schedule, or one device "
              "a stage");
static_assert(sequential_schedule::allows(1, 1, 0, purpose::training).found());
static_assert(grouped::allows(3, 2, 4, purpose::training).found());
static_assert(grouped::allows(0, 2, 4, purpose::training).found());
static_assert(grouped::allows(1, 1, 4, purpose::training).found());

TEST_CASE("counts are allowed as the reference allows them") {
  int checked = 0;
  for (int stages = 2; stages <= 8; ++stages) {
    for (int m = -2; m <= 70; ++m) {
      const auto multiple = [m](int of) { return m >= of && m % of == 0; };
      const auto agrees = [&](const problem& found, bool allowed) {
        REQUIRE(found.found() != allowed);
        ++checked;
      };
      agrees(grouped::allows(stages, stages, m, purpose::training), multiple(2 * stages));
      agrees(grouped::allows(1, stages, m, purpose::training), multiple(2 * stages));
      agrees(interleaved::allows(stages, stages, m, purpose::training), multiple(stages));
      agrees(interleaved::allows(stages - 1, stages, m, purpose::training), false);
      agrees(sequential_schedule::allows(stages, stages, m, purpose::training), m >= 1);
      agrees(grouped::allows(stages, stages, m, purpose::inference), multiple(stages));
      agrees(interleaved::allows(stages, stages, m, purpose::inference), multiple(stages));
      agrees(sequential_schedule::allows(stages, stages, m, purpose::inference), m >= 1);
    }
  }
  std::printf("checked %d counts\n", checked);
  CHECK(checked > 0);
}
