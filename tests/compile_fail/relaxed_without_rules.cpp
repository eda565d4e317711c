// SPDX-License-Identifier: MIT
// A schedule without rules of divisibility, from which they are taken away.
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct mlp : model<input<4>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

#ifdef WITH_MISTAKE
using order = relaxed<gpipe>;
#else
using order = relaxed<grouped>;
#endif

struct training : compile<mlp, micro_batch<2>, gradient_accumulation<4>, order,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<>>> {};

static_assert(check<training>());
