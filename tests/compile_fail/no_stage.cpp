// SPDX-License-Identifier: MIT
// A type that is no stage.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct seventeen {};

#ifdef WITH_MISTAKE
struct net : model<input<784>, pipeline<seventeen>> {};
#else
struct net : model<input<784>, pipeline<stage<Dense<17>>>> {};
#endif
static_assert(check<net>());
