// SPDX-License-Identifier: MIT
// Features without labels.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

struct training : compile<net, micro_batch<2>, loss<sparse_categorical_crossentropy>> {};

void train(session<training>& run, const std::vector<float>& features,
           const std::vector<std::int32_t>& labels) {
#ifdef WITH_MISTAKE
  run.fit(features, {.epochs = 2});
#else
  run.fit(features, labels, {.epochs = 2});
#endif
}
