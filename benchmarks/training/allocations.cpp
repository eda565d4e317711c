// SPDX-License-Identifier: MIT
// How often a constructed session or predictor asks for memory.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

#include "support/counted_allocations.hpp"

namespace {

using namespace ipu_dsl;

struct mlp : model<input<64>, pipeline<stage<Dense<48, relu>>, stage<Dense<32, relu>, Dense<10>>>> {
};

struct training
    : compile<mlp, micro_batch<32>, gradient_accumulation<4>, grouped,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

/// Of one call, on average over many.
template <typename Call>
double allocations_of(const Call& call) {
  constexpr int calls = 100;
  const std::int64_t before = tests::allocations.load();
  for (int i = 0; i < calls; ++i) {
    call();
  }
  return static_cast<double>(tests::allocations.load() - before) / calls;
}

/// Whether allocations are counted here.
void count_one(benchmark::State& state) {
  const std::int64_t before = tests::allocations.load();
  benchmark::DoNotOptimize(std::vector<int>(8));
  state.counters["counted"] = static_cast<double>(tests::allocations.load() - before);
}

void allocations_of_session(benchmark::State& state) {
  session<training> run({.learning_rate = 0.01F, .momentum = 0.9F},
                        {.threads = static_cast<int>(state.range(0))});
  const std::vector<float> features(std::size_t{128} * 64, 0.5F);
  const std::vector<std::int32_t> labels(128, 1);
  std::vector<float> outputs(std::size_t{128} * 10);
  for (auto _ : state) {
    count_one(state);
    state.counters["step"] = allocations_of([&] { run.train_step(features, labels); });
    state.counters["prediction"] = allocations_of([&] { run.predict(features, outputs); });
  }
}

void allocations_of_predictor(benchmark::State& state) {
  weights_of<mlp> weights;
  weights.initialize(1);
  predictor<mlp, micro_batch<1>> single(weights);
  predictor<mlp, micro_batch<32>> batches(weights);
  const std::array<float, std::size_t{32} * 64> features{};
  const auto sample = std::span(features).first<64>();
  std::array<float, std::size_t{32} * 10> outputs{};
  for (auto _ : state) {
    count_one(state);
    state.counters["prediction"] = allocations_of([&] {
      single.predict(sample, std::span(outputs).first<10>());
      batches.predict(features, outputs);
    });
    state.counters["push"] =
        allocations_of([&] { benchmark::DoNotOptimize(single.push(sample).data()); });
  }
}

BENCHMARK(allocations_of_session)->ArgName("threads")->Arg(1)->Arg(2)->Iterations(1);
BENCHMARK(allocations_of_predictor)->Iterations(1);

}  // namespace
