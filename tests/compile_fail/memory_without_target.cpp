// SPDX-License-Identifier: MIT
// A question about the memory of a machine that was not named.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, on<ipu2>, loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(training::memory.fits());
