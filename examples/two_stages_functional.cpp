// SPDX-License-Identifier: MIT
// The tutorial's third program: a functional model in two pipeline stages.
#include "tutorial.hpp"

using namespace ipu_dsl;

// [model]
struct two_devices {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor input_layer = build.input({28, 28, 1});
    build.stage(0);
    symbolic_tensor x = build.layer<Flatten>("flatten", input_layer);
    x = build.layer<Dense<256, relu>>("dense256", x);
    x = build.layer<Dense<128, relu>>("dense128", x);
    x = build.layer<Dense<64, relu>>("dense64", x);
    build.stage(1);
    x = build.layer<Dense<32, relu>>("dense32", x);
    x = build.layer<Dense<10>>("logits", x);
    return x;
  }
};

static_assert(check<two_devices>());

// [/model]

struct training
    : compile<two_devices, micro_batch<tutorial::batch_size>,
              gradient_accumulation<tutorial::steps_per_replica>, grouped,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

int main(int argc, char** argv) {
  return tutorial::train<training>("two_devices", argc, argv);
}
