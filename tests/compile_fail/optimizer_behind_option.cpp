// SPDX-License-Identifier: MIT
// An option before the optimizer that it is of.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<mean_squared_error>, optimizer<clipnorm<1.0F>, adam>> {};
#else
struct training : compile<net, loss<mean_squared_error>, optimizer<adam, clipnorm<1.0F>>> {};
#endif
static_assert(check<training>());
