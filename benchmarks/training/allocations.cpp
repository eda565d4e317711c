// SPDX-License-Identifier: MIT
// How often a constructed session asks for memory.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

#include "support/counted_allocations.hpp"

namespace {

using namespace ipu_dsl;

struct mlp : model<input<64>, pipeline<stage<Dense<48, relu>>, stage<Dense<32, relu>, Dense<10>>>> {
};

struct training : compile<mlp, micro_batch<32>, gradient_accumulation<4>, grouped,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

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

void allocations_of_calls(benchmark::State& state) {
  session<training> run({.learning_rate = 0.01F, .momentum = 0.9F},
                        {.threads = static_cast<int>(state.range(0))});
  const std::vector<float> features(std::size_t{128} * 64, 0.5F);
  const std::vector<std::int32_t> labels(128, 1);
  std::vector<float> outputs(std::size_t{128} * 10);
  for (auto _ : state) {
    const std::int64_t before = tests::allocations.load();
    benchmark::DoNotOptimize(std::vector<int>(8));
    state.counters["counted"] = static_cast<double>(tests::allocations.load() - before);
    state.counters["step"] = allocations_of([&] { run.train_step(features, labels); });
    state.counters["prediction"] = allocations_of([&] { run.predict(features, outputs); });
  }
}

BENCHMARK(allocations_of_calls)->ArgName("threads")->Arg(1)->Arg(2)->Iterations(1);

}  // namespace
