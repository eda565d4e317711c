// SPDX-License-Identifier: MIT
// A delta from which nothing is left.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

#ifdef WITH_MISTAKE
using wanted = loss<huber, delta<0>>;
#else
using wanted = loss<huber, delta<0.5F>>;
#endif

struct training : compile<net, micro_batch<8>, wanted> {};

static_assert(check<training>());
