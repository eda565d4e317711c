// SPDX-License-Identifier: MIT
// The pass between two layers of the backward pass at batch 32, mask and transposes: it computes
// nothing, so its time is lost. The matrix products are rows of the table.
#include <cstdint>

#include <benchmark/benchmark.h>

#include <ipu_dsl/kernels/dense_output_gradient.hpp>
#include <ipu_dsl/layout/padding.hpp>

#include "measure/buffer.hpp"
#include "measure/contestant.hpp"

using namespace ipu_dsl;

namespace {

constexpr int batch = 32;

template <int Units>
void output_gradient(benchmark::State& state) {
  constexpr std::int64_t by_unit = std::int64_t{Units} * layout::batch_stride(batch);
  constexpr std::int64_t by_sample = std::int64_t{batch} * layout::row_stride(Units);
  const measure::buffer gradient = measure::random_numbers(by_unit, 1, 1);
  const measure::buffer y = measure::random_numbers(by_sample, 1, 2);
  measure::buffer d = measure::zeros(by_sample);
  measure::buffer d_transposed = measure::zeros(by_unit);
  for (auto _ : state) {
    kernels::dense_output_gradient<batch, Units, activation_kind::relu,
                                   kernels::gradient_layout::transposed>(
        gradient.data(), y.data(), d.data(), d_transposed.data(), 0.0F);
    measure::clobber_memory();
  }
}

BENCHMARK(output_gradient<256>);
BENCHMARK(output_gradient<128>);
BENCHMARK(output_gradient<64>);
BENCHMARK(output_gradient<32>);

}  // namespace
