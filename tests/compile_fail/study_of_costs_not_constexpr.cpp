// SPDX-License-Identifier: MIT
// Costs of one's own that a compiler cannot ask.
#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/schedule/study.hpp>

using namespace ipu_dsl;

struct uneven {
#ifdef WITH_MISTAKE
  static stage_graph make(int stages, int copies) {
    return chain_stage_graph(stages, {.forward = 2}, output_use::forward_only, copies);
  }
#else
  static constexpr stage_graph make(int stages, int copies) {
    return chain_stage_graph(stages, {.forward = 2}, output_use::forward_only, copies);
  }
#endif
};

static_assert(check_schedule<one_f_one_b, 4, 4, 8, uneven>());
