// SPDX-License-Identifier: MIT
// A schedule of one's own whose `allows` a compiler cannot call.
#include <string_view>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct mine {
  static constexpr std::string_view name = "mine";
#ifdef WITH_MISTAKE
  static problem allows(int, int, int, purpose) { return {}; }
#else
  static constexpr problem allows(int, int, int, purpose) { return {}; }
#endif
  static constexpr program make(int devices, int stages, int micro_batches) {
    return one_f_one_b::make(devices, stages, micro_batches);
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return one_f_one_b::make_forward(devices, stages, micro_batches);
  }
};

struct net : model<input<8>, pipeline<stage<Dense<4>>, stage<Dense<2>>>> {};

struct training : compile<net, gradient_accumulation<4>, mine, loss<mean_squared_error>> {};

static_assert(check<training>());
