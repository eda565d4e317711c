// SPDX-License-Identifier: MIT
// A batch of flat rows for a model of images.
#include <span>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4, 4>, sequential<Flatten, Dense<3>>> {};

struct predicting : compile<net, micro_batch<1>> {};

#ifdef WITH_MISTAKE
using batch = tensor_view<const float, 2>;
#else
using batch = tensor_view<const float, 3>;
#endif

void classify(session<predicting>& run, const batch& images, std::span<float> scores) {
  run.predict(images, scores);
}
