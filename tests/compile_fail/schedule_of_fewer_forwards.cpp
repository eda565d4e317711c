// SPDX-License-Identifier: MIT
// A program for evaluate and predict that leaves a micro-batch out.
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct mine {
  static constexpr std::string_view name = "mine";

  static constexpr problem allows(int devices, int stages, int, purpose) {
    return rules::stages_a_device(name, devices, stages, 1);
  }

  static constexpr program make(int devices, int stages, int micro_batches) {
    return gpipe::make(devices, stages, micro_batches);
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
#ifdef WITH_MISTAKE
    program rows(devices, neighbouring_placement(devices, stages), micro_batches);
    for (int stage = 0; stage < stages; ++stage) {
      for (int i = 0; i + 1 < micro_batches; ++i) {
        rows.put(action_kind::forward, stage, i);
      }
      rows.end_row();
    }
    return rows;
#else
    return gpipe::make_forward(devices, stages, micro_batches);
#endif
  }
};

struct training
    : compile<net, mine, gradient_accumulation<8>, loss<sparse_categorical_crossentropy>> {};

static_assert(check<training>());
