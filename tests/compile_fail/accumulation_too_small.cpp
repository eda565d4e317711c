// SPDX-License-Identifier: MIT
// A count below the least that the schedule allows.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, gradient_accumulation<1>, loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, gradient_accumulation<4>, loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
