// SPDX-License-Identifier: MIT
// A model as a layer of another that hands it something else than its input.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct encoder : model<input<8>, sequential<Dense<4, relu>, Dense<2>>> {};

#ifdef WITH_MISTAKE
struct net : model<input<16>, sequential<Dense<16>, encoder, Dense<10>>> {};
#else
struct net : model<input<16>, sequential<Dense<8>, encoder, Dense<10>>> {};
#endif

static_assert(check<net>());
