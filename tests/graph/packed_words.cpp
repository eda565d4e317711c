// SPDX-License-Identifier: MIT
// Tests of graph/packed_words.hpp.
#include <cstdint>

#include <ipu_dsl/graph/packed_words.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

struct options {
  std::int32_t units = 0;
  float rate = 0.0F;

  friend constexpr bool operator==(const options&, const options&) = default;
};

struct nothing {};

struct most {
  std::int32_t words[packed_words::capacity] = {};
};

constexpr checks test_words() {
  checks done;
  const packed_words packed = packed_words::of(options{7, 1.0F});
  done.that(packed.as<options>() == options{7, 1.0F});
  done.that(packed.words[0] == 7);
  done.that(packed.words[1] == 0x3F800000);
  done.that(packed.words[2] == 0);
  done.that(packed == packed_words::of(options{7, 1.0F}));
  done.that(!(packed == packed_words::of(options{7, 2.0F})));
  done.that(packed_words::of(nothing()) == packed_words());
  most full;
  full.words[packed_words::capacity - 1] = 5;
  done.that(packed_words::of(full).as<most>().words[packed_words::capacity - 1] == 5);
  return done;
}

static_assert(packed_words::count_of<options> == 2 && packed_words::count_of<nothing> == 0);
static_assert(test_words());

TEST_CASE("a plain struct is packed into words and read back") {
  CHECK(test_words());
}

}  // namespace
