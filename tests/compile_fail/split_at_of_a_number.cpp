// SPDX-License-Identifier: MIT
// A cut behind a layer by its number.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<8>,
                   sequential<Dense<8>, named<"conv4_block2_add", residual<Dense<8>>>, Dense<4>>> {
};

#ifdef WITH_MISTAKE
struct cut : split_at<net, 1> {};
#else
struct cut : split_at<net, "conv4_block2_add"> {};
#endif
static_assert(check<cut>());
