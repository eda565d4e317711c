// SPDX-License-Identifier: MIT
// Labels as floats for evaluate.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

struct training : compile<net, micro_batch<2>, loss<sparse_categorical_crossentropy>> {};

evaluation test(session<training>& run, const std::vector<float>& features,
                const std::vector<float>& labels) {
#ifdef WITH_MISTAKE
  return run.evaluate(features, labels);
#else
  return run.evaluate(features, std::vector<std::int32_t>(labels.begin(), labels.end()));
#endif
}
