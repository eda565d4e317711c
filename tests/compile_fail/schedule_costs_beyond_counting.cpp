// SPDX-License-Identifier: MIT
// Costs whose sum over all actions is more than can be counted.
#include <cstdint>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/schedule/study.hpp>

using namespace ipu_dsl;

struct dear {
  static constexpr stage_graph make(int stages, int copies) {
#ifdef WITH_MISTAKE
    constexpr std::int64_t forward = std::int64_t{1} << 61;
#else
    constexpr std::int64_t forward = std::int64_t{1} << 50;
#endif
    stage_graph made = unit_costs::make(stages, copies);
    for (stage_cost& cost : made.costs) {
      cost.forward = forward;
    }
    return made;
  }
};

static_assert(check_schedule<one_f_one_b, 2, 2, 8, dear>());
