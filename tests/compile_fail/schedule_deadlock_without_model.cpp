// SPDX-License-Identifier: MIT
// The same without a model.
#include <string_view>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

/// One micro-batch after the other on the first device; the second waits for the last one.
struct mine {
  static constexpr std::string_view name = "mine";

  static constexpr problem allows(int devices, int stages, int, purpose) {
    return devices == 2 && stages == 2 ? problem{} : refuse("2 stages on 2 devices", "others");
  }

  static constexpr program make(int devices, int stages, int micro_batches) {
    program rows(devices, neighbouring_placement(devices, stages), micro_batches);
    for (int i = 0; i < micro_batches; ++i) {
      rows.put(action_kind::forward, 0, i);
      rows.put(action_kind::backward, 0, i);
    }
    rows.put(action_kind::update, 0, 0);
    rows.end_row();
    for (int i = 0; i < micro_batches; ++i) {
#ifdef WITH_MISTAKE
      rows.put(action_kind::forward, 1, micro_batches - 1 - i);
      rows.put(action_kind::backward, 1, micro_batches - 1 - i);
#else
      rows.put(action_kind::forward, 1, i);
      rows.put(action_kind::backward, 1, i);
#endif
    }
    rows.put(action_kind::update, 1, 0);
    rows.end_row();
    return rows;
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return grouped::make_forward(devices, stages, micro_batches);
  }
};

static_assert(check_schedule<mine, 2, 2, 4>());
