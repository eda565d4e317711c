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
#include <vector>

#include <ipu_dsl/queues/infeed_queue.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr std::int32_t micro_batch = 4;

/// What a feed of numbers throws: no `error`, and not even anything that the library knows.
struct lost_number {
  std::int32_t number = 0;
};

/// Gives 0, 1, 2, ... as a float and as an integer, `length` numbers a pass; a pass begins at its
/// own number of thousands. Breaks once before a number.
class numbers_feed {
 public:
  explicit numbers_feed(std::int32_t length) : length_(length) {}

  void break_before(std::int32_t number) { broken_ = number; }

  std::int32_t next(const feed_rows& rows) {
    asked_.fetch_add(1);
    if (broken_ == position_) {
      broken_ = -1;
      throw lost_number{position_};
    }
    std::int32_t valid = 0;
    for (; valid < rows.micro_batch && position_ < length_; ++valid, ++position_) {
      const std::int32_t number = 1000 * pass_.load() + position_;
      rows.sources[0].floats(valid)[0] = static_cast<float>(number);
      rows.sources[0].floats(valid)[1] = -static_cast<float>(number);
      rows.sources[1].integers(valid)[0] = number;
    }
    return valid;
  }

  void restart() {
    pass_.fetch_add(1);
    position_ = 0;
  }

  std::span<const source_form> sources() const { return forms; }

  std::optional<std::int64_t> length() const { return length_; }

  feed_position position() const {
    return {static_cast<std::uint64_t>(pass_.load()), static_cast<std::uint64_t>(position_)};
  }

  void go_to(list_view<std::uint64_t> where) {
    if (where.size() != 2) {
      throw error("This is no position in numbers.");
    }
    pass_.store(static_cast<std::int32_t>(where[0]));
    position_ = static_cast<std::int32_t>(where[1]);
  }

  /// How often it was asked; from any thread.
  int asked() const { return asked_.load(); }

 private:
  static constexpr std::array<source_form, 2> forms{{{dtype::float32, 2}, {dtype::int32, 1, 9999}}};

  std::int32_t length_;
  std::int32_t broken_ = -1;
  std::int32_t position_ = 0;
  std::atomic<std::int32_t> pass_{0};
  std::atomic<int> asked_{0};
};

/// Rows as a session has them: floats padded.
struct session_rows {
  std::vector<float> floats = std::vector<float>(micro_batch * 8, 77.0F);
  std::vector<std::int32_t> integers = std::vector<std::int32_t>(micro_batch, 77);
  std::array<source_rows, 2> sources{
      {{dtype::float32, floats.data(), 2, 8}, {dtype::int32, integers.data(), 1, 1}}};
  feed_rows rows{sources, micro_batch};
};

/// The first `valid` rows are the numbers from `first` on, everything else is zero.
bool holds_numbers(const session_rows& found, std::int32_t first, std::int32_t valid) {
  bool equal = true;
  for (std::int32_t row = 0; row < micro_batch; ++row) {
    const std::int32_t number = row < valid ? first + row : 0;
    const float* const floats = found.floats.data() + row * 8;
    equal = equal && found.integers[static_cast<std::size_t>(row)] == number;
    equal = equal && floats[0] == static_cast<float>(number);
    equal = equal && floats[1] == -static_cast<float>(number);
    for (int i = 2; i < 8; ++i) {
      equal = equal && floats[i] == 0;
    }
  }
  return equal;
}

void wait_until_asked(const numbers_feed& source, int times) {
  while (source.asked() < times) {
    std::this_thread::yield();
  }
}

}  // namespace

TEST_CASE("an infeed gives what its feed gives, in order, to the end and behind it") {
  int elements = 0;
  for (const std::int32_t depth : {1, 2, 3, 255}) {
    numbers_feed source(90);
    infeed_queue infeed(source, {.micro_batch = micro_batch, .depth = depth});
    CHECK(infeed.length() == 90);
    CHECK(infeed.sources().size() == 2);
    for (std::int32_t first = 0; first < 90; first += micro_batch) {
      session_rows found;
      const std::int32_t valid = first == 88 ? 2 : micro_batch;
      REQUIRE(infeed.next(found.rows) == valid);
      CHECK(holds_numbers(found, first, valid));
      ++elements;
    }
    for (int behind = 0; behind < 3; ++behind) {
      session_rows found;
      CHECK(infeed.next(found.rows) == 0);
      CHECK(holds_numbers(found, 0, 0));
    }
    session_rows one;
    CHECK(infeed.next({one.sources, 1}) == 0);
    CHECK(one.floats[0] == 0);
    CHECK(one.floats[8] == 77.0F);
  }
  CHECK(elements == 4 * 23);
}

TEST_CASE("an infeed in front of an infeed gives what one gives") {
  numbers_feed source(90);
  source.break_before(40);
  infeed_queue behind(source, {.micro_batch = micro_batch, .depth = 2});
  infeed_queue infeed(behind, {.micro_batch = micro_batch, .depth = 3});
  CHECK(infeed.length() == 90);
  session_rows found;
  for (std::int32_t first = 0; first < 40; first += micro_batch) {
    REQUIRE(infeed.next(found.rows) == micro_batch);
    CHECK(holds_numbers(found, first, micro_batch));
  }
  CHECK_THROWS_AS(infeed.next(found.rows), lost_number);
  REQUIRE(infeed.next(found.rows) == micro_batch);
  CHECK(holds_numbers(found, 40, micro_batch));
  const feed_position here = infeed.position();
  infeed.restart();
  REQUIRE(infeed.next(found.rows) == micro_batch);
  CHECK(holds_numbers(found, 1000, micro_batch));
  infeed.go_to(here);
  REQUIRE(infeed.next(found.rows) == micro_batch);
  CHECK(holds_numbers(found, 44, micro_batch));
}

TEST_CASE("an infeed is ahead by its depth and no further") {
  numbers_feed source(1000);
  infeed_queue infeed(source, {.micro_batch = micro_batch});
  CHECK(infeed.depth() == 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(source.asked() == 0);
  session_rows found;
  infeed.next(found.rows);
  CHECK(holds_numbers(found, 0, micro_batch));
  wait_until_asked(source, 4);
  while (infeed.waiting() < 3) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(source.asked() == 4);
}

TEST_CASE("an infeed begins the next pass when it is told, wherever it is") {
  numbers_feed source(1000);
  infeed_queue infeed(source, {.micro_batch = micro_batch, .depth = 5});
  int elements = 0;
  for (std::int32_t pass = 1; pass <= 50; ++pass) {
    infeed.restart();
    for (std::int32_t taken = 0; taken < pass % 7; ++taken) {
      session_rows found;
      REQUIRE(infeed.next(found.rows) == micro_batch);
      CHECK(holds_numbers(found, 1000 * pass + taken * micro_batch, micro_batch));
      ++elements;
    }
  }
  CHECK(elements == 7 * (1 + 2 + 3 + 4 + 5 + 6) + 1);
}

TEST_CASE("what a feed throws comes in the place of its element, and asking again asks it again") {
  numbers_feed source(40);
  source.break_before(12);
  infeed_queue infeed(source, {.micro_batch = micro_batch});
  int thrown = 0;
  for (std::int32_t first = 0; first < 40;) {
    session_rows found;
    try {
      const std::int32_t valid = infeed.next(found.rows);
      REQUIRE(valid == micro_batch);
      CHECK(holds_numbers(found, first, micro_batch));
      first += micro_batch;
    } catch (const lost_number& lost) {
      CHECK(lost.number == 12);
      CHECK(first == 12);
      ++thrown;
    }
  }
  CHECK(thrown == 1);
}

namespace {

/// Takes whole elements, each of which must be the next.
void take(infeed_queue& infeed, std::int32_t first, std::int32_t elements) {
  for (std::int32_t i = 0; i < elements; ++i) {
    session_rows found;
    REQUIRE(infeed.next(found.rows) == micro_batch);
    REQUIRE(holds_numbers(found, first + i * micro_batch, micro_batch));
  }
}

}  // namespace

TEST_CASE("an infeed stands where its reader does, and goes on there") {
  int resumed = 0;
  for (const std::int32_t depth : {1, 3, 255}) {
    numbers_feed source(1000);
    infeed_queue infeed(source, {.micro_batch = micro_batch, .depth = depth});
    infeed.restart();
    for (std::int32_t taken = 0; taken < 40; ++taken) {
      // Saved now and then, so that anchors are old, near and not yet there.
      if (taken % 3 != 2) {
        const feed_position where = infeed.position();
        numbers_feed fresh(1000);
        infeed_queue behind(fresh, {.micro_batch = micro_batch, .depth = 1 + taken % 5});
        behind.go_to(where);
        CHECK(std::ranges::equal(behind.position(), where));
        take(behind, 1000 + taken * micro_batch, 7);
        ++resumed;
      }
      take(infeed, 1000 + taken * micro_batch, 1);
    }
  }
  CHECK(resumed == 3 * 27);
}

TEST_CASE("who goes on makes again what was taken since the last but one saving") {
  numbers_feed source(1000);
  infeed_queue infeed(source, {.micro_batch = micro_batch});
  feed_position where;
  for (std::int32_t saving = 0; saving < 5; ++saving) {
    take(infeed, saving * 10 * micro_batch, 10);
    where = infeed.position();
  }
  numbers_feed fresh(1000);
  infeed_queue behind(fresh, {.micro_batch = micro_batch, .depth = 1});
  behind.go_to(where);
  take(behind, 50 * micro_batch, 1);
  // What was taken between two savings, what waited, and what is read ahead.
  CHECK(fresh.asked() <= 10 + 3 + 2);
}

TEST_CASE(
    "an infeed goes on at the end of a pass, and begins the next one as if it had been there") {
  int passes = 0;
  for (const std::int32_t taken : {0, 1, 24, 25}) {
    numbers_feed source(100);
    infeed_queue infeed(source, {.micro_batch = micro_batch});
    take(infeed, 0, taken);
    session_rows found;
    if (taken == 25) {
      CHECK(infeed.next(found.rows) == 0);
    }
    const feed_position where = infeed.position();
    numbers_feed fresh(100);
    infeed_queue behind(fresh, {.micro_batch = micro_batch});
    behind.go_to(where);
    behind.restart();
    take(behind, 1000, 25);
    CHECK(behind.next(found.rows) == 0);
    // Whoever is put elsewhere in the midst of a pass forgets what waits.
    behind.go_to(where);
    take(behind, taken * micro_batch, 25 - taken);
    CHECK(behind.next(found.rows) == 0);
    ++passes;
  }
  CHECK(passes == 4);
}

TEST_CASE("a place that is none is refused, and the infeed stays where it is") {
  numbers_feed source(1000);
  infeed_queue infeed(source, {.micro_batch = micro_batch});
  CHECK(infeed.has_position());
  take(infeed, 0, 3);
  const feed_position where = infeed.position();
  const auto refusal = [&](const feed_position& other) {
    return sentence_of([&] { infeed.go_to(other); });
  };
  const std::string none = "This is no position behind an infeed.";
  CHECK(refusal({where[0]}) == none);
  CHECK(refusal({where[0], 1, 0, 0, 12}) == none);
  CHECK(refusal({where[0], std::uint64_t{1} << 40, 4, 0, 12}) == none);
  CHECK(refusal({}) == "This is no position in numbers.");
  CHECK(refusal({where[0], 1, 8, 0, 0}) ==
        "This is a position behind an infeed of micro-batches of 8 samples, got one of 4.");
  CHECK(refusal({where[0], 0, 4, 7}) == "This is no position in numbers.");
  take(infeed, 3 * micro_batch, 5);
  infeed.go_to(where);
  // Another size is refused before the feed is asked for what is to be skipped.
  numbers_feed fresh(1000);
  infeed_queue behind(fresh, {.micro_batch = micro_batch});
  behind.go_to(where);
  session_rows found;
  CHECK(sentence_of([&] { behind.next({found.sources, 3}); }) ==
        "An infeed of micro-batches of 4 samples was asked for one of 3.");
  CHECK(fresh.asked() == 0);
  take(behind, 3 * micro_batch, 5);
  take(infeed, 3 * micro_batch, 5);
  // That of a feed which had no queue in front of it.
  infeed.go_to(feed_position{2, 40});
  take(infeed, 2040, 5);
}

namespace {

/// Gives nothing until it is told to stop.
class silent_feed {
 public:
  std::int32_t next(const feed_rows&, const stop_token& stop) {
    asked_.store(true);
    asked_.notify_all();
    std::uint32_t before = woken_.load();
    while (!stop.requested()) {
      woken_.wait(before);
      before = woken_.load();
    }
    return 0;
  }

  void wake() noexcept {
    woken_.fetch_add(1);
    woken_.notify_all();
  }

  void restart() {}

  std::span<const source_form> sources() const { return forms; }

  std::optional<std::int64_t> length() const { return std::nullopt; }

  void wait_until_asked() const { asked_.wait(false); }

 private:
  static constexpr std::array<source_form, 1> forms{{{dtype::float32, 2}}};

  std::atomic<std::uint32_t> woken_{0};
  std::atomic<bool> asked_{false};
};

}  // namespace

TEST_CASE("a stop reaches whoever waits at an infeed, and its end a feed that waits") {
  int stopped = 0;
  for (int i = 0; i < 50; ++i) {
    silent_feed source;
    infeed_queue infeed(source, {.micro_batch = micro_batch});
    std::atomic<bool> stop{false};
    const stop_token token{&stop, [](const void* asked) {
                             return static_cast<const std::atomic<bool>*>(asked)->load();
                           }};
    std::atomic<std::int32_t> valid{-1};
    std::thread reader([&] {
      session_rows found;
      valid = infeed.next({std::span(found.sources).first(1), micro_batch}, token);
    });
    source.wait_until_asked();
    if (i % 2 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    stop = true;
    infeed.wake();
    reader.join();
    CHECK(valid == 0);
    infeed.restart();
    ++stopped;
  }
  CHECK(stopped == 50);
}

TEST_CASE("an infeed may end at any time") {
  int ended = 0;
  for (int i = 0; i < 200; ++i) {
    numbers_feed source(1000);
    infeed_queue infeed(source, {.micro_batch = micro_batch, .depth = 1 + i % 4});
    for (int taken = 0; taken < i % 5; ++taken) {
      session_rows found;
      infeed.next(found.rows);
    }
    ++ended;
  }
  CHECK(ended == 200);
}

TEST_CASE("an infeed of what is none is refused") {
  numbers_feed source(8);
  const auto refusal = [&](const infeed_options& options) {
    return sentence_of([&] { infeed_queue infeed(source, options); });
  };
  CHECK(refusal({.micro_batch = 4, .depth = 0}) ==
        "An infeed has a depth of 1 to 255 elements, got 0.");
  CHECK(refusal({.micro_batch = 4, .depth = 256}) ==
        "An infeed has a depth of 1 to 255 elements, got 256.");
  CHECK(refusal({}) ==
        "An element of an infeed has at least 1 sample, got 0. Hint: say the model's micro-batch, "
        "{.micro_batch = 32}.");
  silent_feed mute;
  infeed_queue before(mute, {.micro_batch = 2});
  CHECK(!before.has_position());
  CHECK(!feed_reference(before).has_position());
  const std::string placeless =
      "This feed does not say where it stands: it has no position() and go_to(...); see "
      "placed_feed.";
  CHECK(sentence_of([&] { before.position(); }) == placeless);
  CHECK(sentence_of([&] { before.go_to({}); }) == placeless);
  before.restart();
  CHECK(sentence_of([&] { before.position(); }) == placeless);
  CHECK(feed_reference(source).has_position());
  infeed_queue infeed(source, {.micro_batch = 2});
  session_rows found;
  CHECK(sentence_of([&] { infeed.next(found.rows); }) ==
        "An infeed of micro-batches of 2 samples was asked for one of 4.");
}
