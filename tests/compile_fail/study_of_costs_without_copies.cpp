// SPDX-License-Identifier: MIT
// Costs of one's own that are not asked for the copies of the weights.
#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/schedule/study.hpp>

using namespace ipu_dsl;

struct uneven {
#ifdef WITH_MISTAKE
  static constexpr stage_graph make(int stages) {
    return chain_stage_graph(stages, {.forward = 2});
  }
#else
  static constexpr stage_graph make(int stages, int copies) {
    return chain_stage_graph(stages, {.forward = 2}, output_use::forward_only, copies);
  }
#endif
};

static_assert(check_schedule<one_f_one_b, 4, 4, 8, uneven>());
