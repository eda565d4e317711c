// SPDX-License-Identifier: MIT
// Tests of formats/crc32.hpp.
#include <array>
#include <cstdint>

#include <ipu_dsl/formats/crc32.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

// "123456789" gives CBF43926: the check value that catalogues of checksums print for CRC-32.
constexpr bool test_check_value() {
  constexpr std::array<std::uint8_t, 9> digits = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  return crc32_of(digits) == 0xCBF4'3926;
}

constexpr bool test_nothing() {
  return crc32_of({}) == 0;
}

static_assert(test_check_value());
static_assert(test_nothing());

TEST_CASE("crc32 gives the published check value") {
  CHECK(test_check_value());
  CHECK(test_nothing());
}

TEST_CASE("crc32 tells every flipped bit apart") {
  std::array<std::uint8_t, 32> bytes = {};
  const std::uint32_t before = crc32_of(bytes);
  int checked = 0;
  for (std::uint8_t& byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      byte ^= static_cast<std::uint8_t>(1 << bit);
      CHECK(crc32_of(bytes) != before);
      byte = 0;
      ++checked;
    }
  }
  CHECK(checked == 256);
  WARN("checked " << checked << " flipped bits");
}

}  // namespace
