// SPDX-License-Identifier: MIT
// What is no loss in loss<...>.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<relu>> {};
#else
struct training : compile<net, loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
