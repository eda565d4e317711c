// SPDX-License-Identifier: MIT
// What samples count, as a list in braces.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

struct training
    : compile<net, micro_batch<2>, loss<sparse_categorical_crossentropy, sample_weights>> {};

void train(session<training>& run, const std::vector<float>& features,
           const std::vector<std::int32_t>& labels) {
#ifdef WITH_MISTAKE
  run.train_step(features, labels, {1, 0.5F});
#else
  run.train_step(features, labels, std::vector<float>{1, 0.5F});
#endif
}
