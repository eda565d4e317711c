// SPDX-License-Identifier: MIT
// Smoothing that leaves nothing of the targets.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

#ifdef WITH_MISTAKE
using wanted = loss<categorical_crossentropy, label_smoothing<1>>;
#else
using wanted = loss<categorical_crossentropy, label_smoothing<0.1F>>;
#endif

struct training : compile<net, micro_batch<8>, wanted> {};

static_assert(check<training>());
