// SPDX-License-Identifier: MIT
// Averages of weights from an optimizer that keeps none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<sparse_categorical_crossentropy>, optimizer<adam>> {};
#else
struct training
    : compile<net, loss<sparse_categorical_crossentropy>, optimizer<adam, moving_average<0.99F>>> {
};
#endif

void save(session<training>& run) {
  const auto averaged = run.averaged_weights();
  run.save("averaged.npz");
}
