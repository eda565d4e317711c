// SPDX-License-Identifier: MIT
// weight_decay<...> around an optimizer that has a decay of its own.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
using chosen = optimizer<adamw, weight_decay<0.1F>>;
#else
using chosen = optimizer<adam, weight_decay<0.1F>>;
#endif

struct training : compile<net, loss<sparse_categorical_crossentropy>, chosen> {};

static_assert(check<training>());
