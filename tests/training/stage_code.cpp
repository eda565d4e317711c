// SPDX-License-Identifier: MIT
// Which stage has the code of which kernel.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/training/session.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;

namespace {

/// Three stages; the last two have layers that the first one has as well.
struct three_stages
    : model<input<8>, pipeline<stage<Dense<8, relu>, Dense<8, relu>>, stage<Dense<8, relu>>,
                               stage<Dense<8, relu>, Dense<3>>>> {};

struct training : compile<three_stages, micro_batch<4>, gradient_accumulation<6>, grouped,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

/// Every distinct kernel has one stage, whose calls it is among, and no stage before calls it.
template <program_kind Kind>
constexpr tests::checks check_stages() {
  tests::checks found;
  constexpr program_plan_view plan = frozen_plan_of<training::compiled, Kind>.view();
  constexpr auto sorted = sorted_kernels_of<training::compiled, Kind>;
  std::size_t seen = 0;
  for (std::int32_t stage = 0; stage < training::stages; ++stage) {
    for (const std::int32_t kernel : sorted.of(stage)) {
      ++seen;
      bool called = false;
      for (std::size_t i = 0; i < plan.calls.size(); ++i) {
        const bool of_kernel = plan.code_of_call[i] == kernel;
        called = called || (of_kernel && plan.calls[i].stage == stage);
        found.that(!of_kernel || plan.calls[i].stage >= stage);
      }
      found.that(called);
    }
  }
  found.that(seen == plan.codes.size() && seen > 0);
  return found;
}

static_assert(check_stages<program_kind::train>());
static_assert(check_stages<program_kind::evaluate>());
static_assert(check_stages<program_kind::predict>());

// The second stage is a layer that the first one has: only what an inner stage does is its own.
static_assert(sorted_kernels_of<training::compiled, program_kind::predict>.of(1).size() == 0);

TEST_CASE("every distinct kernel is of the first stage that calls it") {
  CHECK(check_stages<program_kind::train>());
  CHECK(check_stages<program_kind::evaluate>());
  CHECK(check_stages<program_kind::predict>());
}

TEST_CASE("a program has the code of every kernel from one of its stages") {
  constexpr session_parts parts = parts_of<training>();
  std::size_t kernels = 0;
  for (const loaded_program* program : {&parts.train, &parts.evaluate, &parts.predict}) {
    CHECK(program->stages.size() == 3);
    for (const kernel_code& code : program->functions()) {
      CHECK(code.run != nullptr);
      ++kernels;
    }
  }
  std::printf("checked %zu kernels\n", kernels);
  REQUIRE(kernels > 0);
}

}  // namespace
