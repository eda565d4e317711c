// SPDX-License-Identifier: MIT
// The tutorial's first program: a functional model on a single device.
#include "tutorial.hpp"

using namespace ipu_dsl;

// [model]
struct single_device {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor input_layer = build.input({28, 28, 1});
    symbolic_tensor x = build.layer<Flatten>("flatten", input_layer);
    x = build.layer<Dense<256, relu>>("dense256", x);
    x = build.layer<Dense<128, relu>>("dense128", x);
    x = build.layer<Dense<64, relu>>("dense64", x);
    x = build.layer<Dense<32, relu>>("dense32", x);
    x = build.layer<Dense<10>>("logits", x);
    return x;
  }
};

static_assert(check<single_device>());

// [/model]

// [compile]
struct training
    : compile<single_device, micro_batch<tutorial::batch_size>,
              gradient_accumulation<tutorial::steps_per_replica>,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

// [/compile]

int main(int argc, char** argv) {
  return tutorial::train<training>("single_device", argc, argv);
}
