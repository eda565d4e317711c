// SPDX-License-Identifier: MIT
// Classes at each position, judged by a loss of one class a sample.
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 3>, sequential<Dense<5, softmax>>> {};
#else
struct net : model<input<4, 3>, sequential<Flatten, Dense<5, softmax>>> {};
#endif

struct training : compile<net, loss<categorical_crossentropy>> {};

static_assert(check<training>());
