// SPDX-License-Identifier: MIT
// Two losses, neither of which says what it judges.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<mean_squared_error, mean_absolute_error>> {};
#else
struct training : compile<net, loss<mean_squared_error>> {};
#endif
static_assert(check<training>());
