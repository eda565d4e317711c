// SPDX-License-Identifier: MIT
// The elements that a block of a call reaches, one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/nest_map.hpp>

namespace ipu_dsl {

/// The positions of one extent within reach, ascending.
inline std::vector<std::int64_t> positions_of(const reach& at, const nest_block& block,
                                              std::int64_t extent) {
  std::vector<std::int64_t> found;
  const auto range_of_axis = [&](std::int16_t along) {
    return along < 0 ? position_range{0, 1} : block.ranges[along];
  };
  const position_range first = range_of_axis(at.first);
  const position_range second = range_of_axis(at.second);
  for (std::int64_t i = 0; at.gathered && i < extent; ++i) {
    found.push_back(i);
  }
  for (std::int64_t i = first.begin; !at.gathered && i < first.end; ++i) {
    for (std::int64_t k = second.begin; k < second.end; ++k) {
      const std::int64_t scaled = at.scale * i + at.dilation * k + at.offset;
      if (scaled >= 0 && scaled % at.divisor == 0 && scaled / at.divisor < extent) {
        found.push_back(scaled / at.divisor);
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// Calls `visit` with the number of every element of an operand that a block reaches, ascending:
/// elements are counted row by row, samples first.
template <typename Visit>
void for_each_reached(const access_view& all, const operand_access& row, const nest_block& block,
                      std::int32_t batch, const Visit& visit) {
  if (row.whole) {
    const std::int64_t elements =
        row.extents.elements() * (row.samples > 0 ? batch * row.samples : 1);
    for (std::int64_t i = 0; i < elements; ++i) {
      visit(i);
    }
    return;
  }
  std::vector<std::int64_t> numbers = {0};
  const list_view<reach> reaches = reaches_of(all, row);
  for (std::int32_t i = 0; i < row.reaches; ++i) {
    const std::int64_t extent = extent_of(row, i, batch);
    const std::vector<std::int64_t> positions = positions_of(reaches[i], block, extent);
    std::vector<std::int64_t> longer;
    longer.reserve(numbers.size() * positions.size());
    for (const std::int64_t number : numbers) {
      for (const std::int64_t position : positions) {
        longer.push_back(number * extent + position);
      }
    }
    numbers = std::move(longer);
  }
  for (const std::int64_t number : numbers) {
    visit(number);
  }
}

}  // namespace ipu_dsl
