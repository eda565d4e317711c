// SPDX-License-Identifier: MIT
// A name that a layer within a Bidirectional has.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using scores = named<"both_0", Dense<2>>;
#else
using scores = named<"scores", Dense<2>>;
#endif

struct net : model<input<5, 3>, sequential<named<"both", Bidirectional<GRU<2>>>, scores>> {};

static_assert(check<net>());
