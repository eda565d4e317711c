// SPDX-License-Identifier: MIT
// A loop over a history, which has epochs and losses.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

double sum_of(const history& passed) {
  double sum = 0;
#ifdef WITH_MISTAKE
  for (const auto& epoch : passed) {
#else
  for (const auto& epoch : passed.epochs()) {
#endif
    sum += epoch.loss;
  }
  return sum;
}
