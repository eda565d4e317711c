// SPDX-License-Identifier: MIT
// A session that does not say of what.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64, relu>, Dense<10>>> {};

struct training : compile<net, loss<sparse_categorical_crossentropy>> {};

void train() {
#ifdef WITH_MISTAKE
  session run;
#else
  session<training> run;
#endif
  run.save("weights.npz");
}
