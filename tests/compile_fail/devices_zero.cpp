// SPDX-License-Identifier: MIT
// No device at all.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, pipeline<stage<Dense<8>>, stage<Dense<3>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, grouped, gradient_accumulation<8>, devices<0>,
                          loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, grouped, gradient_accumulation<8>, devices<1>,
                          loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
