// SPDX-License-Identifier: MIT
// Tests of core/random.hpp.
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/core/random.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr bool same(const random_block& made, std::uint32_t w0, std::uint32_t w1, std::uint32_t w2,
                    std::uint32_t w3) {
  return made.words[0] == w0 && made.words[1] == w1 && made.words[2] == w2 && made.words[3] == w3;
}

// The known answers of Philox4x32-10 that its authors publish with Random123 (kat_vectors), written
// there as counter words 0 to 3 and key words 0 and 1. Ours: counter = words 0 and 1, stream =
// words 2 and 3, seed = the key, the lower word first.
constexpr checks test_known_answers() {
  checks done;
  done.that(same(philox(0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  constexpr std::uint64_t ones = 0xffffffffffffffff;
  done.that(same(philox(ones, ones, ones), 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  // Counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0: the digits of pi.
  done.that(same(philox(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88), 0xd16cfe09,
                 0x94fdcceb, 0x5001e420, 0x24126ea1));
  return done;
}

static_assert(test_known_answers());
static_assert(random_word(1, 2, 7) == philox(1, 2, 1).words[3]);
static_assert(uniform_unit(0) == 0.0F && uniform_unit(0xffffffff) < 1.0F);
static_assert(uniform_unit(0x80000000) == 0.5F);
static_assert(uniform_below(0, 10) == 0 && uniform_below(0xffffffff, 10) == 9);
static_assert(uniform_below(0x80000000, 10) == 5);

TEST_CASE("philox gives the published answers") {
  CHECK(test_known_answers());
}

TEST_CASE("seeds, streams and indices give different words") {
  CHECK(random_word(1, 2, 3) != random_word(2, 2, 3));
  CHECK(random_word(1, 2, 3) != random_word(1, 3, 3));
  CHECK(random_word(1, 2, 3) != random_word(1, 2, 4));
  CHECK(random_word(std::uint64_t{1} << 32, 0, 0) != random_word(0, 0, 0));
}

TEST_CASE("uniform_unit fills its tenths evenly") {
  constexpr int draws = 100000;
  int counted[10] = {};
  for (std::uint64_t i = 0; i < draws; ++i) {
    ++counted[static_cast<int>(uniform_unit(random_word(7, 0, i)) * 10)];
  }
  int tenths = 0;
  for (const int count : counted) {
    // Five standard deviations of a binomial count: 5 * sqrt(1e5 * 0.1 * 0.9) = 474.
    CHECK(count > draws / 10 - 474);
    CHECK(count < draws / 10 + 474);
    ++tenths;
  }
  std::printf("checked %d tenths of %d draws\n", tenths, draws);
  CHECK(tenths == 10);
}

}  // namespace
