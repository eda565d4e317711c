// SPDX-License-Identifier: MIT
// An input that no layer reads.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct house {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor rooms = build.input("rooms", {5});
#ifdef WITH_MISTAKE
    build.input("region", {3});
#endif
    return build.layer<Dense<1>>("price", rooms);
  }
};

static_assert(check<house>());
