// SPDX-License-Identifier: MIT
// Tests of schedule/step_order.hpp: what each kind of action does, and when a micro-batch meets it.
#include <cstdio>

#include <ipu_dsl/schedule/step_order.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;
using kind = action_kind;

/// What an action does of another's work, both of one stage.
constexpr bool does_of(kind done, kind wanted) {
  return does(action{done, 3, 0}, {3, wanted});
}

static_assert(does_of(kind::backward, kind::backward));
static_assert(does_of(kind::backward, kind::input_gradient));
static_assert(does_of(kind::backward, kind::weight_gradient));
static_assert(!does_of(kind::input_gradient, kind::backward));
static_assert(!does_of(kind::weight_gradient, kind::backward));
static_assert(!does_of(kind::input_gradient, kind::weight_gradient));
static_assert(!does_of(kind::weight_gradient, kind::input_gradient));
static_assert(!does_of(kind::backward, kind::forward) && !does_of(kind::backward, kind::recompute));
static_assert(!does_of(kind::forward, kind::update) && !does_of(kind::update, kind::forward));
static_assert(does_of(kind::update, kind::update) && !does_of(kind::update, kind::offload));
static_assert(!does(action{kind::forward, 1, 0}, {2, kind::forward}));

static_assert(last_part(kind::backward) == kind::weight_gradient);
static_assert(last_part(kind::input_gradient) == kind::input_gradient);
static_assert(last_part(kind::update) == kind::update && last_part(kind::fetch) == kind::fetch);

static_assert(is_backward_of(kind::backward, backward_form::whole));
static_assert(!is_backward_of(kind::backward, backward_form::halves));
static_assert(is_backward_of(kind::weight_gradient, backward_form::halves));
static_assert(!is_backward_of(kind::forward, backward_form::whole));

/// Every kind that uses edges writes in its first role and ends in its last one, which are its
/// parts; returns how many kinds there are, or -1.
constexpr int check_roles() {
  int checked = 0;
  for (int i = 0; i < action_kinds; ++i) {
    const auto each = static_cast<kind>(i);
    if (!uses_edges(each)) {
      if (begins_backward[i] || ends_backward[i]) {
        return -1;
      }
      continue;
    }
    const bool begins = first_role[i] == step_role::backward_begin;
    const bool ends = last_role[i] == step_role::backward_end;
    if (first_role[i] > last_role[i] || begins != begins_backward[i] || ends != ends_backward[i] ||
        !does_of(each, part_of_role[static_cast<int>(first_role[i])]) ||
        !does_of(each, last_part(each))) {
      return -1;
    }
    ++checked;
  }
  return checked;
}

static_assert(check_roles() == 5);

/// Positions and steps are one to one, and a step stands behind what it waits for. Returns how many
/// there were, or -1.
constexpr int check_positions(backward_form form) {
  int checked = 0;
  for (int stages = 1; stages <= 7; ++stages) {
    for (int position = 0; position < positions_of(stages); ++position) {
      const step found = step_at(position, stages, form);
      if (position_of(found, stages) != position || found.stage < 0 || found.stage >= stages) {
        return -1;
      }
      ++checked;
    }
    for (int stage = 0; stage < stages; ++stage) {
      const int forward = position_of({stage, kind::forward}, stages);
      const int recompute = position_of({stage, kind::recompute}, stages);
      const int begin = position_of({stage, kind::backward}, stages);
      const int end = position_of({stage, kind::weight_gradient}, stages);
      const int next = stage + 1;
      const bool last = next == stages;
      const bool right = forward < recompute && recompute < begin && begin < end &&
                         begin == position_of({stage, kind::input_gradient}, stages) &&
                         (last || (forward < position_of({next, kind::forward}, stages) &&
                                   position_of({next, kind::backward}, stages) < begin));
      if (!right || position_of({stage, kind::update}, stages) != -1) {
        return -1;
      }
    }
  }
  return checked;
}

static_assert(check_positions(backward_form::whole) == 112);
static_assert(check_positions(backward_form::halves) == 112);

constexpr checks test_whole_backward() {
  checks done;
  done.that(check_roles() == 5);
  return done;
}

static_assert(test_whole_backward());

}  // namespace

TEST_CASE("a whole backward is two halves, in one place") {
  CHECK(test_whole_backward());
}

TEST_CASE("a micro-batch meets the steps of all stages in one order") {
  const int checked =
      check_positions(backward_form::whole) + check_positions(backward_form::halves);
  CHECK(checked == 224);
  std::printf("step order: checked %d positions\n", checked);
}
