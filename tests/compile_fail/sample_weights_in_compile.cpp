// SPDX-License-Identifier: MIT
// What a loss weighs, beside it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<mean_squared_error>, sample_weights> {};
#else
struct training : compile<net, loss<mean_squared_error, sample_weights>> {};
#endif
static_assert(check<training>());
