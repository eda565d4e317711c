// SPDX-License-Identifier: MIT
// The tutorial's last program: the same model with the interleaved schedule, which keeps fewer
// activations than the grouped one.
#include "tutorial.hpp"

using namespace ipu_dsl;

struct two_devices : model<input<28, 28>,
                           sequential<named<"flatten", Flatten>,            //
                                      named<"dense256", Dense<256, relu>>,  //
                                      named<"dense128", Dense<128, relu>>,  //
                                      named<"dense64", Dense<64, relu>>,    //
                                      named<"dense32", Dense<32, relu>>,    //
                                      named<"logits", Dense<10, softmax>>>,
                           stage_assignment<0, 0, 1, 1, 1, 1>> {};

static_assert(check<two_devices>());

// [compile]
struct training
    : compile<two_devices, micro_batch<tutorial::batch_size>,
              gradient_accumulation<tutorial::steps_per_replica>, interleaved,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

// [/compile]

int main(int argc, char** argv) {
  return tutorial::train<training>("two_devices", argc, argv);
}
