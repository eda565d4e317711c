// SPDX-License-Identifier: MIT
// Tests of core/dtype.hpp.
#include <cstdint>

#include <ipu_dsl/core/dtype.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr checks test_types() {
  checks done;
  done.that(bytes_of(dtype::float32) == sizeof(float) && name_of(dtype::float32) == "float32");
  done.that(bytes_of(dtype::int32) == sizeof(std::int32_t) && name_of(dtype::int32) == "int32");
  done.that(bytes_of(dtype::uint8) == 1 && name_of(dtype::uint8) == "uint8");
  done.that(bytes_of(dtype::float64) == sizeof(double) && name_of(dtype::float64) == "float64");
  done.that(name_of(static_cast<dtype>(9)) == "unknown");
  return done;
}

static_assert(test_types());

TEST_CASE("types have their sizes and names") {
  CHECK(test_types());
}

}  // namespace
