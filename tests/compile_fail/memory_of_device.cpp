// SPDX-License-Identifier: MIT
// More than the tiles of a device hold.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<4096, relu>, Dense<4096, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, on<ipu1>, loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, on<ipu2>, loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
