// SPDX-License-Identifier: MIT
// PReLU that shares its slopes along an axis that there is not.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 8>, sequential<PReLU<shared_axes<1, 3>>>> {};
#else
struct net : model<input<4, 8>, sequential<PReLU<shared_axes<1, 2>>>> {};
#endif
static_assert(check<net>());
