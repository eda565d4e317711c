// SPDX-License-Identifier: MIT
// A schedule of one's own whose rows of training end without updates.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct one_by_one {
  static constexpr std::string_view name = "one_by_one";

  static constexpr problem allows(int, int, int, purpose) { return {}; }

  static constexpr program make(int devices, int stages, int micro_batches) {
    return rows_of(devices, stages, micro_batches, true);
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return rows_of(devices, stages, micro_batches, false);
  }

  static constexpr program rows_of(int devices, int stages, int micro_batches, bool trains) {
    const int placement[] = {0, 1};
    program rows(devices, {placement, 2}, micro_batches);
    for (int stage = 0; stage < stages; ++stage) {
      for (int i = 0; i < micro_batches; ++i) {
        rows.put(action_kind::forward, stage, i);
      }
      for (int i = 0; trains && i < micro_batches; ++i) {
        rows.put(action_kind::backward, stage, i);
      }
      end(rows, stage, trains);
    }
    return rows;
  }

  static constexpr void end(program& rows, int device, bool trains) {
#ifndef WITH_MISTAKE
    if (trains) {
      rows.end_training_row(device);
      return;
    }
#endif
    static_cast<void>(device);
    static_cast<void>(trains);
    rows.end_row();
  }
};

struct net : model<input<4>, pipeline<stage<Dense<3, relu>>, stage<Dense<2>>>> {};

struct training
    : compile<net, micro_batch<4>, gradient_accumulation<4>, one_by_one, loss<mean_squared_error>> {
};

static_assert(check<training>());
