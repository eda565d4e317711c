// SPDX-License-Identifier: MIT
// A letter that stands for no action.
#include <string_view>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/study/text/written_schedule.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, pipeline<stage<Dense<8>>, stage<Dense<3>>>> {};

/// A schedule in PyTorch's notation.
struct mine : written_schedule<mine> {
  static constexpr std::string_view name = "mine";
#ifdef WITH_MISTAKE
  static constexpr std::string_view csv = "0F0,0F1,0B0,0B1\n,1F0,1G0,1F1,1B1\n";
#else
  static constexpr std::string_view csv = "0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n";
#endif
};

struct training
    : compile<net, mine, gradient_accumulation<2>, loss<sparse_categorical_crossentropy>> {};

static_assert(check<training>());
