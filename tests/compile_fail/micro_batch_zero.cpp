// SPDX-License-Identifier: MIT
// Micro-batches without samples.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, micro_batch<0>> {};
#else
struct training : compile<net, micro_batch<1>> {};
#endif
static_assert(check<training>());
