// SPDX-License-Identifier: MIT
// Counts that none of several schedules takes.
#include <ipu_dsl/catalogue/best_of.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, pipeline<stage<Dense<8>>, stage<Dense<8>>, stage<Dense<3>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, best_of<grouped, interleaved, zb_v>, gradient_accumulation<8>,
                          loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, best_of<grouped, interleaved, zb_v>, gradient_accumulation<9>,
                          loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
