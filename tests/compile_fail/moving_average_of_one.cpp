// SPDX-License-Identifier: MIT
// An average that stays what it began with.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training
    : compile<net, loss<sparse_categorical_crossentropy>, optimizer<adam, moving_average<1>>> {};
#else
struct training
    : compile<net, loss<sparse_categorical_crossentropy>, optimizer<adam, moving_average<0.5F>>> {};
#endif
static_assert(check<training>());
