// SPDX-License-Identifier: MIT
// A metric as an option of compile.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, micro_batch<2>, loss<sparse_categorical_crossentropy>, accuracy> {};
#else
struct training
    : compile<net, micro_batch<2>, loss<sparse_categorical_crossentropy>, metrics<accuracy>> {};
#endif

static_assert(check<training>());
