// SPDX-License-Identifier: MIT
#include "measure/machine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <sched.h>
#include <thread>

#include <ipu_dsl/kernels/simd.hpp>

#include "measure/buffer.hpp"

namespace measure {
namespace {

using namespace ipu_dsl;
using lanes = kernels::vector<layout::native>;

constexpr int steps = 2'000;
constexpr int accumulators = 8;

// As many accumulators as registers hold beside the operands. Two units of a latency of four cycles
// need eight.
constexpr int vectors = layout::native.registers == 32 ? 2 : 3;
constexpr int rows = layout::native.registers == 32 ? 14 : 4;
constexpr int chains = rows * vectors;

// Operands of so many steps, which the first-level cache holds.
constexpr int reduction = 64;

float first_lane(const lanes& value) {
  float elements[std::size_t{layout::native.lanes}];
  kernels::store(elements, value);
  return elements[0];
}

[[gnu::noinline]] float register_chains() {
  lanes sums[std::size_t{chains}];
  IPU_DSL_UNROLLED
  for (int i = 0; i < chains; ++i) {
    sums[i] = lanes(static_cast<float>(i));
  }
  const lanes factor(0.999F);
  const lanes term(0.5F);
#pragma GCC unroll 1
  for (int step = 0; step < steps; ++step) {
    IPU_DSL_UNROLLED
    for (int i = 0; i < chains; ++i) {
      sums[i] = kernels::multiply_add(factor, sums[i], term);
    }
  }
  float total = 0;
  IPU_DSL_UNROLLED
  for (int i = 0; i < chains; ++i) {
    total += first_lane(sums[i]);
  }
  return total;
}

/// `w` [reduction, vectors], `x` [rows, reduction]: a register tile whose operands repeat.
[[gnu::noinline]] float cache_chains(const float* w, const float* x) {
  constexpr int width = layout::native.lanes;
  lanes sums[std::size_t{chains}];
  IPU_DSL_UNROLLED
  for (int i = 0; i < chains; ++i) {
    sums[i] = lanes(0.0F);
  }
#pragma GCC unroll 1
  for (int step = 0; step < steps; ++step) {
    const int k = step % reduction;
    lanes columns[std::size_t{vectors}];
    IPU_DSL_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      columns[v] = kernels::load_once<lanes>(w + (k * vectors + v) * width);
    }
    IPU_DSL_UNROLLED
    for (int row = 0; row < rows; ++row) {
      // Else clang loads all samples before the first product, and spills.
      clobber_memory();
      const lanes sample(x[row * reduction + k]);
      IPU_DSL_UNROLLED
      for (int v = 0; v < vectors; ++v) {
        sums[row * vectors + v] =
            kernels::multiply_add(sample, columns[v], sums[row * vectors + v]);
      }
    }
  }
  float total = 0;
  IPU_DSL_UNROLLED
  for (int i = 0; i < chains; ++i) {
    total += first_lane(sums[i]);
  }
  return total;
}

[[gnu::noinline]] float sum_of(const float* from, std::ptrdiff_t elements) {
  constexpr std::ptrdiff_t width = layout::native.lanes;
  lanes sums[std::size_t{accumulators}];
  IPU_DSL_UNROLLED
  for (int i = 0; i < accumulators; ++i) {
    sums[i] = lanes(0.0F);
  }
  const lanes factor(0.5F);
  const float* const end = from + elements;
#pragma GCC unroll 1
  for (; end - from >= accumulators * width; from += accumulators * width) {
    IPU_DSL_UNROLLED
    for (int i = 0; i < accumulators; ++i) {
      sums[i] = kernels::multiply_add(factor, kernels::load<lanes>(from + i * width), sums[i]);
    }
  }
  for (; end - from >= width; from += width) {
    sums[0] = kernels::multiply_add(factor, kernels::load<lanes>(from), sums[0]);
  }
  float total = 0;
  IPU_DSL_UNROLLED
  for (int i = 0; i < accumulators; ++i) {
    total += first_lane(sums[i]);
  }
  return total;
}

/// `thread` as the system numbers it; 0 is the calling one.
void keep_on(int thread, int core) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  CPU_SET(static_cast<std::size_t>(core), &allowed);
  sched_setaffinity(thread, sizeof(allowed), &allowed);
}

}  // namespace

std::unique_ptr<contestant> make_cache_peak() {
  const auto run =
      [w = random_numbers(std::int64_t{reduction} * vectors * layout::native.lanes, 1, 1),
       x = random_numbers(std::int64_t{rows} * reduction, 1, 2)] {
        volatile float kept = cache_chains(w.data(), x.data());
        static_cast<void>(kept);
      };
  return std::make_unique<worker<decltype(run)>>(run);
}

double operations_of_peak() {
  return 2.0 * chains * steps * layout::native.lanes;
}

std::unique_ptr<contestant> make_peak() {
  return std::make_unique<worker<void (*)()>>([] {
    volatile float kept = register_chains();
    static_cast<void>(kept);
  });
}

void read(std::span<const float> numbers) {
  volatile float kept = sum_of(numbers.data(), std::ssize(numbers));
  static_cast<void>(kept);
}

void add(std::span<const float> one, std::span<const float> other, std::span<float> sums) {
  constexpr std::size_t width = layout::native.lanes;
  for (std::size_t i = 0; i < sums.size(); i += width) {
    kernels::store(sums.data() + i,
                   kernels::load<lanes>(one.data() + i) + kernels::load<lanes>(other.data() + i));
  }
}

std::unique_ptr<contestant> make_stream(std::int64_t bytes) {
  const auto read = [memory = zeros(bytes / std::int64_t{sizeof(float)})] {
    measure::read(memory);
  };
  return std::make_unique<worker<decltype(read)>>(read);
}

std::unique_ptr<contestant> make_traffic(std::int64_t read_bytes, std::int64_t written_bytes) {
  auto move = [from = zeros(read_bytes / std::int64_t{sizeof(float)}),
               to = zeros(written_bytes / std::int64_t{sizeof(float)})]() mutable {
    const std::size_t both = std::min(from.size(), to.size());
    std::memcpy(to.data(), from.data(), both * sizeof(float));
    std::memset(to.data() + both, 0, (to.size() - both) * sizeof(float));
    read(std::span<const float>(from).subspan(both));
  };
  return std::make_unique<worker<decltype(move)>>(move);
}

std::string vector_unit() {
  if (layout::native.lanes == 16) {
    return "AVX-512";
  }
  if (layout::native.lanes == 8) {
    return "AVX2";
  }
  return "vectors of 4 floats";
}

std::string compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#else
  return "g++ " __VERSION__;
#endif
}

int cores() {
  return static_cast<int>(std::thread::hardware_concurrency());
}

void stay_on(int core) {
  keep_on(0, core);
}

void stay_anywhere() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  for (int core = 0; core < cores(); ++core) {
    CPU_SET(static_cast<std::size_t>(core), &allowed);
  }
  sched_setaffinity(0, sizeof(allowed), &allowed);
}

std::vector<int> threads_of_process() {
  std::vector<int> all;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    all.push_back(std::stoi(thread.path().filename()));
  }
  return all;
}

void keep_new_threads_on(int core, const std::vector<int>& before) {
  stay_on(0);
  for (const int thread : threads_of_process()) {
    if (std::find(before.begin(), before.end(), thread) == before.end()) {
      keep_on(thread, core);
    }
  }
}

}  // namespace measure
