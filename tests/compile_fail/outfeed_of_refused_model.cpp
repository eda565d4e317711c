// SPDX-License-Identifier: MIT
// A schedule for more stages than the model has; what is made of the session, and its gradients,
// are no second error.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/training_outfeed.hpp>

using namespace ipu_dsl;

struct net : model<input<3>, sequential<Dense<2>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, micro_batch<2>, gradient_accumulation<4>, grouped,
                          loss<mean_squared_error>, gradients_in_hand> {};
#else
struct training : compile<net, micro_batch<2>, gradient_accumulation<4>, loss<mean_squared_error>,
                          gradients_in_hand> {};
#endif

void train(const std::vector<float>& features, const std::vector<float>& targets) {
  session<training> run;
  loss_outfeed losses(run);
  const double loss = run.compute_gradients(features, targets);
  if (loss > 0 && run.gradients().size() == 2) {
    run.apply_gradients();
  }
}
