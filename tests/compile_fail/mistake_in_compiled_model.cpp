// SPDX-License-Identifier: MIT
// A mistake of the model is reported once, through its compilation.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<Conv2D<64, 3>>> {};
#else
struct net : model<input<784>, sequential<Dense<64>>> {};
#endif

struct training : compile<net, micro_batch<8>> {};

static_assert(check<net>());
static_assert(check<training>());
