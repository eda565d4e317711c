// SPDX-License-Identifier: MIT
// A gradient that is clipped in two ways, which Keras refuses as well.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<sparse_categorical_crossentropy>,
                          optimizer<adam, clipnorm<1>, clipvalue<1>>> {};
#else
struct training
    : compile<net, loss<sparse_categorical_crossentropy>, optimizer<adam, clipnorm<1>>> {};
#endif
static_assert(check<training>());
