// SPDX-License-Identifier: MIT
// Noise of a negative standard deviation.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<GaussianNoise<-0.1F>>> {};
#else
struct net : model<input<8>, sequential<GaussianNoise<0.1F>>> {};
#endif
static_assert(check<net>());
