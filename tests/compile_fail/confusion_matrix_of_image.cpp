// SPDX-License-Identifier: MIT
// A metric that tells classes apart, of an output that is no vector of scores.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 4>, sequential<Dense<3>>> {};
#else
struct net : model<input<4, 4>, sequential<Flatten, Dense<3>>> {};
#endif

struct training
    : compile<net, micro_batch<8>, loss<mean_squared_error>, metrics<confusion_matrix>> {};

static_assert(check<training>());
