// SPDX-License-Identifier: MIT
// Stages of layers, assigned by number and read back.
#include <array>
#include <cstdint>

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

using numbers = std::array<std::int32_t, 4>;
using layers = sequential<Flatten, Dense<8>, residual<Dense<8>, Dense<8>>, Dense<10>>;

struct assigned : model<input<28, 28>, layers, stage_assignment<0, 0, 1, 1>> {};

struct in_stages
    : model<input<28, 28>,
            pipeline<stage<Flatten, Dense<8>>, stage<residual<Dense<8>, Dense<8>>, Dense<10>>>> {};

struct unassigned : model<input<28, 28>, layers> {};

constexpr checks test_stage_assignment() {
  checks done;
  done.that(stage_assignment_of<assigned> == numbers{0, 0, 1, 1});
  done.that(stage_assignment_of<in_stages> == numbers{0, 0, 1, 1});
  done.that(stage_assignment_of<unassigned> == numbers{0, 0, 0, 0});
  return done;
}

static_assert(test_stage_assignment());

}  // namespace

TEST_CASE("stages are read back as they were assigned") {
  CHECK(test_stage_assignment());
}
