// SPDX-License-Identifier: MIT
// A column of features, which nobody has zipped with labels.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

struct training : compile<net, loss<sparse_categorical_crossentropy>> {};

void train(session<training>& run, const feature_column<shape{4}>& features,
           const label_column<3>& labels) {
#ifdef WITH_MISTAKE
  static_cast<void>(labels);
  run.fit(features, {.epochs = 2});
#else
  run.fit(zipped(features, labels), {.epochs = 2});
#endif
}
