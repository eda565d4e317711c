// SPDX-License-Identifier: MIT
// A layer under the name that it has elsewhere.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace {

#ifdef WITH_MISTAKE
struct net : model<input<8, 8, 1>, sequential<Conv2d<1, 4, 3>, Flatten, Dense<10>>> {};
#else
struct net : model<input<8, 8, 1>, sequential<Conv2D<4, 3>, Flatten, Dense<10>>> {};
#endif

static_assert(check<net>());

}  // namespace
