// SPDX-License-Identifier: MIT
// Asking for the gradients of a model whose updates are fused into its weight gradients.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, gradients_in_hand, loss<sparse_categorical_crossentropy>> {};
#endif

void train(session<training>& run, const std::vector<float>& features,
           const std::vector<int>& labels) {
  run.compute_gradients(features, labels);
  run.apply_gradients();
}
