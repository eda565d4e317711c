// SPDX-License-Identifier: MIT
// The largest schedule that is proven while compiling, with the compilers' default limits: 64
// devices x 4 stages each x 128 micro-batches, in pieces. g++, which takes longer, proves half of
// it here and the whole in scripts/compile_budget.
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/schedule/large_study.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr int devices = 64;
constexpr int chunks = 4;
#ifdef __clang__
constexpr int micro_batches = 128;
#else
constexpr int micro_batches = 64;
#endif

using largest = large_study<interleaved_one_f_one_b, devices, chunks * devices, micro_batches>;

// One question after the other: between two declarations g++ gives back what it no longer needs.
static_assert(largest::rows.actions.size() == devices * chunks * (2 * micro_batches + 1));
static_assert(!largest::fault.found());
static_assert(largest::timeline.size() == largest::rows.actions.size());
// The last device is busy from the first micro-batch on; the others wait as long as the rest of the
// pipe takes to fill and to empty, a chunk a device.
static_assert(largest::facts.makespan == (chunks * micro_batches + devices - 1) * 3);
static_assert(largest::facts.ascending);
static_assert(largest::facts.work == std::int64_t{devices} * chunks * micro_batches * 3);

}  // namespace

TEST_CASE("a schedule of 64 devices with four stages each was proven before the program ran") {
  CHECK(largest::facts.makespan == makespan_of(largest::timeline));
  CHECK(prove(largest::rows, chain_stage_graph(chunks * devices).view(), largest::slots).proven());
}
