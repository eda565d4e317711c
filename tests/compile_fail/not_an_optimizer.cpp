// SPDX-License-Identifier: MIT
// What is no optimizer in optimizer<...>.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<sparse_categorical_crossentropy>, optimizer<momentum>> {};
#else
struct training : compile<net, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};
#endif
static_assert(check<training>());
