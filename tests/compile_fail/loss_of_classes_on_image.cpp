// SPDX-License-Identifier: MIT
// A loss that judges a vector, of an image.
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<4>, Reshape<2, 2>>> {};

#ifdef WITH_MISTAKE
using wanted = loss<cosine_similarity>;
#else
using wanted = loss<mean_absolute_error>;
#endif

struct training : compile<net, micro_batch<8>, wanted> {};

static_assert(check<training>());
