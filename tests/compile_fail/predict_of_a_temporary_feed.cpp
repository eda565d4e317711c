// SPDX-License-Identifier: MIT
// A prediction from a feed that nobody keeps.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

struct training : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>> {};

void predict(session<training>& run, const labelled_dataset<shape{4}, 3, float>& data,
             std::vector<float>& scores) {
#ifdef WITH_MISTAKE
  run.predict(make_feed(data, 1), scores);
#else
  auto source = make_feed(data, 1);
  run.predict(source, scores);
#endif
}
