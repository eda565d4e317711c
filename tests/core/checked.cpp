// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <optional>

#include <ipu_dsl/core/checked.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

constexpr bool products_are_right() {
  return checked_product(6, 7) == 42 && checked_product(0, most) == 0 &&
         checked_product(most, 1) == most && !checked_product(most, 2).has_value() &&
         !checked_product(std::int64_t{1} << 32, std::int64_t{1} << 32).has_value() &&
         checked_product(std::int64_t{1} << 31, std::int64_t{1} << 31) == std::int64_t{1} << 62;
}

/// What is too large stays so, whatever it is multiplied with.
constexpr bool too_large_stays() {
  return !checked_product(checked_product(most, 2), 0).has_value();
}

static_assert(products_are_right());
static_assert(too_large_stays());

}  // namespace

TEST_CASE("products are exact or none") {
  CHECK(products_are_right());
  CHECK(too_large_stays());
}
