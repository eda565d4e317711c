// SPDX-License-Identifier: MIT
// Samples or inputs as lanes make the bits that units as lanes make.
#include <cstdio>

#include <ipu_dsl/kernels/dense_few_units.hpp>
#include <ipu_dsl/kernels/dense_forward.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;

namespace {

constexpr layout::architecture with_avx2{8, 16, true};
constexpr layout::architecture with_avx512{16, 32, true};

template <layout::architecture Architecture, std::int32_t Units, std::int32_t Extent>
constexpr bool cut_is(std::int32_t vectors, std::int32_t blocks, std::int32_t passes) {
  using cut = kernels::few_units_cut<Architecture, Units, Extent>;
  return cut::vectors == vectors && cut::blocks == blocks && cut::passes == passes;
}

// Eight sums are in flight where there are as many samples, and none leaves the registers.
static_assert(cut_is<with_avx512, 10, 32>(2, 1, 1));
static_assert(cut_is<with_avx2, 10, 32>(2, 2, 2));
static_assert(cut_is<with_avx512, 1, 256>(8, 2, 1));
static_assert(cut_is<with_avx2, 1, 256>(8, 4, 1));
static_assert(cut_is<with_avx512, 3, 100>(3, 3, 1));
static_assert(cut_is<with_avx512, 1, 9>(1, 1, 1));

// Ten units leave six lanes of sixteen empty: too few to turn 32 inputs of each sample for.
static_assert(kernels::samples_are_lanes<32, 64, 1, with_avx512>());
static_assert(kernels::samples_are_lanes<32, 64, 8, with_avx512>());
static_assert(!kernels::samples_are_lanes<32, 32, 10, with_avx512>());
static_assert(kernels::samples_are_lanes<32, 32, 10, with_avx2>());
static_assert(!kernels::samples_are_lanes<32, 64, 8, with_avx2>());
static_assert(!kernels::samples_are_lanes<2, 64, 1, with_avx2>());
static_assert(kernels::inputs_are_lanes<32, 32, 10, with_avx512>());
static_assert(!kernels::inputs_are_lanes<16, 32, 10, with_avx512>());
static_assert(kernels::inputs_are_lanes<32, 32, 10, with_avx2>());
static_assert(!kernels::inputs_are_lanes<32, 64, 8, with_avx2>());
static_assert(!kernels::inputs_are_lanes<32, 64, 100, with_avx512>());

int compared = 0;

template <int Batch, int Inputs, int Outputs, activation_kind Kind>
void check_forward(bool with_bias) {
  const test::buffer x = test::random_rows(Batch, Inputs, 1);
  const test::buffer w = test::random_panels(Inputs, Outputs, 2);
  const test::buffer bias = test::random_bias(Outputs, 3);
  const float* const start = with_bias ? bias.data() : nullptr;
  test::buffer by_units(std::int64_t{Batch} * layout::row_stride(Outputs));
  test::buffer by_samples(by_units.size());
  kernels::dense_forward_batch<layout::native, Batch, Inputs, Outputs, Kind>(
      x.data(), w.data(), start, by_units.data(), 0.3F, {});
  kernels::dense_forward_few_units<layout::native, Batch, Inputs, Outputs, Kind>(
      x.data(), w.data(), start, by_samples.data(), 0.3F, {});
  INFO("batch " << Batch << ", " << Inputs << " x " << Outputs << ", " << name_of(Kind));
  CHECK(test::same_bits(by_units.view(), by_samples.view()));
  CHECK(by_samples.intact());
  ++compared;
}

/// The weights, velocities and sums of a layer, all of which a gradient may change.
struct state {
  test::buffer w;
  test::buffer velocity;
  test::buffer sum;

  state(int inputs, int outputs)
      : w(test::random_panels(inputs, outputs, 4)),
        velocity(test::random_panels(inputs, outputs, 5)),
        sum(test::random_panels(inputs, outputs, 6)) {}

  kernels::gradient_target<sgd_momentum_rule> target() {
    return {sum.data(), {w.data(), {velocity.data()}}};
  }
};

template <int Batch, int Inputs, int Outputs>
void check_gradient(bool continues, bool updates) {
  using rule = sgd_momentum_rule;
  const test::buffer x = test::random_rows(Batch, Inputs, 7);
  const test::buffer d = test::random_rows(Batch, Outputs, 8);
  const kernels::gradient_step<rule> step{continues, updates, {.rate = 0.05F, .momentum = 0.9F}};
  state by_units(Inputs, Outputs);
  state by_inputs(Inputs, Outputs);
  constexpr kernels::panel_columns columns(Outputs, layout::native);
  constexpr int vectors = layout::ceiling_quotient(Outputs, lanes);
  constexpr int tiles = kernels::row_tiles(Inputs, vectors, layout::native).parts();
  kernels::dense_weight_gradient_panel<layout::native, Inputs, vectors, columns.width, rule>(
      {x.data(), d.data(), Batch, layout::row_stride(Inputs), layout::row_stride(Outputs)},
      by_units.target(), {0, tiles}, step);
  kernels::dense_weight_gradient_few_units<Batch, Inputs, Outputs, rule, layout::native>(
      x.data(), d.data(), by_inputs.target(), step, {});
  INFO("batch " << Batch << ", " << Inputs << " x " << Outputs << ", continues " << continues
                << ", updates " << updates);
  CHECK(test::same_bits(by_units.sum.view(), by_inputs.sum.view()));
  CHECK(test::same_bits(by_units.w.view(), by_inputs.w.view()));
  CHECK(test::same_bits(by_units.velocity.view(), by_inputs.velocity.view()));
  CHECK(by_inputs.sum.intact());
  CHECK(by_inputs.w.intact());
  CHECK(by_inputs.velocity.intact());
  ++compared;
}

template <int Batch, int Inputs, int Outputs>
void check_layer() {
  check_forward<Batch, Inputs, Outputs, activation_kind::linear>(false);
  check_forward<Batch, Inputs, Outputs, activation_kind::relu>(true);
  check_forward<Batch, Inputs, Outputs, activation_kind::sigmoid>(true);
  for (const bool continues : {false, true}) {
    check_gradient<Batch, Inputs, Outputs>(continues, false);
    check_gradient<Batch, Inputs, Outputs>(continues, true);
  }
}

}  // namespace

TEST_CASE("samples or inputs as lanes make the bits that units as lanes make") {
  compared = 0;
  check_layer<2, 1, 1>();
  check_layer<13, 7, 1>();
  check_layer<8 * lanes, 130, 1>();
  check_layer<9 * lanes + 1, 8 * lanes + 1, 1>();
  check_layer<32, 64, 2>();
  check_layer<33, 65, 3>();
  check_layer<lanes - 1, lanes + 1, 3>();
  check_layer<2 * lanes, 2 * lanes, 4>();
  check_layer<70, 200, 5>();
  check_layer<32, 784, 10>();
  check_layer<3, 5 * lanes + 3, 10>();
  check_layer<2 * lanes + 5, 31, lanes + 1>();
  CHECK(compared == 12 * 7);
  std::printf("dense_few_units: compared %d calls\n", compared);
}
