// SPDX-License-Identifier: MIT
// Tests of core/feed.hpp.
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <ipu_dsl/core/feed.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

/// Three samples of one number: 1, 2, 3.
struct three_numbers {
  static constexpr source_form forms[] = {{.elements = 1}};

  std::int32_t given = 0;

  std::int32_t next(const feed_rows& rows) {
    std::int32_t valid = 0;
    while (valid < rows.micro_batch && given < 3) {
      ++given;
      rows.sources[0].floats(valid)[0] = static_cast<float>(given);
      ++valid;
    }
    return valid;
  }

  constexpr void restart() { given = 0; }

  std::span<const source_form> sources() const { return forms; }

  constexpr std::optional<std::int64_t> length() const { return 3; }
};

struct without_restart {
  std::int32_t next(const feed_rows&);
  std::span<const source_form> sources() const;
  std::optional<std::int64_t> length() const;
};

/// The same, and where it stands.
struct placed_numbers : three_numbers {
  feed_position position() const { return {static_cast<std::uint64_t>(given)}; }

  void go_to(list_view<std::uint64_t> where) { given = static_cast<std::int32_t>(where[0]); }
};

static_assert(placed_feed<placed_numbers>);
static_assert(!placed_feed<three_numbers>);
// It does not know of what it refers to.
static_assert(!placed_feed<feed_reference>);
static_assert(feed<three_numbers>);
static_assert(feed<feed_reference>);
static_assert(!feed<without_restart>);
static_assert(!feed<int>);

TEST_CASE("a feed that writes a source which nobody asks for is told so") {
  float numbers[2] = {};
  const source_rows asked[] = {{.first = numbers, .elements = 2, .stride = 2}};
  const feed_rows rows{.sources = asked, .micro_batch = 1};
  rows.sources[0].floats(0)[1] = 1;
  CHECK(numbers[1] == 1);
  CHECK(tests::sentence_of([&] { rows.sources[1].floats(0)[0] = 1; }) ==
        "A feed was asked for 1 source and writes rows.sources[1]: predict asks for the inputs of "
        "a model alone. Hint: write the targets if (rows.sources.size() > 1)");
}

TEST_CASE("feed_reference says where a feed stands, if the feed does, and puts it there") {
  three_numbers plain;
  feed_reference placeless = plain;
  CHECK(!placeless.has_position());
  const std::string refusal =
      "This feed does not say where it stands: it has no position() and go_to(...); see "
      "placed_feed.";
  CHECK(tests::sentence_of([&] { placeless.position_of_feed(); }) == refusal);
  CHECK(tests::sentence_of([&] { placeless.put_feed_at({}); }) == refusal);
  placed_numbers numbers;
  feed_reference any = numbers;
  REQUIRE(any.has_position());
  numbers.given = 2;
  const feed_position where = any.position_of_feed();
  REQUIRE(where.size() == 1);
  CHECK(where[0] == 2);
  any.restart();
  CHECK(numbers.given == 0);
  any.put_feed_at(where);
  CHECK(numbers.given == 2);
}

TEST_CASE("feed_reference passes everything on") {
  three_numbers numbers;
  feed_reference any = numbers;
  CHECK(any.sources().size() == 1);
  CHECK(any.sources()[0].elements == 1);
  CHECK(any.length() == 3);
  std::array<float, 2> row = {};
  const source_rows sources[] = {{dtype::float32, row.data(), 1, 1}};
  const feed_rows rows = {sources, 2};
  CHECK(any.next(rows) == 2);
  CHECK(row[1] == 2.0f);
  CHECK(any.next(rows) == 1);
  CHECK(any.next(rows) == 0);
  any.restart();
  CHECK(any.next(rows) == 2);
  CHECK(numbers.given == 2);
}

TEST_CASE("a copy of a feed_reference refers to the same feed") {
  three_numbers numbers;
  feed_reference first = numbers;
  feed_reference second = first;
  std::array<float, 2> row = {};
  const source_rows sources[] = {{dtype::float32, row.data(), 1, 1}};
  const feed_rows rows = {sources, 2};
  CHECK(first.next(rows) == 2);
  CHECK(second.next(rows) == 1);
}

}  // namespace
