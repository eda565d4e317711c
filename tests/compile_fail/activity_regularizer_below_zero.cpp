// SPDX-License-Identifier: MIT
// A penalty on outputs with a negative strength.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<Dense<4, relu, activity_regularizer<l1<-0.5F>>>>> {};
#else
struct net : model<input<8>, sequential<Dense<4, relu, activity_regularizer<l1<0.5F>>>>> {};
#endif
static_assert(check<net>());
