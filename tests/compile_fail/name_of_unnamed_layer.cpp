// SPDX-License-Identifier: MIT
// A name that a layer without one has: files of weights would hold it twice.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4>, sequential<Dense<4>, named<"dense_0", Dense<4>>>> {};
#else
struct net : model<input<4>, sequential<Dense<4>, named<"dense_1", Dense<4>>>> {};
#endif
static_assert(check<net>());
