// SPDX-License-Identifier: MIT
// A vector where a sequence belongs.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28>, sequential<SimpleRNN<8>>> {};
#else
struct net : model<input<28, 28>, sequential<SimpleRNN<8>>> {};
#endif
static_assert(check<net>());
