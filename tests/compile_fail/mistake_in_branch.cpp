// SPDX-License-Identifier: MIT
// The message counts the layers of a branch within their outermost layer.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<concat<sequential<Flatten, Dense<8>>, Conv2D<8, 3>>>> {
};
#else
struct net
    : model<input<28, 28>,
            sequential<concat<sequential<Flatten, Dense<8>>, sequential<Flatten, Dense<8>>>>> {};
#endif
static_assert(check<net>());
