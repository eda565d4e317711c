// SPDX-License-Identifier: MIT
// Tests of core/near_names.hpp.
#include <ipu_dsl/core/near_names.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl::near_names;
using ipu_dsl::tests::checks;

constexpr checks test_edits() {
  checks done;
  done.that(edit_distance("", "") == 0);
  done.that(edit_distance("abc", "") == 3);
  done.that(edit_distance("", "ab") == 2);
  done.that(edit_distance("kitten", "sitting") == 3);
  done.that(edit_distance("sitting", "kitten") == 3);
  done.that(edit_distance("ZB_H1", "zb-h1") == 0);
  return done;
}

constexpr checks test_distances() {
  checks done;
  done.that(distance("gpipe", "gpipe") == 0);
  done.that(distance("gpip", "gpipe") == 1);
  done.that(distance("inter", "interleaved") == 1);
  done.that(distance("g", "gpipe") == unrelated);
  done.that(distance("G", "g") == 0);
  done.that(distance("g", "h") == unrelated);
  done.that(distance("wave", "gpipe") == unrelated);
  done.that(least_distance("gpipee", "1f1b, gpipe") == 1);
  done.that(least_distance("gpipe", "") == unrelated);
  return done;
}

static_assert(test_edits());
static_assert(test_distances());

TEST_CASE("names that are near each other") {
  CHECK(test_edits());
  CHECK(test_distances());
}

}  // namespace
