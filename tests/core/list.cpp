// SPDX-License-Identifier: MIT
// Tests of core/list.hpp.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include <ipu_dsl/core/list.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr bool holds(const list<int>& values, std::initializer_list<int> expected) {
  bool same = values.size() == expected.size() && values.empty() == (expected.size() == 0);
  std::size_t index = 0;
  for (const int wanted : expected) {
    same = same && values[index] == wanted;
    ++index;
  }
  return same;
}

constexpr checks test_construction() {
  checks done;
  done.that(holds(list<int>(), {}));
  done.that(holds(list<int>(3, 7), {7, 7, 7}));
  done.that(holds({1, 2, 3}, {1, 2, 3}));
  done.that(list<int>().begin() == list<int>().end());
  return done;
}

constexpr checks test_push() {
  list<int> values;
  checks done;
  for (int i = 0; i < 100; ++i) {
    done.that(values.push_back(i) == i);
    done.that(values.back() == i);
  }
  int sum = 0;
  for (const int value : values) {
    sum += value;
  }
  done.that(values.size() == 100);
  done.that(sum == 4950);
  return done;
}

constexpr checks test_copy() {
  const list<int> original = {1, 2, 3};
  list<int> copied = original;
  copied[0] = 9;
  list<int> assigned = {5};
  assigned = copied;
  copied.push_back(4);
  const list<int>& same = assigned;
  assigned = same;
  checks done;
  done.that(holds(original, {1, 2, 3}));
  done.that(holds(copied, {9, 2, 3, 4}));
  done.that(holds(assigned, {9, 2, 3}));
  return done;
}

constexpr bool test_move() {
  list<int> original = {1, 2, 3};
  const int* const place = original.data();
  list<int> moved = std::move(original);
  list<int> assigned = {8, 9};
  assigned = std::move(moved);
  return assigned.data() == place && holds(assigned, {1, 2, 3});
}

constexpr checks test_resize() {
  list<int> values = {1, 2};
  values.resize(4, 5);
  checks done;
  done.that(holds(values, {1, 2, 5, 5}));
  values.resize(1);
  done.that(holds(values, {1}));
  values.resize(3);
  done.that(holds(values, {1, 0, 0}));
  return done;
}

constexpr checks test_append() {
  list<int> values = {1};
  const int more[] = {2, 3, 4};
  values.append(more);
  values.append({});
  list<list<int>> nested;
  nested.push_back(values);
  nested.push_back({7});
  const list<list<int>> copied = nested;
  nested[0][0] = 0;
  checks done;
  done.that(holds(values, {1, 2, 3, 4}));
  done.that(holds(copied[0], {1, 2, 3, 4}));
  done.that(holds(copied[1], {7}));
  return done;
}

/// Many small additions must not copy all that is there each time: growing by exactly what was
/// asked for made the check of a model quadratic.
constexpr int growths_of_appends(int count) {
  list<int> values;
  const int pair[] = {1, 2};
  int growths = 0;
  for (int i = 0; i < count; ++i) {
    const int* const before = values.data();
    values.append(pair);
    growths += values.data() == before ? 0 : 1;
  }
  return growths;
}

/// Counts and indices are of any integer type.
constexpr checks test_signed_numbers() {
  const int count = 3;
  list<int> values(count);
  checks done;
  done.that(values.size() == 3);
  done.that(values[std::int64_t{2}] == 0);
  values.resize(count + 1, 7);
  values.reserve(std::int64_t{20});
  const int last = 3;
  values[last] += 1;
  done.that(values[last] == 8);
  done.that(values[std::size_t{3}] == 8);
  done.that(list<bool>(count, true)[last - 1]);
  return done;
}

static_assert(test_construction());
static_assert(test_signed_numbers());
static_assert(test_push());
static_assert(test_copy());
static_assert(test_move());
static_assert(test_resize());
static_assert(test_append());
static_assert(growths_of_appends(1000) <= 10);

TEST_CASE("list is made from counts and values") {
  CHECK(test_construction());
}

TEST_CASE("list takes counts and indices of any integer type") {
  CHECK(test_signed_numbers());
}

TEST_CASE("list grows by pushing") {
  CHECK(test_push());
}

TEST_CASE("list copies deeply and moves by pointer") {
  CHECK(test_copy());
  CHECK(test_move());
}

TEST_CASE("list is resized and appended to") {
  CHECK(test_resize());
  CHECK(test_append());
}

TEST_CASE("list grows rarely") {
  CHECK(growths_of_appends(1) == 1);
  CHECK(growths_of_appends(1000) <= 10);
}

}  // namespace
