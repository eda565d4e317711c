// SPDX-License-Identifier: MIT
// Devices that the stages cannot be dealt over evenly.
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<8>,
                   pipeline<stage<Dense<8>>, stage<Dense<8>>, stage<Dense<8>>, stage<Dense<3>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, interleaved_one_f_one_b, gradient_accumulation<8>, devices<3>,
                          loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, interleaved_one_f_one_b, gradient_accumulation<8>, devices<2>,
                          loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
