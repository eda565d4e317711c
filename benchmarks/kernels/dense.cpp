// SPDX-License-Identifier: MIT
// The matrix products of the MNIST MLP at batch 32, as shares of the peak measured in the same run.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <benchmark/benchmark.h>

#include <ipu_dsl/kernels/dense_forward.hpp>
#include <ipu_dsl/kernels/dense_input_gradient.hpp>
#include <ipu_dsl/kernels/dense_output_gradient.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>

using namespace ipu_dsl;

namespace {

/// Buffers begin on cache lines, as those of a session do: a vector of 64 bytes that straddles two
/// lines is loaded twice.
template <typename T>
struct line_allocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), line));
  }

  void deallocate(T* memory, std::size_t) { ::operator delete(memory, line); }

  friend bool operator==(line_allocator, line_allocator) { return true; }
};

using buffer = std::vector<float, line_allocator<float>>;

buffer filled(std::int64_t elements, float value) {
  return buffer(static_cast<std::size_t>(elements), value);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr int chains = 12;

/// `steps` multiply-adds on each of twelve independent vectors: nothing but the multiply-add units.
[[gnu::noinline]] float multiply_add_chains(int steps) {
  using lanes = kernels::vector<layout::native>;
  lanes sums[static_cast<std::size_t>(chains)];
  kernels::unrolled<chains>([&](auto i) { sums[i] = lanes(static_cast<float>(i)); });
  const lanes factor(0.999F);
  const lanes term(0.5F);
#pragma GCC unroll 1
  for (int step = 0; step < steps; ++step) {
    kernels::unrolled<chains>([&](auto i) __attribute__((always_inline)) {
      sums[i] = kernels::multiply_add(factor, sums[i], term);
    });
  }
  float total = 0.0F;
  kernels::unrolled<chains>([&](auto i) {
    float elements[static_cast<std::size_t>(layout::native.lanes)];
    kernels::store(elements, sums[i]);
    total = total + elements[0];
  });
  return total;
}

/// Floating-point operations a second of the chains, over about 10 microseconds.
double peak_of_one_sample() {
  constexpr int steps = 2'000;
  const auto start = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(multiply_add_chains(steps));
  return 2.0 * steps * chains * layout::native.lanes / seconds_since(start);
}

/// Runs `kernel` and the chains in turn, so that both see the same clock frequency, and reports the
/// best of each: on a shared machine the best is what repeats.
template <typename Kernel>
void run(benchmark::State& state, double operations, const Kernel& kernel) {
  double best_rate = 0.0;
  double best_peak = 0.0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    kernel();
    const double seconds = seconds_since(start);
    state.SetIterationTime(seconds);
    best_rate = operations / seconds > best_rate ? operations / seconds : best_rate;
    const double peak = peak_of_one_sample();
    best_peak = peak > best_peak ? peak : best_peak;
  }
  state.counters["GFLOP/s"] = best_rate * 1e-9;
  state.counters["peak_percent"] = 100.0 * best_rate / best_peak;
}

constexpr int batch = 32;

template <int Inputs, int Outputs>
constexpr double operations_of = 2.0 * batch * Inputs * Outputs;

template <int Inputs, int Outputs>
void forward(benchmark::State& state) {
  const buffer x = filled(std::int64_t{batch} * layout::row_stride(Inputs), 0.01F);
  const buffer w = filled(layout::panel_elements(Inputs, Outputs), 0.02F);
  const buffer bias = filled(layout::bias_elements(Outputs), 0.1F);
  buffer y = filled(std::int64_t{batch} * layout::row_stride(Outputs), 0.0F);
  run(state, operations_of<Inputs, Outputs>, [&] {
    kernels::dense_forward<batch, Inputs, Outputs, activation_kind::relu>(
        x.data(), w.data(), bias.data(), y.data(), 0.0F);
    benchmark::ClobberMemory();
  });
}

template <int Inputs, int Outputs>
void input_gradient(benchmark::State& state) {
  const buffer w = filled(layout::panel_elements(Inputs, Outputs), 0.02F);
  const buffer d = filled(std::int64_t{Outputs} * layout::batch_stride(batch), 0.01F);
  buffer dx = filled(std::int64_t{Inputs} * layout::batch_stride(batch), 0.0F);
  run(state, operations_of<Inputs, Outputs>, [&] {
    kernels::dense_input_gradient<batch, Inputs, Outputs>(w.data(), d.data(), dx.data());
    benchmark::ClobberMemory();
  });
}

template <int Inputs, int Outputs>
void weight_gradient(benchmark::State& state) {
  const buffer x = filled(std::int64_t{batch} * layout::row_stride(Inputs), 0.01F);
  const buffer d = filled(std::int64_t{batch} * layout::row_stride(Outputs), 0.01F);
  buffer dw = filled(layout::panel_elements(Inputs, Outputs), 0.0F);
  buffer db = filled(layout::bias_elements(Outputs), 0.0F);
  run(state, operations_of<Inputs, Outputs>, [&] {
    kernels::dense_weight_gradient<batch, Inputs, Outputs>(x.data(), d.data(), dw.data(), db.data(),
                                                           false);
    benchmark::ClobberMemory();
  });
}

/// The pass between two layers of the backward pass: mask and transposes. Its operations are none.
template <int Units>
void output_gradient(benchmark::State& state) {
  const buffer gradient = filled(std::int64_t{Units} * layout::batch_stride(batch), 0.01F);
  const buffer y = filled(std::int64_t{batch} * layout::row_stride(Units), 0.01F);
  buffer d = y;
  buffer d_transposed = gradient;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    kernels::dense_output_gradient<batch, Units, activation_kind::relu,
                                   kernels::gradient_layout::transposed>(
        gradient.data(), y.data(), d.data(), d_transposed.data(), 0.0F);
    benchmark::ClobberMemory();
    state.SetIterationTime(seconds_since(start));
  }
}

BENCHMARK(forward<784, 256>)->UseManualTime();
BENCHMARK(forward<256, 128>)->UseManualTime();
BENCHMARK(forward<128, 64>)->UseManualTime();
BENCHMARK(forward<64, 32>)->UseManualTime();
BENCHMARK(forward<32, 10>)->UseManualTime();
BENCHMARK(input_gradient<256, 128>)->UseManualTime();
BENCHMARK(input_gradient<128, 64>)->UseManualTime();
BENCHMARK(input_gradient<64, 32>)->UseManualTime();
BENCHMARK(input_gradient<32, 10>)->UseManualTime();
BENCHMARK(weight_gradient<784, 256>)->UseManualTime();
BENCHMARK(weight_gradient<256, 128>)->UseManualTime();
BENCHMARK(weight_gradient<128, 64>)->UseManualTime();
BENCHMARK(weight_gradient<64, 32>)->UseManualTime();
BENCHMARK(weight_gradient<32, 10>)->UseManualTime();
BENCHMARK(output_gradient<256>)->UseManualTime();
BENCHMARK(output_gradient<128>)->UseManualTime();
BENCHMARK(output_gradient<64>)->UseManualTime();
BENCHMARK(output_gradient<32>)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
