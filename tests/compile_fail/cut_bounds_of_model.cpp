// SPDX-License-Identifier: MIT
// The cuts of a model that is not compiled.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/plan/cut_bounds.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3, relu>, Dense<2>>> {};

struct training : compile<net, micro_batch<4>, loss<mean_squared_error>, optimizer<sgd<momentum>>> {
};

#ifdef WITH_MISTAKE
static_assert(cut_bounds_of<net>[0].first_layer == 1);
#else
static_assert(cut_bounds_of<training>[0].first_layer == 1);
#endif
