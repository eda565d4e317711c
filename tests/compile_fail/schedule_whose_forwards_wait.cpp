// SPDX-License-Identifier: MIT
// A program for evaluate and predict in which a device waits for itself: the session has it proven.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct mine {
  static constexpr std::string_view name = "mine";

  static constexpr problem allows(int devices, int stages, int micro_batches, purpose aim) {
    return sequential_schedule::allows(devices, stages, micro_batches, aim);
  }

  static constexpr program make(int devices, int stages, int micro_batches) {
    return sequential_schedule::make(devices, stages, micro_batches);
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
#ifdef WITH_MISTAKE
    program rows(devices, neighbouring_placement(devices, stages), micro_batches);
    for (int i = 0; i < micro_batches; ++i) {
      rows.put(action_kind::forward, 1, i);
      rows.put(action_kind::forward, 0, i);
    }
    rows.end_row();
    return rows;
#else
    return sequential_schedule::make_forward(devices, stages, micro_batches);
#endif
  }
};

struct training : compile<net, mine, devices<1>, gradient_accumulation<8>,
                          loss<sparse_categorical_crossentropy>> {};

float loss_of(session<training>& run) {
  const auto unseen = generated<feature_column<shape{8}>, label_column<3>>(
      64, [](std::uint32_t i, std::span<float> x, std::span<std::int32_t> label) {
        x[0] = static_cast<float>(i);
        label[0] = 1;
      });
  return run.evaluate(unseen).loss;
}

void measure() {
  session<training> run;
  loss_of(run);
}
