// SPDX-License-Identifier: MIT
// Tests of core/addresses.hpp: addresses are compared alike by the compiler and at run time.
#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

struct rule {
  int number;
};

inline constexpr rule first{1};
inline constexpr rule second{2};

template <int Number>
inline constexpr rule numbered{Number};

/// Of constants, of templates and of nothing.
constexpr bool tells_constants_apart() {
  const rule* const of = &first;
  return same_address(of, &first) && !same_address(of, &second) &&
         same_address(&numbered<1>, &numbered<1>) && !same_address(&numbered<1>, &numbered<2>) &&
         !same_address(&numbered<1>, &first) && !is_null(of) && !is_null(&numbered<2>) &&
         is_null(nullptr) && !same_address(of, nullptr);
}

constexpr void begin(int) {}

constexpr void end(int) {}

/// Of functions, with and without a name.
constexpr bool tells_functions_apart() {
  void (*const unnamed)(int) = [](int) {};
  return same_address(&begin, &begin) && !same_address(&begin, &end) &&
         !same_address(&begin, unnamed) && same_address(unnamed, unnamed);
}

/// Of what lies in a list while the compiler evaluates, and beside it.
constexpr bool tells_elements_apart() {
  list<rule> rules;
  rules.push_back({1});
  rules.push_back({2});
  const rule beside{3};
  return same_address(&rules[1], rules.data() + 1) && !same_address(&rules[0], &rules[1]) &&
         !same_address(&beside, &rules[0]) && same_address(&beside, &beside) && !is_null(&beside) &&
         !is_null(rules.data());
}

static_assert(tells_constants_apart());
static_assert(tells_functions_apart());
static_assert(tells_elements_apart());

}  // namespace

TEST_CASE("addresses are compared alike by the compiler and at run time") {
  CHECK(tells_constants_apart());
  CHECK(tells_functions_apart());
  CHECK(tells_elements_apart());
}
