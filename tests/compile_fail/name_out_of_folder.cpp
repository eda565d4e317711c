// SPDX-License-Identifier: MIT
// A name that, as one of a file, leads out of its folder.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<named<"../../head", Dense<4>>>> {};
#else
struct net : model<input<8>, sequential<named<"encoder/head", Dense<4>>>> {};
#endif

static_assert(check<net>());
