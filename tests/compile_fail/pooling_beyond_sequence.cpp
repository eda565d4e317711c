// SPDX-License-Identifier: MIT
// A window that is longer than the sequence.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<6, 4>, sequential<AveragePooling1D<8>>> {};
#else
struct net : model<input<6, 4>, sequential<AveragePooling1D<8, same_padding>>> {};
#endif
static_assert(check<net>());
