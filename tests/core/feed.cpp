// SPDX-License-Identifier: MIT
// Tests of core/feed.hpp.
#include <array>
#include <cstdint>
#include <optional>

#include <ipu_dsl/core/feed.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

/// Three samples of one number: 1, 2, 3.
struct three_numbers {
  std::int32_t given = 0;

  constexpr std::int32_t next(const micro_batch_rows& rows) {
    std::int32_t valid = 0;
    while (valid < rows.micro_batch && given < 3) {
      ++given;
      rows.features[static_cast<std::size_t>(valid)] = static_cast<float>(given);
      ++valid;
    }
    return valid;
  }

  constexpr void restart() { given = 0; }

  constexpr std::int64_t sample_elements() const { return 1; }

  constexpr std::int32_t classes() const { return 0; }

  constexpr std::optional<std::int64_t> length() const { return 3; }
};

struct without_restart {
  std::int32_t next(const micro_batch_rows&);
  std::int64_t sample_elements() const;
  std::int32_t classes() const;
  std::optional<std::int64_t> length() const;
};

static_assert(feed<three_numbers>);
static_assert(feed<feed_reference>);
static_assert(!feed<without_restart>);
static_assert(!feed<int>);

TEST_CASE("feed_reference passes everything on") {
  three_numbers numbers;
  feed_reference any = numbers;
  CHECK(any.sample_elements() == 1);
  CHECK(any.classes() == 0);
  CHECK(any.length() == 3);
  std::array<float, 2> row = {};
  const micro_batch_rows rows = {row, {}, 2, 1, 1};
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
  const micro_batch_rows rows = {row, {}, 2, 1, 1};
  CHECK(first.next(rows) == 2);
  CHECK(second.next(rows) == 1);
}

}  // namespace
