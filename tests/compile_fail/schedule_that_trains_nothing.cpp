// SPDX-License-Identifier: MIT
// A schedule of one's own whose program for training goes forward alone.
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
#ifdef WITH_MISTAKE
    return gpipe::make_forward(devices, stages, micro_batches);
#else
    return gpipe::make(devices, stages, micro_batches);
#endif
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return gpipe::make_forward(devices, stages, micro_batches);
  }
};

struct training
    : compile<net, mine, gradient_accumulation<8>, loss<sparse_categorical_crossentropy>> {};

static_assert(check<training>());
