// SPDX-License-Identifier: MIT
// Tests of schedule/joined_step.hpp.
#include <ipu_dsl/schedule/joined_step.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;
using kind = action_kind;

/// Two rows: single, a pair, a step of three; and a pair at the end of the last.
constexpr program steps() {
  program rows(2, neighbouring_placement(2, 2), 4);
  rows.put(kind::forward, 0, 0);
  rows.put_joined(kind::forward, 0, 1);
  rows.put(kind::forward, 0, 2);
  rows.put_joined(kind::backward, 0, 0);
  rows.put_joined(kind::backward, 0, 1);
  rows.put(kind::backward, 0, 2);
  rows.end_row();
  rows.put(kind::forward, 1, 0);
  rows.put_joined(kind::forward, 1, 1);
  rows.put(kind::backward, 1, 0);
  rows.end_row();
  return rows;
}

constexpr checks test_ranges() {
  checks done;
  const program rows = steps();
  constexpr joined_range expected[] = {{0, 0}, {1, 2}, {1, 2}, {3, 5}, {3, 5},
                                       {3, 5}, {6, 6}, {7, 8}, {7, 8}};
  int index = 0;
  for (const joined_range& wanted : expected) {
    const joined_range found = joined_with(rows.view(), index);
    done.that(found.first == wanted.first);
    done.that(found.last == wanted.last);
    done.that(found.contains(index));
    done.that(!found.contains(wanted.last + 1));
    ++index;
  }
  return done;
}

constexpr checks test_any() {
  checks done;
  program rows = steps();
  done.that(joins_any(rows.view()));
  for (action& what : rows.actions) {
    what.joined = false;
  }
  done.that(!joins_any(rows.view()));
  done.that(!joins_any(program_view()));
  return done;
}

static_assert(test_ranges());
static_assert(test_any());

TEST_CASE("the actions of a step are found from each of them, within its row") {
  CHECK(test_ranges());
  CHECK(test_any());
}

}  // namespace
