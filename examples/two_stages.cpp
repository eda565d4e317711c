// SPDX-License-Identifier: MIT
// The tutorial's fourth program: a sequential model whose layers are assigned to two stages by
// number. The first two layers are in the first stage, the others in the second.
#include "tutorial.hpp"

using namespace ipu_dsl;

// [model]
struct two_devices : model<input<28, 28>,
                           sequential<named<"flatten", Flatten>,            //
                                      named<"dense256", Dense<256, relu>>,  //
                                      named<"dense128", Dense<128, relu>>,  //
                                      named<"dense64", Dense<64, relu>>,    //
                                      named<"dense32", Dense<32, relu>>,    //
                                      named<"logits", Dense<10, softmax>>>,
                           stage_assignment<0, 0, 1, 1, 1, 1>> {};

static_assert(check<two_devices>());

// [/model]

// Without a schedule it is the reference's default, grouped.
struct training
    : compile<two_devices, micro_batch<tutorial::batch_size>,
              gradient_accumulation<tutorial::steps_per_replica>,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

int main(int argc, char** argv) {
  std::printf("%s\n", stage_assignment_text(graph_of<two_devices>, "two_devices").c_str());
  return tutorial::train<training>("two_devices", argc, argv);
}
