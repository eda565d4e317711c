// SPDX-License-Identifier: MIT
// Features where numbers of words belong.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<16>, sequential<Embedding<1000, 8>>> {};
#else
struct net : model<input<dtype::int32, 16>, sequential<Embedding<1000, 8>>> {};
#endif
static_assert(check<net>());
