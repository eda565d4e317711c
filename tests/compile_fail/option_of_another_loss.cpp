// SPDX-License-Identifier: MIT
// An option of a loss that has none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

#ifdef WITH_MISTAKE
using wanted = loss<huber, from_logits>;
#else
using wanted = loss<huber, delta<0.1F>>;
#endif

struct training : compile<net, micro_batch<8>, wanted> {};

static_assert(check<training>());
