// SPDX-License-Identifier: MIT
// A program that takes names behind the library: functions, types and macros.
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define near
#define far
#define check(condition) static_assert(condition)

namespace theater {

struct stage {
  int number;
};

inline float tanh(stage on) {
  return static_cast<float>(on.number);
}

float act() {
  stage on{min(1, 2)};
  return tanh(on) + max(0.0F, 1.0F);
}

}  // namespace theater

struct late_model
    : model<input<4>, pipeline<stage<Dense<4, hyperbolic_tangent>>, stage<Dense<2>>>> {};

struct late_training : compile<late_model, micro_batch<4>, gradient_accumulation<4>,
                               loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

static_assert(ipu_dsl::check<late_training>());
check(late_training::timeline.devices == 2);

double use_names_taken_behind() {
  session<late_training> run;
  return static_cast<double>(tanh(0.5)) + static_cast<double>(run.bytes());
}
