// SPDX-License-Identifier: MIT
// A penalty of what a layer puts out at every step, of which the samples are steps.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 6, 3>,
                   sequential<TimeDistributed<Conv1D<5, 3, activity_regularizer<l2<0.01F>>>>,
                              Flatten, Dense<3>>> {};
#else
struct net
    : model<input<4, 6, 3>, sequential<TimeDistributed<Conv1D<5, 3>>,
                                       ActivityRegularization<l2<0.01F>>, Flatten, Dense<3>>> {};
#endif
struct training : compile<net, loss<sparse_categorical_crossentropy>> {};

static_assert(check<training>());
