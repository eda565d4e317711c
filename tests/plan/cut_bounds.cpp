// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/plan/cut_bounds.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using layers = sequential<Flatten, Dense<256, relu>, Dense<128, relu>, Dense<64, relu>,
                          Dense<32, relu>, Dense<10>>;

template <typename Body>
struct mlp : model<input<28, 28>, Body> {};

template <typename Body>
struct training : compile<mlp<Body>, micro_batch<32>, gradient_accumulation<8>,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

using uncut = training<layers>;

// Nothing comes before the first Dense; behind it lies a quarter of the work.
static_assert(cut_bounds_of<uncut>.size() == 5);
static_assert(cut_bounds_of<uncut>[0].speedup < 1.01);
static_assert(cut_bounds_of<uncut>[1].first_layer == 2);
static_assert(cut_bounds_of<uncut>[1].speedup > 1.31 && cut_bounds_of<uncut>[1].speedup < 1.34);
static_assert(cut_bounds_of<uncut>[3].speedup < 1.02);

using halves =
    training<pipeline<stage<Flatten, Dense<256, relu>>,
                      stage<Dense<128, relu>, Dense<64, relu>, Dense<32, relu>, Dense<10>>>>;

}  // namespace

TEST_CASE("a cut's bound is that of the pipeline that is cut there") {
  int checked = 0;
  double best = 0;
  for (const cut_bound& cut : cut_bounds_of<uncut>.view()) {
    CHECK(cut.first_layer == ++checked);
    CHECK(cut.speedup >= 1.0);
    CHECK(cut.speedup <= 2.0);
    best = cut.speedup > best ? cut.speedup : best;
  }
  CHECK(best == cut_bounds_of<uncut>[1].speedup);
  // The bound of the timeline counts the loss and the update as well.
  const double planned = halves::timeline.speedup_bound();
  CHECK(cut_bounds_of<halves>[1].speedup == cut_bounds_of<uncut>[1].speedup);
  CHECK(best < planned + 0.02);
  CHECK(best > planned - 0.02);
  std::printf("checked %d cuts\n", checked);
}
