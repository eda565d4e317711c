// SPDX-License-Identifier: MIT
// The message says the name that the user gave.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Dense<64>, named<"logits", Dense<-10>>>> {};
#else
struct net : model<input<784>, sequential<Dense<64>, named<"logits", Dense<10>>>> {};
#endif
static_assert(check<net>());
