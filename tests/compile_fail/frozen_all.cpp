// SPDX-License-Identifier: MIT
// A training of a model of which nothing learns.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<frozen<Dense<4, relu>>, frozen<Dense<3>>>> {};
#else
struct net : model<input<8>, sequential<frozen<Dense<4, relu>>, Dense<3>>> {};
#endif
struct training : compile<net, gradient_accumulation<4>, loss<sparse_categorical_crossentropy>> {};

static_assert(check<training>());
