// SPDX-License-Identifier: MIT
// An optimizer for a model that only predicts.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, optimizer<sgd<momentum>>> {};
#else
struct training : compile<net, micro_batch<16>> {};
#endif
static_assert(check<training>());
