// SPDX-License-Identifier: MIT
// Bytes for a layer of numbers.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<dtype::uint8, 28, 28>, sequential<Flatten, Dense<10>>> {};
#else
struct net
    : model<input<dtype::uint8, 28, 28>, sequential<Rescaling<1.0F / 255>, Flatten, Dense<10>>> {};
#endif
static_assert(check<net>());
