// SPDX-License-Identifier: MIT
// Tests of graph/initial_value.hpp: whose draws are independent of each other.
#include <cstdio>
#include <set>

#include <ipu_dsl/graph/initial_value.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr checks test_draws() {
  const initial_value first{.extents = {3, 4}, .index = 0, .seed = 5, .stream = 9};
  const initial_value second{.extents = {3, 4}, .index = 1, .seed = 5, .stream = 9};
  checks done;
  done.that(first.word(0) == random_word(5, 9, 0));
  done.that(second.word(0) == random_word(5, 9, 1));
  done.that(first.word(1) != second.word(0));
  done.that(first.uniform() == uniform_unit(first.word(0)));
  done.that(first.uniform(1) == uniform_unit(first.word(1)));
  done.that(first.uniform() >= 0 && first.uniform() < 1);
  return done;
}

static_assert(test_draws());

TEST_CASE("a number's first draw is the word of its index") {
  CHECK(test_draws());
}

TEST_CASE("no number draws the word of another") {
  std::set<std::uint32_t> seen;
  std::size_t drawn = 0;
  for (std::uint64_t index = 0; index < 100; ++index) {
    const initial_value at{.index = index, .seed = 5, .stream = 9};
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
      seen.insert(at.word(draw));
      ++drawn;
    }
  }
  // Of 2000 words of 32 bits two are the same once in 2100 seeds.
  CHECK(drawn == 2000);
  CHECK(seen.size() == drawn);
  std::printf("checked %zu draws\n", drawn);
}

TEST_CASE("what is drawn again lies within two deviations") {
  std::size_t beyond = 0;
  std::size_t same = 0;
  constexpr std::size_t count = 10'000;
  for (std::size_t i = 0; i < count; ++i) {
    const initial_value at{.index = i, .seed = 1, .stream = 2};
    const double drawn = at.normal();
    const double again = at.truncated_normal();
    CHECK(again >= -2);
    CHECK(again <= 2);
    beyond += drawn < -2 || drawn > 2 ? 1 : 0;
    same += drawn == again ? 1 : 0;
  }
  CHECK(beyond + same == count);
  // 4.55 % of a normal lie beyond; the deviation of the count is sqrt(n p (1 - p)) = 20.8.
  CHECK(beyond > 455 - 5 * 21);
  CHECK(beyond < 455 + 5 * 21);
  std::printf("checked %zu numbers, %zu drawn again\n", count, beyond);
}

}  // namespace
