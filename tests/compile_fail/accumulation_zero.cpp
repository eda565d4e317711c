// SPDX-License-Identifier: MIT
// No micro-batch makes an update.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, sequential_schedule, gradient_accumulation<0>,
                          loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, sequential_schedule, gradient_accumulation<1>,
                          loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
