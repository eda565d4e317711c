// SPDX-License-Identifier: MIT
// A pipeline without stages.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, pipeline<>> {};
#else
struct net : model<input<784>, pipeline<stage<Dense<10>>>> {};
#endif
static_assert(check<net>());
