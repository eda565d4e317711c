// SPDX-License-Identifier: MIT
// Less memory than none.
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct digits_model
    : model<input<28, 28>, pipeline<stage<Flatten, Dense<16, relu>>, stage<Dense<10>>>> {};

template <int Bound>
struct training : compile<digits_model, micro_batch<8>, gradient_accumulation<4>,
                          zero_bubble_list<Bound>, loss<sparse_categorical_crossentropy>> {};

#ifdef WITH_MISTAKE
static_assert(check<training<-3>>());
#else
static_assert(check<training<3>>());
#endif
