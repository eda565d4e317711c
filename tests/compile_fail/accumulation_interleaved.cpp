// SPDX-License-Identifier: MIT
// A count between two that the interleaved schedule allows.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>> {};

#ifdef WITH_MISTAKE
struct training
    : compile<net, interleaved, gradient_accumulation<7>, loss<sparse_categorical_crossentropy>> {};
#else
struct training
    : compile<net, interleaved, gradient_accumulation<8>, loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
