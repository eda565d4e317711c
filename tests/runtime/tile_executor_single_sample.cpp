// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/vocabulary/layers/dense.hpp>

#include "runtime/tile_checks.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr int tile_counts[] = {1, 4, 64};

/// Extents that fill no vector and no panel.
struct odd_extents
    : model<input<37>, pipeline<stage<Dense<19, relu>>, stage<Dense<133, relu>, Dense<5>>>> {};

struct single_samples : compile<odd_extents, micro_batch<1>, gradient_accumulation<3>, grouped,
                                loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

}  // namespace

TEST_CASE("tiles sum the input gradients of a single sample as the kernels do") {
  static const auto made = tests::drawn_samples<shape{37}, 5>(72, 11);
  const std::int64_t blocks = tests::check_tiles<single_samples>(made, 3, tile_counts);
  CHECK(blocks > 0);
  std::printf("single samples: checked %lld blocks\n", static_cast<long long>(blocks));
}
