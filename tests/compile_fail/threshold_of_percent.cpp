// SPDX-License-Identifier: MIT
// A threshold in percent.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>, sigmoid>> {};

#ifdef WITH_MISTAKE
using wanted = metrics<metric<precision, threshold<50>>>;
#else
using wanted = metrics<metric<precision, threshold<0.5F>>>;
#endif

struct training : compile<net, micro_batch<8>, loss<binary_crossentropy>, wanted> {};

static_assert(check<training>());
