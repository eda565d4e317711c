// SPDX-License-Identifier: MIT
// A loss that counts nothing.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

/// Two outputs, called after the layers that make them.
struct house {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor rooms = build.input({5});
    const symbolic_tensor region = build.input({3});
    const symbolic_tensor both = build.layer<Concatenate>("", rooms, region);
    return {build.layer<Dense<4>>("kind", both), build.layer<Dense<1>>("price", both)};
  }
};

#ifdef WITH_MISTAKE
struct training : compile<house, loss<for_output<"price", mean_squared_error, loss_weight<0>>>> {};
#else
struct training : compile<house, loss<for_output<"price", mean_squared_error, loss_weight<0.5>>>> {
};
#endif

static_assert(check<training>());
