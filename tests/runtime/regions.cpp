// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/runtime/regions.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

bool zeroed(const region& memory) {
  return std::all_of(memory.data(), memory.data() + memory.size(),
                     [](std::byte value) { return value == std::byte{0}; });
}

bool at_page(const std::byte* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % 4096 == 0;
}

/// A program of which only the memory is looked at.
program_plan_view memory_of(std::span<const std::int64_t> devices, std::span<const edge> edges,
                            std::span<const int> slots) {
  program_plan_view plan;
  plan.bytes_of_device = devices;
  plan.edges = edges;
  plan.slots = slots;
  return plan;
}

}  // namespace

TEST_CASE("a region is zeroed and begins at a page") {
  int checked = 0;
  // Memory that was used before comes back used.
  for (int i = 0; i < 8; ++i) {
    for (const std::int64_t bytes : {1, 64, 4095, 4096, 100'000, 3'000'000}) {
      const region memory(bytes);
      CHECK(memory.size() == static_cast<std::size_t>(bytes));
      CHECK(at_page(memory.data()));
      CHECK(zeroed(memory));
      std::fill_n(memory.data(), memory.size(), std::byte{0xFF});
      ++checked;
    }
  }
  CHECK(checked == 48);
  std::printf("checked %d regions\n", checked);
}

TEST_CASE("programs share regions as large as the largest of them needs") {
  const std::int64_t devices_of_first[] = {256, 64};
  const std::int64_t devices_of_second[] = {128, 512};
  const edge edges[] = {{.writer = {}, .bytes = 64}, {.writer = {}, .bytes = 128}};
  const edge edge_of_second[] = {{.writer = {}, .bytes = 192}};
  const int slots[] = {3, 2};
  const int slots_of_second[] = {2};
  const program_plan_view programs[] = {
      memory_of(devices_of_first, edges, slots),
      memory_of(devices_of_second, edge_of_second, slots_of_second)};
  const region_set memory(programs);
  CHECK(memory.bytes() == 256 + 512 + 2 * 192 + 2 * 128);
  // Placements number the devices first, then the edges.
  CHECK(memory.at(2) == memory.edge(0));
  CHECK(memory.at(3) == memory.edge(1));
  int checked = 0;
  for (std::int32_t index = 0; index < 4; ++index) {
    CHECK(at_page(memory.at(index)));
    for (std::int32_t other = 0; other < index; ++other) {
      CHECK(memory.at(other) != memory.at(index));
      ++checked;
    }
  }
  CHECK(checked == 6);
}
