// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/study.hpp>

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
              "stages 0 and 1 on device 0. Hint: use 2 devices");
static_assert(
    rules::stages_a_device("mine", 1, 3, 1).message().view() ==
    "schedule mine: expected 1 stage on the one device, got 3 stages. Hint: cut the model "
    "into 1 stage, or use 3 devices");
static_assert(sequential_schedule::allows(1, 1, 0, purpose::training).found());
static_assert(grouped::allows(3, 2, 4, purpose::training).found());
static_assert(grouped::allows(0, 2, 4, purpose::training).found());
static_assert(grouped::allows(1, 1, 4, purpose::training).found());

static_assert(schedule_type<relaxed<grouped>>);
static_assert(check_schedule<relaxed<grouped>, 4, 4, 3>());
static_assert(study<grouped, 4, 4, 3>::fault.found());
static_assert(relaxed<interleaved>::allows(3, 3, 0, purpose::training).message().view() ==
              "schedule interleaved: expected at least 1 device, 1 stage and 1 micro-batch, got 3, "
              "3 and 0");

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

TEST_CASE("relaxed schedules take any number of micro-batches, and are proven with it") {
  int checked = 0;
  int refused = 0;
  const auto check = [&](auto relaxed_one, auto strict, int stages, int m) {
    using loose = decltype(relaxed_one);
    REQUIRE_FALSE(loose::allows(stages, stages, m, purpose::training).found());
    const program rows = loose::make(stages, stages, m);
    const stage_graph graph = chain_stage_graph(stages);
    REQUIRE(prove(rows.view(), graph.view()).proven());
    refused += decltype(strict)::allows(stages, stages, m, purpose::training).found() ? 1 : 0;
    ++checked;
  };
  for (int stages = 2; stages <= 6; ++stages) {
    for (int m = 1; m <= 2 * stages + 1; ++m) {
      check(relaxed<grouped>(), grouped(), stages, m);
      check(relaxed<interleaved>(), interleaved(), stages, m);
      check(relaxed<sequential_schedule>(), sequential_schedule(), stages, m);
    }
  }
  CHECK(refused > 0);
  CHECK(refused < checked);
  std::printf("checked %d relaxed programs, the reference refuses %d of them\n", checked, refused);
}
