// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <vector>

#include <ipu_dsl/runtime/subnormals.hpp>

#include "inference/models.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr float smallest_normal = std::numeric_limits<float>::min();

/// Read and written where the compiler cannot see, so that the processor computes.
float halve(float number) {
  volatile float given = number;
  volatile float half = given * 0.5F;
  return half;
}

template <model_type M>
std::vector<float> results_of(const std::vector<float>& features) {
  weights_of<M> weights;
  weights.initialize(3);
  predictor<M, micro_batch<4>> given(weights);
  std::vector<float> output(4 * predictor<M>::result_values);
  CHECK(given.predict(features, output));
  return output;
}

template <model_type M>
std::vector<float> results_as_zeros(const std::vector<float>& features) {
  const subnormals_as_zeros here;
  return results_of<M>(features);
}

}  // namespace

TEST_CASE("subnormal numbers are zeros within the scope, and there again behind it") {
  CHECK(halve(smallest_normal) > 0.0F);
  if (subnormals_as_zeros::available) {
    const subnormals_as_zeros outer;
    CHECK(halve(smallest_normal) == 0.0F);
    CHECK(halve(2 * smallest_normal) == smallest_normal);
    {
      const subnormals_as_zeros inner;
      CHECK(halve(smallest_normal) == 0.0F);
    }
    CHECK(halve(smallest_normal) == 0.0F);
  }
  CHECK(halve(smallest_normal) > 0.0F);
}

TEST_CASE("samples of subnormal numbers predict as zeros do, those of others as ever") {
  const std::vector<float> normal = samples_of(128);
  CHECK(results_as_zeros<whole_ends>(normal) == results_of<whole_ends>(normal));
  CHECK(results_as_zeros<joined>(normal) == results_of<joined>(normal));
  const std::vector<float> subnormal(128, smallest_normal / 4);
  const std::vector<float> zeros(128);
  if (subnormals_as_zeros::available) {
    CHECK(results_as_zeros<whole_ends>(subnormal) == results_of<whole_ends>(zeros));
  }
  CHECK(results_of<whole_ends>(subnormal) != results_of<whole_ends>(zeros));
}
