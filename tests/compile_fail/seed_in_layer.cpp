// SPDX-License-Identifier: MIT
// A seed beside the initializer that draws by it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Dense<10, init_seed<7>>>> {};
#else
struct net : model<input<784>, sequential<Dense<10, init<he_normal, init_seed<7>>>>> {};
#endif
static_assert(check<net>());
