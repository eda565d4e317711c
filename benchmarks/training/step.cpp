// SPDX-License-Identifier: MIT
// The training step of the tutorial's model, as a share of the multiply-add peak of the same run.
// Limit: 2 x multiply-adds (forward, weight gradient, input gradient without the first layer) /
// peak, extents not padded, input in memory as floats.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include <ipu_dsl/ipu_dsl.hpp>

#include "measure/machine.hpp"
#include "measure/race.hpp"
#include "table/network_shape.hpp"

using namespace ipu_dsl;

namespace {

struct mlp
    : model<input<784>, pipeline<stage<Dense<256, relu>>, stage<Dense<128, relu>, Dense<64, relu>,
                                                                Dense<32, relu>, Dense<10>>>> {};

template <int MicroBatches>
struct training : compile<mlp, micro_batch<32>, gradient_accumulation<MicroBatches>, grouped,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Floating-point operations per second of this core.
double measure_peak() {
  const std::unique_ptr<measure::contestant> chains = measure::make_peak();
  measure::lane lanes[] = {{"peak", chains.get()}};
  measure::race(lanes, {.rounds = 300, .seconds = 0, .most_seconds = 0});
  return measure::operations_of_peak() / lanes[0].time.minimum;
}

template <int MicroBatches>
void train(benchmark::State& state) {
  constexpr int samples = 32 * MicroBatches;
  session<training<MicroBatches>> run{{.learning_rate = 0.001F, .momentum = 0.9F},
                                      {.threads = static_cast<int>(state.range(0))}};
  std::vector<float> features(std::size_t{samples} * 784, 0.1F);
  std::vector<std::int32_t> labels(std::size_t{samples}, 3);
  double best = 1e9;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(run.train_step(features, labels));
    best = std::min(best, seconds_since(start));
  }
  const double peak = measure_peak();
  const double limit = peak / (2 * table::multiply_adds_of_training());
  state.counters["samples/s"] = samples / best;
  state.counters["share_of_limit"] = samples / best / limit;
  state.counters["peak_GFLOP/s"] = 1e-9 * peak;
}

BENCHMARK(train<4>)->ArgName("threads")->Arg(1)->Arg(2)->Repetitions(5)->UseRealTime();
BENCHMARK(train<16>)->ArgName("threads")->Arg(1)->Arg(2)->Repetitions(5)->UseRealTime();

}  // namespace
