// SPDX-License-Identifier: MIT
// Tests of core/activation_kind.hpp and core/dtype.hpp.
#include <cstdio>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/dtype.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

static_assert(name_of(activation_kind::leaky_relu) == "leaky_relu");
static_assert(gradient_from_output(activation_kind::relu));
static_assert(!gradient_from_output(activation_kind::gelu));
static_assert(!gradient_from_output(activation_kind::softmax));
static_assert(bytes_of(dtype::float32) == 4 && bytes_of(dtype::uint8) == 1);
static_assert(name_of(dtype::int32) == "int32");

TEST_CASE("no two activations share a name") {
  const int last = static_cast<int>(activation_kind::softmax);
  int pairs = 0;
  for (int first = 0; first <= last; ++first) {
    CHECK(!name_of(static_cast<activation_kind>(first)).empty());
    for (int second = 0; second < first; ++second) {
      CHECK(name_of(static_cast<activation_kind>(first)) !=
            name_of(static_cast<activation_kind>(second)));
      ++pairs;
    }
  }
  std::printf("checked %d pairs of activations\n", pairs);
  CHECK(pairs == (last + 1) * last / 2);
}

}  // namespace
