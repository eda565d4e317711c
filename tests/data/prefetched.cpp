// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/generated.hpp>
#include <ipu_dsl/data/prefetched.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>

#include "data/first_source.hpp"
#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// 0, 1, 2, ... each with its remainder of three.
auto counted(std::int32_t samples) {
  std::vector<float> numbers;
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < samples; ++i) {
    numbers.push_back(static_cast<float>(i));
    labels.push_back(i % 3);
  }
  return zipped(feature_column<shape{1}>(std::move(numbers)), label_column<3>(std::move(labels)));
}

/// No `error`, and nothing that the library knows.
struct lost_number {
  int asked = 0;
};

/// One number a micro-batch, 1, 2, 3, ...; throws for every third, and from a number on waits until
/// it is stopped.
class stubborn_feed {
 public:
  explicit stubborn_feed(int waits_at) : waits_at_(waits_at) {}

  std::int32_t next(const feed_rows& rows, const stop_token& stop) {
    ++asked_;
    if (asked_ == waits_at_) {
      waits_.store(true);
      waits_.notify_all();
      std::uint32_t before = woken_.load();
      while (!stop.requested()) {
        woken_.wait(before);
        before = woken_.load();
      }
      return 0;
    }
    if (asked_ % 3 == 0) {
      throw lost_number{asked_};
    }
    rows.sources[0].floats(0)[0] = static_cast<float>(asked_);
    return 1;
  }

  void wake() noexcept {
    woken_.fetch_add(1);
    woken_.notify_all();
  }

  void restart() {}

  std::span<const source_form> sources() const { return forms; }

  std::optional<std::int64_t> length() const { return std::nullopt; }

  void wait_until_it_waits() const { waits_.wait(false); }

 private:
  static constexpr std::array<source_form, 1> forms{{{dtype::float32, 1}}};

  int asked_ = 0;
  int waits_at_;
  std::atomic<bool> waits_{false};
  std::atomic<std::uint32_t> woken_{0};
};

/// Room for a number of a micro-batch of one sample.
struct one_number {
  float number = -1;
  std::array<source_rows, 1> sources{{{dtype::float32, &number, 1, 1}}};
  feed_rows rows{sources, 1};
};

/// The next one of a feed of one number a sample.
template <typename Feed>
float first_number_behind(Feed& source, std::int32_t micro_batch) {
  std::vector<float> numbers(static_cast<std::size_t>(micro_batch));
  const std::array<source_rows, 1> to{{{dtype::float32, numbers.data(), 1, 1}}};
  CHECK(source.next({to, micro_batch}) == micro_batch);
  return numbers[0];
}

}  // namespace

TEST_CASE("what is read ahead are the numbers of the feed, pass after pass") {
  const auto data = counted(100);
  int compared = 0;
  for (const std::int32_t depth : {1, 3, 255}) {
    auto direct = make_feed(data | shuffled(30), 5);
    auto ahead = prefetched(data | shuffled(30), 5, {.depth = depth});
    CHECK(ahead.length() == 100);
    CHECK(ahead.sources().size() == 2);
    CHECK(ahead.waiting() == 0);
    for (int pass = 0; pass < 3; ++pass) {
      direct.restart();
      ahead.restart();
      const std::vector<float> expected = first_numbers_of(direct, 8);
      CHECK(expected.size() == 100);
      CHECK(first_numbers_of(ahead, 8) == expected);
      ++compared;
    }
  }
  CHECK(compared == 9);
}

TEST_CASE("data and feeds are referred to or taken in, and what is made may be moved") {
  const auto data = counted(20);
  const std::vector<float> expected = first_numbers(data);
  auto source = make_feed(data, 1);
  auto referring = prefetched(source);
  CHECK(first_numbers_of(referring, 4) == expected);
  auto owning = prefetched(make_feed(data, 1), {.depth = 2});
  auto moved = std::move(owning);
  CHECK(first_numbers_of(moved, 4) == expected);
  auto taken_in = prefetched(counted(20), 1);
  CHECK(first_numbers_of(taken_in, 4) == expected);
  auto named = prefetched(data, 1);
  CHECK(first_numbers_of(named, 4) == expected);
  static_assert(std::is_same_v<decltype(referring), prefetched_feed<feed_reference>>);
  static_assert(stoppable_feed<decltype(named)>);
}

TEST_CASE(
    "data that are read ahead go on where their reader stood, a shuffle half drawn included") {
  const auto data = counted(100);
  const auto order = data | shuffled(30) | repeated(2);
  int resumed = 0;
  for (std::int32_t behind = 0; behind <= 25; ++behind) {
    auto first = prefetched(order, 5, {.depth = 1 + behind % 4});
    first.restart();
    std::vector<float> numbers(8);
    const std::array<source_rows, 1> to{{{dtype::float32, numbers.data(), 1, 1}}};
    for (std::int32_t i = 0; i < behind; ++i) {
      first.next({to, 8});
    }
    const feed_position where = first.position();
    const std::vector<float> rest = first_numbers_of(first, 8);
    CHECK(rest.size() == static_cast<std::size_t>(200 - 8 * behind));
    auto second = prefetched(order, 5);
    second.go_to(where);
    CHECK(std::ranges::equal(second.position(), where));
    CHECK(first_numbers_of(second, 8) == rest);
    // Through another feed, and into the next pass.
    first.restart();
    auto third = mapped_batches(prefetched(make_feed(order, 5)), [](const feed_rows&, int) {});
    third.go_to(where);
    CHECK(first_numbers_of(third, 8) == rest);
    third.restart();
    CHECK(first_numbers_of(third, 8) == first_numbers_of(first, 8));
    ++resumed;
  }
  CHECK(resumed == 26);
  auto other = prefetched(data, 5);
  CHECK(sentence_of([&] { other.go_to(prefetched(order, 5).position()); }) ==
        "This is a position behind 2 steps of shuffled, repeated, take or skip, these data have 0. "
        "Hint: go on with the data that it was taken of.");
  auto direct = make_feed(data, 5);
  first_numbers_of(direct, 100);
  other.go_to(direct.position());
  CHECK(first_numbers_of(other, 8).empty());
}

TEST_CASE("a place that is refused changes nothing, and as long as nobody asks any size is taken") {
  const auto data = counted(100);
  const auto order = data | shuffled(30);
  const auto place = [&](std::int32_t size, std::int32_t taken) {
    auto direct = prefetched(order, 5);
    direct.restart();
    std::vector<float> numbers(8);
    const std::array<source_rows, 1> to{{{dtype::float32, numbers.data(), 1, 1}}};
    for (std::int32_t i = 0; i < taken; ++i) {
      CHECK(direct.next({to, size}) == size);
    }
    return direct.position();
  };
  auto direct = make_feed(order, 5);
  direct.restart();
  const std::vector<float> all = first_numbers_of(direct, 4);
  const auto rest = [&](std::size_t from) {
    return std::vector(all.begin() + static_cast<std::ptrdiff_t>(from), all.end());
  };
  auto ahead = prefetched(order, 5);
  ahead.go_to(place(8, 3));
  // Of another feed, and of a damaged file.
  auto other = prefetched(data, 5);
  first_numbers_of(other, 8);
  feed_position damaged = place(8, 3);
  damaged[2] = 0x7FFFFFFF;
  feed_position foreign = place(8, 3);
  foreign.push_back(0);
  const feed_position before = ahead.position();
  CHECK(sentence_of([&] { ahead.go_to(damaged); }) ==
        "This is no position in 100 samples: 3 micro-batches of 2147483647 are more.");
  CHECK(!sentence_of([&] { ahead.go_to(foreign); }).empty());
  CHECK(std::ranges::equal(ahead.position(), before));
  // Another size is refused before anything is skipped.
  std::vector<float> numbers(8);
  const std::array<source_rows, 1> to{{{dtype::float32, numbers.data(), 1, 1}}};
  CHECK(sentence_of([&] { ahead.next({to, 4}); }) ==
        "An infeed of micro-batches of 8 samples was asked for one of 4.");
  CHECK(std::ranges::equal(ahead.position(), before));
  // Nothing is made for a number that the data do not bound.
  auto endless = prefetched(order | repeated(), 5);
  auto reader = prefetched(order | repeated(), 5);
  CHECK(reader.next({to, 8}) == 8);
  feed_position bare = reader.position();
  REQUIRE(bare[1] == 1);
  bare[2] = 0x7FFFFFFF;
  endless.go_to(bare);
  CHECK(std::ranges::equal(endless.position(), bare));
  CHECK(sentence_of([&] { endless.next({to, 8}); }) ==
        "An infeed of micro-batches of 2147483647 samples was asked for one of 8.");
  endless.go_to(reader.position());
  CHECK(first_number_behind(endless, 8) == first_number_behind(reader, 8));
  ahead.go_to(place(4, 5));
  CHECK(first_numbers_of(ahead, 4) == rest(20));
  // A place that is refused first, and one that nothing was taken behind, fix no size.
  auto fresh = prefetched(order, 5);
  CHECK(!sentence_of([&] { fresh.go_to(foreign); }).empty());
  feed_position start = place(8, 0);
  start[2] = 8;
  fresh.go_to(start);
  CHECK(first_numbers_of(fresh, 4) == all);
  // Neither does what a session asks for behind the end.
  auto ended = prefetched(order, 5);
  first_numbers_of(direct, 8);
  ended.go_to(direct.position());
  CHECK(ended.next({to, 1}) == 0);
  ended.restart();
  CHECK(ended.next({to, 8}) == 8);
}

TEST_CASE("a pass that begins before anybody asks is of any size, behind a place of another too") {
  const auto order = counted(100) | shuffled(30) | repeated(2);
  std::vector<float> numbers(8);
  const std::array<source_rows, 1> to{{{dtype::float32, numbers.data(), 1, 1}}};
  int equal = 0;
  for (std::int32_t taken = 0; taken < 25; ++taken) {
    auto first = prefetched(order, 5);
    auto direct = make_feed(order, 5);
    for (std::int32_t i = 0; i < taken; ++i) {
      first.next({to, 8});
      direct.next({to, 8});
    }
    auto second = prefetched(order, 5);
    second.go_to(first.position());
    second.restart();
    direct.restart();
    CHECK(std::ranges::equal(second.position(), prefetched(direct).position()));
    equal += first_numbers_of(second, 4) == first_numbers_of(direct, 4) ? 1 : 0;
  }
  CHECK(equal == 25);
}

TEST_CASE("what a feed throws while it reads ahead is thrown in its place") {
  stubborn_feed source(-1);
  auto ahead = prefetched(source);
  int thrown = 0;
  for (int number = 1; number <= 30; ++number) {
    one_number found;
    try {
      const std::int32_t valid = ahead.next(found.rows);
      CHECK(valid == 1);
      CHECK(found.number == static_cast<float>(number));
      CHECK(number % 3 != 0);
    } catch (const lost_number& lost) {
      CHECK(lost.asked == number);
      ++thrown;
    }
  }
  CHECK(thrown == 10);
}

TEST_CASE("a stop reaches who waits for what is read ahead, before and behind the first element") {
  int stopped = 0;
  for (int i = 0; i < 60; ++i) {
    stubborn_feed source(i % 2 + 1);
    auto ahead = prefetched(source);
    std::atomic<bool> stop{false};
    const stop_token token{&stop, [](const void* asked) {
                             return static_cast<const std::atomic<bool>*>(asked)->load();
                           }};
    std::int32_t given = 0;
    std::thread reader([&] {
      one_number found;
      while (ahead.next(found.rows, token) == 1) {
        ++given;
      }
    });
    if (i % 3 != 0) {
      source.wait_until_it_waits();
    }
    stop = true;
    ahead.wake();
    reader.join();
    CHECK(given <= i % 2);
    ++stopped;
  }
  CHECK(stopped == 60);
}

TEST_CASE("what is read ahead may end at any time, and is refused with a sentence") {
  const auto data = counted(100);
  int ended = 0;
  for (int i = 0; i < 100; ++i) {
    auto ahead = prefetched(data | repeated(), 1, {.depth = 1 + i % 4});
    std::vector<float> numbers(4);
    const std::array<source_rows, 1> to{{{dtype::float32, numbers.data(), 1, 1}}};
    for (int taken = 0; taken < i % 5; ++taken) {
      CHECK(ahead.next({to, 4}) == 4);
      CHECK(numbers[3] == static_cast<float>((4 * taken + 3) % 100));
    }
    ++ended;
  }
  CHECK(ended == 100);
  stubborn_feed mute(-1);
  auto placeless = mapped_batches(prefetched(mute), [](const feed_rows&, int) {});
  CHECK(!feed_reference(placeless).has_position());
  auto unplaced = prefetched(mute);
  const std::string refusal =
      "This feed does not say where it stands: it has no position() and go_to(...); see "
      "placed_feed.";
  CHECK(sentence_of([&] { unplaced.position(); }) == refusal);
  CHECK(sentence_of([&] { unplaced.go_to({}); }) == refusal);
  CHECK(sentence_of([&] { prefetched(data, 1, {.depth = 0}); }) ==
        "An infeed has a depth of 1 to 255 elements, got 0.");
  auto ahead = prefetched(data, 1);
  one_number found;
  CHECK(ahead.next(found.rows) == 1);
  const feed_rows other{found.sources, 2};
  CHECK(sentence_of([&] { ahead.next(other); }) ==
        "An infeed of micro-batches of 1 sample was asked for one of 2.");

  using source = decltype(make_feed(data, 1));
  CHECK(prefetched_fault_of<decltype(data)>::value.message().view() ==
        "prefetched: expected data and a seed, or a feed, got data without a seed. Hint: write "
        "prefetched(data | shuffled(1000), 1)");
  CHECK(prefetched_fault_of<source&, int>::value.message().view() ==
        "prefetched: expected data and a seed, or a feed, got something else behind a feed, which "
        "has its seed. Hint: write prefetched(source) or prefetched(source, {.depth = 3})");
  CHECK(prefetched_fault_of<const source&>::value.message().view().find("got a constant feed") !=
        std::string_view::npos);
}
