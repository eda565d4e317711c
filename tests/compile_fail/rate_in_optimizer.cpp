// SPDX-License-Identifier: MIT
// A learning rate, which is a setting, among the options of the optimizer.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training
    : compile<net, loss<sparse_categorical_crossentropy>, optimizer<adam, cosine_decay>> {};
#else
struct training : compile<net, loss<sparse_categorical_crossentropy>, optimizer<adam>> {};
#endif
static_assert(check<training>());
