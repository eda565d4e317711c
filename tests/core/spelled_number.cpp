// SPDX-License-Identifier: MIT
// Tests of core/spelled_number.hpp.
#include <string_view>

#include <ipu_dsl/core/spelled_number.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr bool is_written(std::string_view spelled, std::string_view written) {
  return as_decimal(number_in(spelled)).view() == written;
}

// As g++ spells floats and doubles, and as clang does.
static_assert(is_written("9.99999978e-3f>", "0.01"));
static_assert(is_written("1.0000000000000001e-1>", "0.1"));
static_assert(is_written("1.000000e-02>", "0.01"));
static_assert(is_written("2.5e+2f", "250"));
static_assert(number_in("9.99999978e-3f>").whole == 14);
static_assert(number_in("1.000000e-02, 3").whole == 12);

// What is no such number, or has no such decimal, is left as it is.
static_assert(number_in("").whole == 0 && number_in("12").whole == 0);
static_assert(number_in("1.5").whole == 0 && number_in(".5e-1").whole == 0);
static_assert(number_in("1.5e-").whole == 0 && number_in("1.5e*2").whole == 0);
static_assert(is_written("1.0e-7f", "") && is_written("1.5e-6f", ""));
static_assert(is_written("1.0e+30f", "") && is_written("3.0e+999f", ""));

TEST_CASE("numbers of spelled names are written as decimals where they have one") {
  CHECK(is_written("6.99999988e-1f", "0.7"));
  CHECK(is_written("1.0e-7f", ""));
}

}  // namespace
