// SPDX-License-Identifier: MIT
// An output whose loss is called as that of the validation.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
inline constexpr const char* first_output = "val";
#else
inline constexpr const char* first_output = "value";
#endif

/// Two outputs, called after the layers that make them.
struct player {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor board = build.input({9});
    return {build.layer<Dense<1>>(first_output, board), build.layer<Dense<9>>("move", board)};
  }
};

#ifdef WITH_MISTAKE
struct training : compile<player, loss<for_output<"val", mean_squared_error>>> {};
#else
struct training : compile<player, loss<for_output<"value", mean_squared_error>>> {};
#endif

static_assert(check<training>());
