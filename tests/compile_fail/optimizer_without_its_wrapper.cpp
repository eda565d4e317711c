// SPDX-License-Identifier: MIT
// An optimizer as an option of compile, as Keras takes it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, micro_batch<2>, loss<sparse_categorical_crossentropy>, adam> {};
#else
struct training
    : compile<net, micro_batch<2>, loss<sparse_categorical_crossentropy>, optimizer<adam>> {};
#endif

static_assert(check<training>());
