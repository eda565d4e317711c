// SPDX-License-Identifier: MIT
// Asking for the outputs of a training that hands out none.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/training_outfeed.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, outfeed_outputs, loss<sparse_categorical_crossentropy>> {};
#endif

void train(session<training>& run) {
  training_outfeed results(run);
  results.close();
}
