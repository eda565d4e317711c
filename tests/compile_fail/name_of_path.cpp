// SPDX-License-Identifier: MIT
// A name that reads like the path of a layer of a model that is a layer: weights could not be told
// apart.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct encoder : model<input<8>, sequential<Dense<6, relu>, named<"code", Dense<4>>>> {};

#ifdef WITH_MISTAKE
using last = named<"encoder/code", Dense<2>>;
#else
using last = named<"encoder_code", Dense<2>>;
#endif

struct net : model<input<8>, sequential<named<"encoder", encoder>, last>> {};

static_assert(check<net>());
