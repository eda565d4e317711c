// SPDX-License-Identifier: MIT
// Two layers of one name: weights could not be told apart.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using second = named<"hidden", Dense<32>>;
#else
using second = named<"logits", Dense<32>>;
#endif

struct net : model<input<784>, sequential<named<"hidden", Dense<64>>, second>> {};

static_assert(check<net>());
