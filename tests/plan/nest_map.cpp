// SPDX-License-Identifier: MIT
// Tests of plan/nest_map.hpp: blocks are a partition of the cut axes, and reach what their
// declaration says, counted one by one.
#include <cstdint>
#include <cstdio>
#include <set>
#include <vector>

#include <ipu_dsl/plan/nest_map.hpp>
#include <ipu_dsl/runtime/reached_elements.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr access_axis cut(std::int32_t extent, std::int32_t nest = 0) {
  return {.extent = extent, .cut = true, .nest = nest};
}

constexpr access_axis whole(std::int32_t extent, std::int32_t nest = 0) {
  return {.extent = extent, .cut = false, .nest = nest};
}

constexpr axis_id axis(int number) {
  return {.number = static_cast<std::int16_t>(number)};
}

// Two cut axes are a matrix, with the grid of a matrix; one is a column of rows; none is a block.
constexpr access_axis matrix[] = {cut(32), cut(256), whole(784)};
static_assert(nest_extents(matrix, 0).rows == 32 && nest_extents(matrix, 0).columns == 256);
static_assert(nest_map(matrix, 0, 1472).blocks() == tile_map(32, 256, 1472).tiles());
static_assert(nest_map(matrix, 0, 1472).busiest().ranges[0].size() ==
              tile_map(32, 256, 1472).busiest().rows());
static_assert(nest_map(matrix, 0, 1472).busiest().ranges[2] == position_range{0, 784});
constexpr access_axis rows_alone[] = {cut(32), whole(10)};
static_assert(nest_extents(rows_alone, 0).rows == 32 && nest_extents(rows_alone, 0).columns == 1);
static_assert(nest_map(rows_alone, 0, 8).blocks() == 8);
constexpr access_axis reduction[] = {whole(32), whole(10)};
static_assert(nest_map(reduction, 0, 8).blocks() == 1);

// The axes of another nest do not matter.
constexpr access_axis both[] = {cut(784), cut(256), whole(32), cut(256, 1), whole(32, 1)};
static_assert(nest_extents(both, 1).rows == 256 && nest_extents(both, 1).columns == 1);
static_assert(nest_map(both, 1, 16).blocks() == 16);

// Of steps a block is one, the last, which reaches the one before it; backwards the first, and the
// one behind it.
constexpr access_axis stepped[] = {{.extent = 9, .step = true}, cut(32)};
constexpr nest_block last_step = nest_map(stepped, 0, 8).busiest();
static_assert(nest_map(stepped, 0, 8).blocks() == 8);
static_assert(last_step.ranges[0] == position_range{8, 9} && last_step.ranges[1].size() == 4);
static_assert(nest_map(stepped, 0, 8).block_of(3).ranges[0] == position_range{8, 9});
static_assert(reached(shifted(axis(0), -1), last_step, 9) == position_range{7, 8});
static_assert(reached(counted_back(axis(0), 9), last_step, 9) == position_range{0, 1});
static_assert(reached(counted_back(axis(0), 9, 1), last_step, 9) == position_range{1, 2});

// Windows and the windows that see an input: 3 taps, stride 2, padding 1, of 8 positions.
constexpr nest_block window_block{{{1, 3}, {0, 3}}};
static_assert(reached(window(axis(0), axis(1), 2, 1, 1), window_block, 8) == position_range{1, 6});
static_assert(reached(window_over(axis(0), axis(1), 2, 1, 1), window_block, 4) ==
              position_range{0, 2});
static_assert(reached(shifted(axis(0), 5), window_block, 8) == position_range{6, 8});
static_assert(reached(gathered(), window_block, 9) == position_range{0, 9});
static_assert(reached(reach(), window_block, 9) == position_range{0, 1});

/// Every iteration of the cut axes is in exactly one block, and no block is empty.
int check_partition(std::vector<access_axis> axes, std::int64_t tiles) {
  const nest_map map(axes, 0, tiles);
  CHECK(map.blocks() <= tiles);
  std::set<std::vector<std::int64_t>> seen;
  std::int64_t iterations = 0;
  for (std::int64_t tile = 0; tile < map.blocks(); ++tile) {
    const nest_block block = map.block_of(tile);
    std::vector<std::vector<std::int64_t>> found = {{}};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const position_range& range = block.ranges[i];
      CHECK(range.size() > 0);
      CHECK(range.size() <= map.busiest().ranges[i].size());
      CHECK((axes[i].cut || range == position_range{0, axes[i].extent}));
      std::vector<std::vector<std::int64_t>> longer;
      for (const std::vector<std::int64_t>& each : found) {
        for (std::int64_t at = range.begin; at < range.end; ++at) {
          longer.push_back(each);
          longer.back().push_back(at);
        }
      }
      found = longer;
    }
    iterations += static_cast<std::int64_t>(found.size());
    seen.insert(found.begin(), found.end());
  }
  std::int64_t all = 1;
  for (const access_axis& each : axes) {
    all *= each.extent;
  }
  CHECK(iterations == all);
  CHECK(seen.size() == static_cast<std::size_t>(all));
  return static_cast<int>(map.blocks());
}

TEST_CASE("blocks are a partition of any number of cut axes") {
  int blocks = 0;
  for (const std::int64_t tiles : {1, 3, 4, 16, 61, 1472}) {
    blocks += check_partition({cut(7)}, tiles);
    blocks += check_partition({cut(5), cut(9)}, tiles);
    blocks += check_partition({cut(5), whole(3), cut(9)}, tiles);
    blocks += check_partition({cut(3), cut(5), cut(4)}, tiles);
    blocks += check_partition({cut(2), cut(3), cut(4), cut(5), whole(2)}, tiles);
    blocks += check_partition({whole(4)}, tiles);
  }
  CHECK(blocks > 100);
  std::printf("checked %d blocks of nests\n", blocks);
}

/// By trying all iterations.
std::set<std::int64_t> counted(const reach& at, const nest_block& block, std::int64_t extent) {
  std::set<std::int64_t> found;
  for (std::int64_t position = 0; position < extent; ++position) {
    for (std::int64_t i = block.ranges[0].begin; i < block.ranges[0].end; ++i) {
      for (std::int64_t k = block.ranges[1].begin; k < block.ranges[1].end; ++k) {
        if (position * at.divisor == at.scale * i + at.dilation * k + at.offset) {
          found.insert(position);
        }
      }
    }
  }
  return found;
}

TEST_CASE("windows of any stride, dilation and padding reach what they say") {
  int checked = 0;
  for (int stride = 1; stride <= 3; ++stride) {
    for (int dilation = 1; dilation <= 3; ++dilation) {
      for (int padding = 0; padding <= 2; ++padding) {
        for (std::int64_t begin = 0; begin < 4; ++begin) {
          const nest_block block{{{begin, begin + 2}, {0, 3}}};
          for (const reach& at : {window(axis(0), axis(1), stride, dilation, padding),
                                  window_over(axis(0), axis(1), stride, dilation, padding)}) {
            const std::set<std::int64_t> expected = counted(at, block, 9);
            const std::vector<std::int64_t> found = positions_of(at, block, 9);
            CHECK(std::set<std::int64_t>(found.begin(), found.end()) == expected);
            CHECK(found.size() == expected.size());
            const position_range range = reached(at, block, 9);
            for (const std::int64_t position : expected) {
              CHECK((position >= range.begin && position < range.end));
            }
            ++checked;
          }
        }
      }
    }
  }
  CHECK(checked == 216);
  std::printf("checked %d windows\n", checked);
}

}  // namespace
