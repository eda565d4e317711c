// SPDX-License-Identifier: MIT
// A penalty that does not say of which parameters it is.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Dense<10, l2<0.01F>>>> {};
#else
struct net : model<input<784>, sequential<Dense<10, kernel_regularizer<l2<0.01F>>>>> {};
#endif
static_assert(check<net>());
