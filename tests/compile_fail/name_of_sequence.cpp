// SPDX-License-Identifier: MIT
// A name for what becomes no layer: it would be lost.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using head = named<"head", sequential<Dense<32>, Dense<10>>>;
#else
using head = sequential<Dense<32>, Dense<10>>;
#endif

struct net : model<input<784>, sequential<Dense<64>, head>> {};

static_assert(check<net>());
