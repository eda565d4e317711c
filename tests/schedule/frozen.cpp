// SPDX-License-Identifier: MIT
#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

static_assert(describe(action{action_kind::forward, 2, 5}).view() == "F2(5)");
static_assert(describe(action{action_kind::weight_gradient, 0, 11}).view() == "W0(11)");
static_assert(describe(action{action_kind::update, 3, 0}).view() == "U3");

constexpr auto frozen = freeze<[] { return grouped::make(2, 4, 8); }>();

constexpr checks test_frozen() {
  const program rows = grouped::make(2, 4, 8);
  const program_view view = frozen.view();
  bool same = view.devices == 2 && view.stages == 4 && view.micro_batches == 8 &&
              view.actions.size() == rows.actions.size() && view.slot.size() == rows.slot.size();
  for (std::size_t i = 0; same && i < rows.actions.size(); ++i) {
    same = view.actions[i] == rows.actions[i] && view.slot[i] == rows.slot[i];
  }
  checks done;
  done.that(same);
  done.that(view.row(1).front() == action{action_kind::forward, 2, 0});
  done.that(view.device_of_stage[3] == 1);
  return done;
}

static_assert(test_frozen());
static_assert(freeze_list<0>(list<int>()).view().empty());

}  // namespace

TEST_CASE("a frozen program is the program") {
  CHECK(test_frozen());
}
