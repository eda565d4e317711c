// SPDX-License-Identifier: MIT
// Tests of core/list_view.hpp.
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr int sum_of(list_view<int> values) {
  int sum = 0;
  for (const int value : values) {
    sum += value;
  }
  return sum;
}

constexpr int array[] = {1, 2, 3, 4};

constexpr int sum_of_list() {
  const list<int> values = {1, 2, 3, 4};
  return sum_of(values);
}

static_assert(sum_of({}) == 0 && list_view<int>().empty());
static_assert(sum_of(array) == 10);
static_assert(sum_of({array, 3}) == 6 && sum_of({array, std::size_t{2}}) == 3);
static_assert(sum_of(std::array{5, 6}) == 11);
static_assert(sum_of(std::span<const int>(array)) == 10);
static_assert(sum_of_list() == 10);

constexpr list_view<int> all = array;
static_assert(all.size() == 4 && !all.empty() && all.data() == array);
static_assert(all.front() == 1 && all.back() == 4);
static_assert(all.end() - all.begin() == 4);
static_assert(all[2] == 3 && all[std::size_t{2}] == 3 && all[std::int64_t{2}] == 3);
static_assert(all[std::uint8_t{2}] == 3);
static_assert(sum_of(all.first(2)) == 3 && all.first(0).empty());
static_assert(sum_of(all.part(1, 2)) == 5 && all.part(4, 0).empty());

// A schedule of a user's own may take std::span.
constexpr int sum_of_span(std::span<const int> values) {
  return sum_of(values);
}

static_assert(sum_of_span(all) == 10);

static_assert(std::convertible_to<std::vector<int>, list_view<int>>);
static_assert(!std::convertible_to<std::vector<float>, list_view<int>>);
static_assert(!std::convertible_to<std::string, list_view<int>>);
static_assert(!std::convertible_to<int, list_view<int>>);

TEST_CASE("list_view sees what it is made of") {
  const std::vector<int> values = {7, 8, 9};
  const list_view<int> seen = values;
  CHECK(seen.data() == values.data());
  CHECK(seen.size() == values.size());
  CHECK(seen[-1 + 2] == 8);
  CHECK(seen.part(1, 2).data() == values.data() + 1);
  CHECK(sum_of(seen) == 24);
}

}  // namespace
