// SPDX-License-Identifier: MIT
// A learning rate by a lambda that captures what it needs.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

struct training : compile<net, loss<sparse_categorical_crossentropy>, optimizer<adam>> {};

std::size_t bytes() {
#ifdef WITH_MISTAKE
  const double first = 0.1 * static_cast<double>(sizeof(net));
  session<training> run({.learning_rate = [first](std::uint64_t iteration) {
    return first / (1.0 + static_cast<double>(iteration));
  }});
#else
  session<training> run({.learning_rate = [](std::uint64_t iteration) {
    return 0.1 / (1.0 + static_cast<double>(iteration));
  }});
#endif
  return run.bytes();
}
