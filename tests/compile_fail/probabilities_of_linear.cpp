// SPDX-License-Identifier: MIT
// A loss from probabilities of a model that ends in logits.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, gradient_accumulation<4>,
                          loss<sparse_categorical_crossentropy, from_probabilities>> {};
#else
struct training : compile<net, gradient_accumulation<4>,
                          loss<sparse_categorical_crossentropy, from_clipped_probabilities>> {};
#endif
static_assert(check<training>());
