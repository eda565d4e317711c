// SPDX-License-Identifier: MIT
// The numbers of nested parts differ.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<residual<Dense<8>, residual<Dense<8>>, Dense<0>>>> {};
#else
struct net : model<input<8>, sequential<residual<Dense<8>, residual<Dense<8>>, Dense<8>>>> {};
#endif
static_assert(check<net>());
