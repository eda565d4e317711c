// SPDX-License-Identifier: MIT
// Tests of runtime/memory_block.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ipu_dsl/runtime/memory_block.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

static_assert(!memory_size_fault_of<64, 64>::value.found());
static_assert(memory_size_fault_of<65, 64>::value.message().view() ==
              "the memory given: expected 65 bytes, got 64. Hint: its type has the constants bytes "
              "and alignment");

bool zeros(const std::byte* first, std::size_t count) {
  return std::all_of(first, first + count, [](std::byte each) { return each == std::byte{0}; });
}

TEST_CASE("memory of its own is aligned, zeroed, and moved with its address") {
  memory_block own(100);
  CHECK(reinterpret_cast<std::uintptr_t>(own.data()) % memory_block::alignment == 0);
  CHECK(zeros(own.data(), 100));
  std::byte* const place = own.data();
  memory_block moved = std::move(own);
  CHECK(moved.data() == place);
  memory_block other(1);
  other = std::move(moved);
  CHECK(other.data() == place);
}

TEST_CASE("memory that is given is zeroed as far as it is used, or refused and left alone") {
  alignas(memory_block::alignment) std::array<std::byte, 256> given;
  given.fill(std::byte{1});
  const std::span<std::byte> all = given;
  const memory_block used(all, 128, "a predictor");
  CHECK(used.data() == given.data());
  CHECK(zeros(given.data(), 128));
  CHECK(given[128] == std::byte{1});

  given.fill(std::byte{1});
  CHECK_THROWS_WITH(memory_block(all.first(100), 128, "a predictor"),
                    "The memory of a predictor must have 128 bytes, got 100.");
  CHECK_THROWS_WITH(memory_block(all.subspan(3), 128, "a predictor"),
                    "The memory of a predictor must begin at a multiple of 64 bytes, it begins 3 "
                    "behind one.");
  CHECK(given[0] == std::byte{1});
  CHECK(memory_block::fault(given, 256, "a predictor").empty());
}

}  // namespace
