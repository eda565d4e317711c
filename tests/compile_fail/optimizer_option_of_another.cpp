// SPDX-License-Identifier: MIT
// An option of an optimizer given to another.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training
    : compile<net, loss<sparse_categorical_crossentropy>, optimizer<rmsprop<momentum, nesterov>>> {
};
#else
struct training
    : compile<net, loss<sparse_categorical_crossentropy>, optimizer<rmsprop<momentum, centered>>> {
};
#endif
static_assert(check<training>());
