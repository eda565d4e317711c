// SPDX-License-Identifier: MIT
// Tests of graph/attributes.hpp.
#include <cstdint>

#include <ipu_dsl/graph/attributes.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

struct sizes {
  std::int32_t width = 0;
  float slope = 0;
  std::int32_t extents[3] = {};
};

struct largest {
  std::int32_t words[attributes::capacity] = {};
};

constexpr bool test_round_trip() {
  const attributes packed = attributes::of(sizes{7, -0.25F, {1, 2, 3}});
  const auto read = packed.as<sizes>();
  bool same = read.width == 7 && read.slope == -0.25F && read.extents[2] == 3;
  largest all;
  all.words[attributes::capacity - 1] = 9;
  return same && attributes::of(all).as<largest>().words[attributes::capacity - 1] == 9;
}

static_assert(test_round_trip());
static_assert(attributes{}.as<sizes>().width == 0);

TEST_CASE("attributes give back what they were made of") {
  CHECK(test_round_trip());
}

}  // namespace
