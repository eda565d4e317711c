// SPDX-License-Identifier: MIT
// What the machine can do at most, as contestants, and where threads run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure/contestant.hpp"

namespace measure {

/// Multiply-adds that wait for nothing but the multiply-add units: more independent chains of full
/// vectors than the units' latency times their number, all operands in registers. The limit of all
/// products.
std::unique_ptr<contestant> make_peak();

/// The same with operands from the first-level cache, as those of any product must come. Processors
/// with AVX-512 lower their clock for that: one did 217 GFLOP/s with operands in registers and 185
/// with these, and the products of all libraries stayed near the latter.
std::unique_ptr<contestant> make_cache_peak();

/// Floating-point operations of one run of any of them, a multiply-add being two.
double operations_of_peak();

/// Reads numbers once, by multiply-adds to eight accumulators.
void read(std::span<const float> numbers);

/// Writes the sums of two tensors of whole vectors, number by number: reads both and writes as much
/// as one of them.
void add(std::span<const float> one, std::span<const float> other, std::span<float> sums);

/// Reads a buffer of so many bytes once, by multiply-adds to eight accumulators: what a product
/// with a single sample cannot be faster than.
std::unique_ptr<contestant> make_stream(std::int64_t bytes);

/// Reads so many bytes and writes so many others once, those of a copy together: what moves more
/// than it computes cannot be faster.
std::unique_ptr<contestant> make_traffic(std::int64_t read_bytes, std::int64_t written_bytes);

/// The vector unit that this program is compiled for: "AVX-512".
std::string vector_unit();

/// The compiler of this program: "g++ 12.2.0".
std::string compiler();

/// Cores of the machine.
int cores();

/// Keeps this thread, and those that it starts from now on, on one core. Does nothing where there
/// is no such core.
void stay_on(int core);

/// Lets this thread, and those that it starts from now on, run on every core.
void stay_anywhere();

/// Keeps the threads that were started since `before` on a core, the calling thread on core 0.
void keep_new_threads_on(int core, const std::vector<int>& before);

/// The threads of this process, as the system numbers them.
std::vector<int> threads_of_process();

}  // namespace measure
