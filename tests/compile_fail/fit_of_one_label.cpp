// SPDX-License-Identifier: MIT
// A model with classes at each position, and data with one label a sample: Flatten was forgotten.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 3>, sequential<Dense<5, softmax>>> {};
#else
struct net : model<input<4, 3>, sequential<Flatten, Dense<5, softmax>>> {};
#endif

struct training : compile<net, micro_batch<8>, loss<sparse_categorical_crossentropy>> {};

void train(const std::vector<float>& features, const std::vector<std::int32_t>& kinds) {
  session<training> run;
  const auto data = zipped(feature_column<shape{4, 3}>(features), label_column<5>(kinds));
  run.fit(data);
  run.evaluate(data);
}
