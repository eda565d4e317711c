// SPDX-License-Identifier: MIT
// Tests of data/index_stream.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <vector>

#include <ipu_dsl/data/index_stream.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using indices = std::vector<std::uint32_t>;

index_stream stream_of(std::int64_t samples, std::initializer_list<transformation> steps,
                       std::uint64_t seed = 1) {
  return index_stream(samples, std::span(steps.begin(), steps.size()), seed);
}

/// What comes next, at most `count` numbers.
indices pulled(index_stream& stream, std::size_t count) {
  indices numbers;
  std::uint32_t index = 0;
  while (numbers.size() < count && stream.next(index)) {
    numbers.push_back(index);
  }
  return numbers;
}

indices all_of(std::int64_t samples, std::initializer_list<transformation> steps,
               std::uint64_t seed = 1) {
  index_stream stream = stream_of(samples, steps, seed);
  return pulled(stream, 1000);
}

indices counting(std::uint32_t first, std::uint32_t last) {
  indices numbers(last - first);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

indices sorted(indices numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST_CASE("without steps, all samples come in order, once") {
  index_stream stream = stream_of(5, {});
  CHECK(stream.length() == 5);
  CHECK(pulled(stream, 100) == counting(0, 5));
  CHECK(pulled(stream, 100).empty());
  stream.restart();
  CHECK(pulled(stream, 100) == counting(0, 5));
}

TEST_CASE("take, skip and repeated do what their names say") {
  CHECK(all_of(5, {take(2)}) == indices{0, 1});
  CHECK(all_of(5, {take(9)}) == counting(0, 5));
  CHECK(all_of(5, {skip(3)}) == indices{3, 4});
  CHECK(all_of(5, {skip(9)}).empty());
  CHECK(all_of(2, {repeated(3)}) == indices{0, 1, 0, 1, 0, 1});
  CHECK(all_of(2, {repeated(0)}).empty());
  CHECK(all_of(2, {repeated()}).size() == 1000);
}

TEST_CASE("the order of the steps counts") {
  CHECK(all_of(3, {take(2), repeated(2)}) == indices{0, 1, 0, 1});
  CHECK(all_of(3, {repeated(2), take(2)}) == indices{0, 1});
  CHECK(all_of(3, {skip(1), repeated(2)}) == indices{1, 2, 1, 2});
  CHECK(all_of(3, {repeated(2), skip(1)}) == indices{1, 2, 0, 1, 2});
  CHECK(all_of(3, {repeated(), skip(4), take(3)}) == indices{1, 2, 0});
  CHECK(all_of(2, {repeated(2), repeated(2)}) == indices{0, 1, 0, 1, 0, 1, 0, 1});
}

TEST_CASE("what is skipped before a shuffle is not walked through") {
  constexpr std::int64_t trillion = 1'000'000'000'000;
  // 10^12 is 1 modulo 7 and 0 modulo 5 and 20.
  CHECK(all_of(7, {repeated(), skip(trillion), take(3)}) == indices{1, 2, 3});
  CHECK(all_of(7, {skip(2), repeated(), skip(trillion), take(2)}) == indices{2, 3});
  CHECK(all_of(7, {repeated(3), take(20), repeated(), skip(trillion), take(3)}) ==
        indices{0, 1, 2});
  CHECK(all_of(7, {repeated(trillion), skip(7 * trillion - 2)}) == indices{5, 6});
  CHECK(all_of(7, {repeated(trillion), skip(7 * trillion)}).empty());
  CHECK(all_of(0, {repeated(), skip(trillion)}).empty());
}

TEST_CASE("skipping by numbers is skipping one by one") {
  std::size_t checked = 0;
  for (const std::int64_t samples : {0, 1, 3, 7}) {
    for (const transformation& first : {take(2), skip(2), repeated(0), repeated(3), repeated()}) {
      for (const transformation& second : {take(11), skip(1), repeated(2), repeated()}) {
        const indices whole = all_of(samples, {first, second, take(90)});
        for (std::size_t skipped = 0; skipped < 50; ++skipped) {
          const auto count = static_cast<std::int64_t>(skipped);
          const std::size_t begin = (std::min)(skipped, whole.size());
          const indices rest(whole.begin() + static_cast<std::ptrdiff_t>(begin), whole.end());
          CHECK(all_of(samples, {first, second, take(90), skip(count)}) == rest);
          index_stream stream = stream_of(samples, {first, second, skip(count), take(20)});
          indices front = rest;
          front.resize((std::min)(front.size(), std::size_t{20}));
          CHECK(pulled(stream, 1000) == front);
          stream.restart();
          CHECK(pulled(stream, 1000) == front);
          checked += 3;
        }
      }
    }
  }
  CHECK(checked == 4 * 5 * 4 * 50 * 3);
}

TEST_CASE("a skip that would draw for hours is refused") {
  const auto skipping = [](std::int64_t count) {
    return tests::sentence_of([&] { stream_of(20, {shuffled(5), repeated(), skip(count)}); });
  };
  CHECK(skipping(std::int64_t{1} << 32).empty());
  CHECK(skipping(1'000'000'000'000) ==
        "skip(1000000000000) behind shuffled draws as many samples; expected at most 4294967296. "
        "Hint: skip before shuffled");
}

TEST_CASE("nothing stays nothing, even without end") {
  CHECK(all_of(0, {}).empty());
  CHECK(all_of(0, {shuffled(4), repeated()}).empty());
  CHECK(all_of(3, {take(0), repeated()}).empty());
  CHECK(all_of(3, {repeated(), take(0)}).empty());
}

TEST_CASE("what comes out is as long as length says") {
  int checked = 0;
  for (std::int64_t samples = 0; samples < 6; ++samples) {
    for (std::int64_t count = 0; count < 4; ++count) {
      for (const transformation& first : {take(count), skip(count), repeated(count), shuffled(3)}) {
        for (const transformation& second :
             {take(count), skip(count), repeated(count), shuffled(2)}) {
          index_stream stream = stream_of(samples, {first, second});
          CHECK(stream.length() == static_cast<std::int64_t>(pulled(stream, 1000).size()));
          ++checked;
        }
      }
    }
  }
  CHECK(checked == 6 * 4 * 4 * 4);
  WARN("checked " << checked << " chains of two steps");
}

TEST_CASE("shuffled gives every sample once in every pass, each pass in an order of its own") {
  int checked = 0;
  for (const std::int64_t buffer : {1, 2, 7, 50, 1000}) {
    index_stream stream = stream_of(50, {shuffled(buffer), repeated()});
    indices before = pulled(stream, 50);
    CHECK(sorted(before) == counting(0, 50));
    for (int pass = 1; pass < 5; ++pass) {
      const indices now = pulled(stream, 50);
      CHECK(sorted(now) == counting(0, 50));
      CHECK((now == before) == (buffer == 1));
      before = now;
      ++checked;
    }
  }
  CHECK(checked == 20);
}

TEST_CASE("a buffer of one slot changes nothing") {
  CHECK(all_of(9, {shuffled(1)}) == counting(0, 9));
}

TEST_CASE("a sample comes at most the buffer's size too early") {
  int checked = 0;
  for (const std::uint32_t buffer : {2U, 5U, 20U}) {
    const indices numbers = all_of(200, {shuffled(buffer)});
    REQUIRE(numbers.size() == 200);
    for (std::uint32_t position = 0; position < 200; ++position) {
      CHECK(numbers[position] < position + buffer);
      ++checked;
    }
  }
  CHECK(checked == 600);
}

TEST_CASE("shuffled behind repeated mixes the passes") {
  const indices numbers = all_of(4, {repeated(2), shuffled(8)}, 3);
  CHECK(sorted(numbers) == indices{0, 0, 1, 1, 2, 2, 3, 3});
  int seeds_that_mix = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const indices mixed = all_of(4, {repeated(2), shuffled(8)}, seed);
    seeds_that_mix += sorted({mixed.begin(), mixed.begin() + 4}) != counting(0, 4) ? 1 : 0;
  }
  CHECK(seeds_that_mix > 10);
}

TEST_CASE("the seed decides the order, and restart gives another") {
  CHECK(all_of(50, {shuffled(50)}, 1) == all_of(50, {shuffled(50)}, 1));
  CHECK(all_of(50, {shuffled(50)}, 1) != all_of(50, {shuffled(50)}, 2));
  index_stream stream = stream_of(50, {shuffled(50)});
  const indices first = pulled(stream, 100);
  stream.restart();
  const indices second = pulled(stream, 100);
  CHECK(first != second);
  CHECK(sorted(second) == counting(0, 50));
}

TEST_CASE("restart in the middle of a pass begins a whole one") {
  index_stream stream = stream_of(20, {skip(2), shuffled(5), take(15), repeated(2)});
  CHECK(pulled(stream, 11).size() == 11);
  stream.restart();
  CHECK(pulled(stream, 1000).size() == 30);
  index_stream whole = stream_of(20, {skip(2), shuffled(5)});
  CHECK(pulled(whole, 11).size() == 11);
  whole.restart();
  CHECK(sorted(pulled(whole, 1000)) == counting(2, 20));
}

TEST_CASE("two shuffles of one chain draw from different numbers") {
  const indices once = all_of(50, {shuffled(50)});
  indices twice_by_hand(50);
  for (std::size_t i = 0; i < 50; ++i) {
    twice_by_hand[i] = once[once[i]];
  }
  CHECK(all_of(50, {shuffled(50), shuffled(50)}) != twice_by_hand);
  CHECK(sorted(all_of(50, {shuffled(50), shuffled(50)})) == counting(0, 50));
}

// The orders hold the generator, its stream numbers and the rule of the buffer in place. A second
// implementation, written in Python from the comments alone, gives the same.
TEST_CASE("the order of a seed never changes") {
  CHECK(all_of(10, {shuffled(10)}, 42) == indices{6, 8, 4, 5, 0, 2, 3, 9, 7, 1});
  CHECK(all_of(10, {shuffled(3)}, 42) == indices{1, 3, 2, 5, 0, 4, 8, 6, 9, 7});
}

TEST_CASE("every sample has the same chance of every place") {
  constexpr std::size_t samples = 5;
  constexpr int passes = 10000;
  int counts[samples][samples] = {};
  index_stream stream = stream_of(samples, {shuffled(samples), repeated(passes)});
  for (int pass = 0; pass < passes; ++pass) {
    const indices numbers = pulled(stream, samples);
    REQUIRE(numbers.size() == samples);
    for (std::size_t place = 0; place < samples; ++place) {
      ++counts[place][numbers[place]];
    }
  }
  int checked = 0;
  for (const auto& place : counts) {
    for (const int count : place) {
      // 2000 expected, standard deviation 40: five of them are never left by chance.
      CHECK(std::abs(count - 2000) < 200);
      ++checked;
    }
  }
  CHECK(checked == 25);
  WARN("checked " << checked << " frequencies over " << passes << " passes");
}

/// Chains of every kind of step, with and without an end.
const std::vector<std::vector<transformation>>& chains() {
  static const std::vector<std::vector<transformation>> all = {
      {},
      {shuffled(4)},
      {shuffled(100), repeated()},
      {repeated(3), shuffled(5)},
      {skip(2), shuffled(3), repeated(2), take(17)},
      {shuffled(3), skip(2), repeated()},
      {take(7), repeated(), shuffled(9), shuffled(2)},
  };
  return all;
}

TEST_CASE("a stream goes on where another one stood, whatever its steps") {
  int compared = 0;
  for (const std::vector<transformation>& steps : chains()) {
    for (const std::size_t behind : {0U, 1U, 5U, 10U, 11U, 16U, 40U}) {
      index_stream first(10, steps, 7);
      pulled(first, 4);
      first.restart();
      pulled(first, behind);
      index_stream second(10, steps, 7);
      pulled(second, 3);
      second.go_to(first.position());
      CHECK(pulled(second, 35) == pulled(first, 35));
      first.restart();
      second.restart();
      CHECK(pulled(second, 35) == pulled(first, 35));
      ++compared;
    }
  }
  CHECK(compared == 49);
}

TEST_CASE("what is no position in these samples is refused, and nothing is changed") {
  const std::vector<transformation> steps = {shuffled(4), repeated()};
  index_stream stream(10, steps, 7);
  pulled(stream, 6);
  const list<std::uint64_t> where = stream.position();
  const indices behind = pulled(stream, 20);
  stream.go_to(where);
  const auto said = [&](std::int64_t samples, const std::vector<transformation>& other,
                        std::uint64_t seed) {
    return tests::sentence_of([&] { index_stream(samples, other, seed).go_to(where); });
  };
  CHECK(said(11, steps, 7) ==
        "This is a position in data of 10 samples, these have 11. Hint: go on with the data that "
        "it was taken of.");
  CHECK(said(10, {shuffled(4)}, 7) ==
        "This is a position behind 2 steps of shuffled, repeated, take or skip, these data have 1. "
        "Hint: go on with the data that it was taken of.");
  CHECK(said(10, steps, 8) == "This is a position in data of the seed 7, these have the seed 8.");
  CHECK(said(10, {shuffled(5), repeated()}, 7) ==
        "This is a position in other data: step 1 of shuffled, repeated, take or skip is another.");
  // Words that lie: refused, or a stream that gives samples there are.
  int refused = 0;
  int taken = 0;
  for (std::size_t word = 0; word < where.size(); ++word) {
    for (const std::uint64_t lie : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{10},
                                    std::uint64_t{11} << 32, ~std::uint64_t{0}}) {
      list<std::uint64_t> changed = where;
      changed[word] = lie;
      index_stream other(10, steps, 7);
      if (tests::sentence_of([&] { other.go_to(changed); }).empty()) {
        for (const std::uint32_t index : pulled(other, 30)) {
          CHECK(index < 10);
        }
        ++taken;
      } else {
        index_stream untouched(10, steps, 7);
        CHECK(pulled(other, 20) == pulled(untouched, 20));
        ++refused;
      }
    }
  }
  CHECK(refused > 20);
  CHECK(taken > 5);
  for (std::size_t words = 0; words < where.size(); ++words) {
    CHECK(!tests::sentence_of([&] { stream.go_to({where.data(), words}); }).empty());
  }
  CHECK(pulled(stream, 20) == behind);
}

}  // namespace

TEST_CASE("a shuffle takes no more slots than a gigabyte holds, unless there are as many samples") {
  CHECK_THROWS_WITH(
      stream_of(10, {repeated(), shuffled(268'435'457)}),
      "shuffled(268435457) takes 268435457 slots for 10 samples; expected at most 268435456. Hint: "
      "as many slots as samples give every order the same chance");
  CHECK_THROWS_WITH(
      stream_of(1'000, {repeated(1'000'000), shuffled(4'294'967'295)}),
      "shuffled(4294967295) takes 1000000000 slots for 1000 samples; expected at most 268435456. "
      "Hint: as many slots as samples give every order the same chance");
  CHECK(sorted(all_of(10, {shuffled(4'294'967'295)})) == counting(0, 10));
  CHECK(all_of(10, {repeated(), shuffled(1'000'000), take(3)}).size() == 3);
}

TEST_CASE("more samples than 32 bits number, or fewer than none, are refused") {
  CHECK_THROWS_WITH(index_stream(std::int64_t{1} << 32, {}, 1),
                    "A data set has 0 to 4294967295 samples, got 4294967296.");
  CHECK_THROWS_WITH(index_stream(-1, {}, 1), "A data set has 0 to 4294967295 samples, got -1.");
  CHECK(index_stream(0, {}, 1).length() == 0);
}
