// SPDX-License-Identifier: MIT
// A column of floats is given doubles.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

auto features_of(const std::vector<double>& houses) {
#ifdef WITH_MISTAKE
  return feature_column<shape{2}>(houses);
#else
  return feature_column<shape{2}>(numbers_from<float>(houses));
#endif
}
