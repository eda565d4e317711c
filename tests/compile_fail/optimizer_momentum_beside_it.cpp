// SPDX-License-Identifier: MIT
// An optimizer's own option beside it instead of within it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<sparse_categorical_crossentropy>, optimizer<sgd<>, momentum>> {
};
#else
struct training : compile<net, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};
#endif
static_assert(check<training>());
