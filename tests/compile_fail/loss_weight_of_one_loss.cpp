// SPDX-License-Identifier: MIT
// A weight of the one loss, which would only change the learning rate.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<mean_squared_error, loss_weight<-1>>> {};
#else
struct training : compile<net, loss<mean_squared_error>> {};
#endif
static_assert(check<training>());
