// SPDX-License-Identifier: MIT
#include <ipu_dsl/layout/architecture.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

template <layout::architecture Architecture>
struct named_by_architecture {
  static constexpr int lanes = Architecture.lanes;
};

constexpr checks test_template_argument() {
  constexpr layout::architecture wide{16, 32, true};
  checks done;
  done.that(named_by_architecture<wide>::lanes == 16);
  done.that(wide == layout::architecture{16, 32, true});
  done.that(!(wide == layout::architecture{16, 32, false}));
  return done;
}

constexpr bool test_native() {
  const bool lanes =
      layout::native.lanes == 4 || layout::native.lanes == 8 || layout::native.lanes == 16;
#if defined(__AVX512F__)
  return lanes && layout::native == layout::architecture{16, 32, true};
#elif defined(__AVX2__) && defined(__FMA__)
  return lanes && layout::native == layout::architecture{8, 16, true};
#else
  return lanes && layout::native.lanes == 4;
#endif
}

static_assert(test_template_argument());
static_assert(test_native());

}  // namespace

TEST_CASE("an architecture is a value that types may carry") {
  CHECK(test_template_argument());
}

TEST_CASE("the native architecture follows the compiler's flags") {
  CHECK(test_native());
}
