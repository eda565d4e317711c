// SPDX-License-Identifier: MIT
// The tutorial's second program: a sequential model on a single device. It ends in softmax, and the
// loss is one from logits: the logits before the softmax are used, and the summary says so.
#include "tutorial.hpp"

using namespace ipu_dsl;

// [model]
struct single_device : model<input<28, 28>, sequential<named<"flatten", Flatten>,            //
                                                       named<"dense256", Dense<256, relu>>,  //
                                                       named<"dense128", Dense<128, relu>>,  //
                                                       named<"dense64", Dense<64, relu>>,    //
                                                       named<"dense32", Dense<32, relu>>,    //
                                                       named<"logits", Dense<10, softmax>>>> {};

static_assert(check<single_device>());

// [/model]

struct training
    : compile<single_device, micro_batch<tutorial::batch_size>,
              gradient_accumulation<tutorial::steps_per_replica>,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

int main(int argc, char** argv) {
  return tutorial::train<training>("single_device", argc, argv);
}
