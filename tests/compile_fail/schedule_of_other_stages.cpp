// SPDX-License-Identifier: MIT
// A schedule of one's own that leaves out the last stage.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct in_order {
  static constexpr std::string_view name = "in-order";

  static constexpr problem allows(int, int, int, purpose) { return {}; }

  static constexpr program make(int devices, int stages, int micro_batches) {
#ifdef WITH_MISTAKE
    --stages;
#endif
    return sequential_schedule::make(devices, stages, micro_batches);
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return sequential_schedule::make_forward(devices, stages, micro_batches);
  }
};

struct training : compile<net, in_order, devices<1>, gradient_accumulation<4>,
                          loss<sparse_categorical_crossentropy>> {};

static_assert(check<training>());
