// SPDX-License-Identifier: MIT
// Tests of schedule/program.hpp.
#include <initializer_list>

#include <ipu_dsl/schedule/program.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;
using kind = action_kind;

constexpr bool is(const list<int>& values, std::initializer_list<int> expected) {
  bool same = values.size() == expected.size();
  const int* value = values.begin();
  for (const int wanted : expected) {
    same = same && *value++ == wanted;
  }
  return same;
}

constexpr checks test_rows() {
  checks done;
  program rows(2, list<int>{0, 1, 0}, 1);
  rows.put(kind::forward, 0, 0);
  rows.put_joined(kind::forward, 2, 0);
  rows.end_training_row(0);
  rows.end_row();
  const program_view seen = rows.view();
  done.that(seen.stages == 3);
  done.that(seen.row(0).size() == 4);
  done.that(seen.row(0)[1] == action{kind::forward, 2, 0, true});
  done.that(seen.row(0)[2] == action{kind::update, 0, 0});
  done.that(seen.row(0).back() == action{kind::update, 2, 0});
  done.that(seen.row(1).empty());
  return done;
}

constexpr checks test_updates() {
  checks done;
  program rows(1, list<int>{0}, 7);
  done.that(updates_of_run(rows.view()) == 1);
  rows.weights.update_interval = 3;
  done.that(updates_of_run(rows.view()) == 3);
  done.that(!splits_backward(rows.view()));
  rows.put(kind::input_gradient, 0, 0);
  done.that(splits_backward(rows.view()));
  return done;
}

constexpr checks test_placements() {
  checks done;
  done.that(is(neighbouring_placement(2, 5), {0, 0, 0, 1, 1}));
  done.that(is(neighbouring_placement(3, 3), {0, 1, 2}));
  done.that(is(looped_placement(2, 5), {0, 1, 0, 1, 0}));
  done.that(is(snake_placement(2, 6), {0, 1, 1, 0, 0, 1}));
  done.that(is(mirrored_placement(3), {0, 1, 2, 2, 1, 0}));
  return done;
}

/// Counts far out of proportion to the rows are refused before tables are made for them.
constexpr checks test_sparse() {
  checks done;
  done.that(!is_sparse(0, 256, 256));
  done.that(is_sparse(0, 257, 256));
  done.that(!is_sparse(32, 257, 256));
  return done;
}

static_assert(test_rows());
static_assert(test_updates());
static_assert(test_placements());
static_assert(test_sparse());

TEST_CASE("rows are appended device after device, and seen one by one") {
  CHECK(test_rows());
  CHECK(test_updates());
}

TEST_CASE("placements of known counts, and rows that are too few for their counts") {
  CHECK(test_placements());
  CHECK(test_sparse());
}

}  // namespace
