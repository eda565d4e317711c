// SPDX-License-Identifier: MIT
// Tests of core/packed_counts.hpp.
#include <type_traits>

#include <ipu_dsl/core/packed_counts.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

template <std::size_t Count>
concept fits_a_byte = requires { typename std::bool_constant<packed_count(Count, 8, 0) == Count>; };

static_assert(packed_count(255, 8, 56) == 0xFF00'0000'0000'0000 && fits_a_byte<255>);
static_assert(!fits_a_byte<256> && !fits_a_byte<(std::size_t{1} << 40)>);

TEST_CASE("counts lie beside one another in a number") {
  const std::uint64_t packed =
      packed_count(255, 8, 56) + packed_count(7, 8, 48) + packed_count(65'536, 24, 24);
  CHECK(unpacked_count(packed, 8, 56) == 255);
  CHECK(unpacked_count(packed, 8, 48) == 7);
  CHECK(unpacked_count(packed, 24, 24) == 65'536);
  CHECK(unpacked_count(packed, 24, 0) == 0);
}

}  // namespace
