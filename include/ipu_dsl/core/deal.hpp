// SPDX-License-Identifier: MIT
// How things that are counted are dealt over parts: blocks over grains, outputs over tiles.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// An extent dealt over parts whose sizes differ by at most one, the larger ones first.
struct balanced_deal {
  std::int64_t extent = 1;
  std::int64_t parts = 1;

  /// Where a part begins; that of one part more is the extent.
  constexpr std::int64_t begin(std::int64_t part) const {
    const std::int64_t larger = extent % parts;
    return part * (extent / parts) + (part < larger ? part : larger);
  }

  constexpr std::int64_t size(std::int64_t part) const { return begin(part + 1) - begin(part); }

  /// The size of the first part: none is larger.
  constexpr std::int64_t largest() const { return (extent + parts - 1) / parts; }

  /// How many parts are as large as the first.
  constexpr std::int64_t largest_count() const {
    return extent % parts == 0 ? parts : extent % parts;
  }
};

/// Those from `begin` to before `end`.
struct index_range {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  friend constexpr bool operator==(const index_range&, const index_range&) = default;
};

/// What two ranges have in common; a range of nothing if they have nothing.
constexpr index_range common(const index_range& one, const index_range& other) {
  const std::int32_t begin = one.begin > other.begin ? one.begin : other.begin;
  const std::int32_t end = one.end < other.end ? one.end : other.end;
  return {begin, end > begin ? end : begin};
}

/// One of the parts that an operator's work is dealt over: neighbouring tiles, which one worker
/// computes. Whoever computes all of it has the only part.
struct grain {
  std::int32_t index = 0;
  std::int32_t count = 1;
};

/// What the part `part` of `extent` things holds.
constexpr index_range range_of(std::int32_t extent, const grain& part) {
  const balanced_deal deal{extent, part.count};
  return {static_cast<std::int32_t>(deal.begin(part.index)),
          static_cast<std::int32_t>(deal.begin(std::int64_t{part.index} + 1))};
}

}  // namespace ipu_dsl
