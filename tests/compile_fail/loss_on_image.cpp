// SPDX-License-Identifier: MIT
// A loss on an output that is no vector of scores.
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64>, Reshape<8, 8>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, micro_batch<8>> {};
#endif
static_assert(check<training>());
