// SPDX-License-Identifier: MIT
// The training step of the tutorial's model, as a share of the multiply-add peak of the same run.
// Limit: 2 x multiply-adds (forward, weight gradient, input gradient without the first layer) /
// peak, extents not padded, input in memory as floats.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include <ipu_dsl/ipu_dsl.hpp>

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

/// Multiply-adds per second of this core: twelve independent chains, the best of many rounds.
double measure_peak() {
  using lanes = kernels::vector<layout::native>;
  constexpr int chains = 12;
  constexpr int steps = 20'000;
  double best = 0;
  for (int round = 0; round < 200; ++round) {
    lanes sums[std::size_t{chains}];
    kernels::unrolled<chains>([&](auto i) { sums[i] = lanes(static_cast<float>(i)); });
    const auto start = std::chrono::steady_clock::now();
#pragma GCC unroll 1
    for (int step = 0; step < steps; ++step) {
      kernels::unrolled<chains>([&](auto i) __attribute__((always_inline)) {
        sums[i] = kernels::multiply_add(lanes(0.999F), sums[i], lanes(0.5F));
      });
    }
    kernels::unrolled<chains>([&](auto i) { benchmark::DoNotOptimize(sums[i]); });
    const double done = double{steps} * chains * layout::native.lanes;
    best = std::max(best, done / seconds_since(start));
  }
  return best;
}

/// Multiply-adds of one sample: forward and weight gradient of every layer, input gradient of all
/// but the first.
constexpr double multiply_adds_of_sample() {
  constexpr double first = 784.0 * 256;
  constexpr double rest = 256.0 * 128 + 128.0 * 64 + 64.0 * 32 + 32.0 * 10;
  return 2 * first + 3 * rest;
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
  const double limit = peak / multiply_adds_of_sample();
  state.counters["samples/s"] = samples / best;
  state.counters["share_of_limit"] = samples / best / limit;
  state.counters["peak_GFLOP/s"] = 2e-9 * peak;
}

BENCHMARK(train<4>)->ArgName("threads")->Arg(1)->Arg(2)->Repetitions(5)->UseRealTime();
BENCHMARK(train<16>)->ArgName("threads")->Arg(1)->Arg(2)->Repetitions(5)->UseRealTime();

}  // namespace
