// SPDX-License-Identifier: MIT
// A schedule that keeps the weights twice, which is said before what its counts are.
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, pipeline<stage<Dense<8>>, stage<Dense<8>>, stage<Dense<3>>>> {};

struct training
    : compile<net, chimera, gradient_accumulation<8>, loss<sparse_categorical_crossentropy>> {};
#else
struct net : model<input<8>,
                   pipeline<stage<Dense<8>>, stage<Dense<8>>, stage<Dense<8>>, stage<Dense<3>>>> {};

struct training
    : compile<net, dualpipe_v, gradient_accumulation<8>, loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
