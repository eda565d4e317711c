// SPDX-License-Identifier: MIT
// Tests of core/non_finite.hpp.
#include <cstddef>
#include <cstdio>
#include <limits>
#include <vector>

#include <ipu_dsl/core/non_finite.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;
using limits = std::numeric_limits<float>;

constexpr checks test_bits() {
  checks done;
  done.that(is_non_finite(limits::infinity()));
  done.that(is_non_finite(-limits::infinity()));
  done.that(is_non_finite(limits::quiet_NaN()));
  done.that(!is_non_finite(0.0F));
  done.that(!is_non_finite(limits::max()));
  done.that(!is_non_finite(limits::lowest()));
  done.that(!is_non_finite(limits::denorm_min()));
  return done;
}

static_assert(test_bits());

TEST_CASE("infinities and NaN are known by their bits") {
  CHECK(test_bits());
}

TEST_CASE("one number that is not finite is found wherever it stands, in any length") {
  int checked = 0;
  for (const std::size_t length : {1U, 63U, 64U, 65U, 128U, 200U}) {
    std::vector<float> values(length, limits::max());
    REQUIRE_FALSE(holds_non_finite(values));
    for (std::size_t place = 0; place < length; ++place) {
      values[place] = place % 2 == 0 ? limits::quiet_NaN() : -limits::infinity();
      REQUIRE(holds_non_finite(values));
      values[place] = 1.0F;
      ++checked;
    }
  }
  CHECK_FALSE(holds_non_finite({}));
  CHECK(checked == 521);
  std::printf("checked %d places of numbers that are not finite\n", checked);
}

}  // namespace
