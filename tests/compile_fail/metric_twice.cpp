// SPDX-License-Identifier: MIT
// Two metrics of a kind by one name.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<1>, sigmoid>> {};

#ifdef WITH_MISTAKE
using wanted = metrics<precision, metric<precision, threshold<0.7F>>>;
#else
using wanted = metrics<precision, metric<precision, threshold<0.7F>, metric_name<"strict">>>;
#endif

struct training : compile<net, micro_batch<8>, loss<binary_crossentropy>, wanted> {};

static_assert(check<training>());
