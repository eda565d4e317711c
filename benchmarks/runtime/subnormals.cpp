// SPDX-License-Identifier: MIT
// What samples of subnormal numbers cost a predictor beside samples of normal ones, and what
// `subnormals_as_zeros` makes of that. The counter `ratio` is to the normal samples of the same
// round; the best of many calls.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>

#include <benchmark/benchmark.h>

#include <ipu_dsl/inference.hpp>

#include "measure/machine.hpp"

using namespace ipu_dsl;

namespace {

template <typename Activation>
struct net : model<input<64>, sequential<Dense<64, Activation>, Dense<64, Activation>, Dense<8>>> {
};

using sample = std::array<float, 64>;

sample scaled(float size) {
  sample values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = size * (static_cast<float>(i % 7) - 2.5F);
  }
  return values;
}

/// Nanoseconds of the fastest of a few calls.
template <typename Predictor>
double time_push(Predictor& given, const sample& values) {
  double best = std::numeric_limits<double>::max();
  for (int call = 0; call < 20; ++call) {
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(given.push(values).data());
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

template <typename Activation, bool AsZeros>
void push_subnormals(benchmark::State& state) {
  measure::stay_on(0);
  weights_of<net<Activation>> weights;
  weights.initialize(1);
  predictor<net<Activation>> given(weights);
  const sample normal = scaled(1.0F);
  const sample subnormal = scaled(1e-41F);
  std::optional<subnormals_as_zeros> scope;
  if (AsZeros) {
    scope.emplace();
  }
  double normal_time = std::numeric_limits<double>::max();
  double subnormal_time = std::numeric_limits<double>::max();
  for (auto _ : state) {
    normal_time = std::min(normal_time, time_push(given, normal));
    subnormal_time = std::min(subnormal_time, time_push(given, subnormal));
  }
  state.counters["normal_ns"] = normal_time;
  state.counters["subnormal_ns"] = subnormal_time;
  state.counters["ratio"] = subnormal_time / normal_time;
}

BENCHMARK(push_subnormals<relu, false>)->Name("relu");
BENCHMARK(push_subnormals<relu, true>)->Name("relu/as_zeros");
BENCHMARK(push_subnormals<ipu_dsl::hyperbolic_tangent, false>)->Name("tanh");
BENCHMARK(push_subnormals<ipu_dsl::hyperbolic_tangent, true>)->Name("tanh/as_zeros");
BENCHMARK(push_subnormals<sigmoid, false>)->Name("sigmoid");
BENCHMARK(push_subnormals<sigmoid, true>)->Name("sigmoid/as_zeros");

}  // namespace
