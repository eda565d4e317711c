// SPDX-License-Identifier: MIT
// A program that is told how many stages there are, not where they are.
#include <string_view>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/schedule/study.hpp>

using namespace ipu_dsl;

struct mine {
  static constexpr std::string_view name = "mine";

  static constexpr problem allows(int, int, int, purpose) { return {}; }

  static constexpr program make(int devices, int stages, int micro_batches) {
#ifdef WITH_MISTAKE
    program rows(devices, stages, micro_batches);
#else
    program rows(devices, neighbouring_placement(devices, stages), micro_batches);
#endif
    for (int device = 0; device < devices; ++device) {
      for (int i = 0; i < micro_batches; ++i) {
        rows.put(action_kind::forward, device, i);
      }
      for (int i = 0; i < micro_batches; ++i) {
        rows.put(action_kind::backward, device, i);
      }
      rows.end_training_row(device);
    }
    return rows;
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return one_f_one_b::make_forward(devices, stages, micro_batches);
  }
};

static_assert(check_schedule<mine, 2, 2, 4>());
