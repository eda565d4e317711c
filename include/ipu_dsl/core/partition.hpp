// SPDX-License-Identifier: MIT
// How things that are counted are dealt over parts: blocks over grains, outputs over tiles.
#pragma once

#include <cstdint>

namespace ipu_dsl {

/// Those from `begin` to before `end`.
struct index_range {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  friend constexpr bool operator==(const index_range&, const index_range&) = default;
};

/// One of the parts that an operator's work is dealt over: neighbouring tiles, which one worker
/// computes. Whoever computes all of it has the only part.
struct grain {
  std::int32_t index = 0;
  std::int32_t count = 1;
};

/// What the part `part` of `extent` things holds. Parts follow each other, and their sizes differ
/// by at most one.
constexpr index_range range_of(std::int32_t extent, const grain& part) {
  const auto bound = [&](std::int64_t index) {
    return static_cast<std::int32_t>(index * extent / part.count);
  };
  return {bound(part.index), bound(std::int64_t{part.index} + 1)};
}

}  // namespace ipu_dsl
