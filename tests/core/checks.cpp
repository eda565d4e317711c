// SPDX-License-Identifier: MIT
// Tests of support/checks.hpp: a failure must be found, and its place be told.
#include "support/checks.hpp"

#include <sstream>
#include <string>

#include "support/catch2.hpp"

namespace {

using ipu_dsl::tests::checks;

constexpr checks of(bool first, bool second) {
  checks done;
  done.that(first);
  done.that(second);
  return done;
}

static_assert(of(true, true) && of(true, true).count() == 2);
static_assert(!checks());

TEST_CASE("checks tell the first that failed") {
  checks done = of(true, false);
  CHECK_FALSE(done);
  CHECK_FALSE(of(false, true));
  done.that(false);
  std::ostringstream told;
  told << done;
  CHECK(told.str().starts_with("check 2 of 3, line 17 of "));
  CHECK(told.str().find("checks.cpp, failed") != std::string::npos);
}

TEST_CASE("checks that are a part of others count with them") {
  checks done;
  done.that(of(true, true));
  CHECK(done);
  CHECK(done.count() == 2);
  done.that(true);
  done.that(of(true, false));
  done.that(of(false, false));
  std::ostringstream told;
  told << done;
  CHECK_FALSE(done);
  CHECK(told.str().starts_with("check 5 of 7, line 17 of "));
}

}  // namespace
