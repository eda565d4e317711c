// SPDX-License-Identifier: MIT
// Tests of model/normalization_folded.hpp and runtime/folded_weights.hpp: predictions without
// normalisations beside those with them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

/// Every layer that takes a normalisation in, with a bias and without one, normalised by all and by
/// less.
struct listed
    : model<input<10, 10, 3>,
            sequential<Conv2D<8, 3, same_padding, use_bias<false>>, BatchNormalization<>, relu,
                       DepthwiseConv2D<3, depth_multiplier<2>>, BatchNormalization<epsilon<0.1F>>,
                       relu6, residual<Conv2D<16, 1>, BatchNormalization<use_scale<false>>>,
                       Conv2D<20, 3, strides<2>, groups<2>>, BatchNormalization<use_center<false>>,
                       Flatten, Dense<12, use_bias<false>>,
                       BatchNormalization<use_scale<false>, use_center<false>>, Dense<5>>> {};

struct of_steps : model<input<12, 4>, sequential<Conv1D<8, 3, causal_padding>, BatchNormalization<>,
                                                 relu, Dense<3>, BatchNormalization<>>> {};

struct of_volume
    : model<input<4, 5, 6, 2>, sequential<Conv3D<6, 2>, BatchNormalization<>, Flatten, Dense<3>>> {
};

/// What is read twice, handed out, activated before it or shared is left as it is.
struct left_alone {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x = build.input("x", {6});
    const symbolic_tensor twice = build.layer<Dense<6>>("twice", x);
    symbolic_tensor y = build.layer<BatchNormalization<>>("of_twice", twice);
    y = build.layer<Add>("sum", y, twice);
    y = build.layer<Dense<6, relu>>("activated", y);
    y = build.layer<BatchNormalization<>>("of_activated", y);
    const symbolic_tensor out = build.layer<Dense<4>>("out", y);
    y = build.layer<BatchNormalization<>>("of_out", out);
    y = build.layer<Dense<6>>("folded", y);
    return {out, build.layer<BatchNormalization<>>("of_folded", y)};
  }
};

/// There is nothing to fold.
struct plain : model<input<4>, sequential<Dense<4, relu>, BatchNormalization<>, Dense<2>>> {};

static_assert(is_valid<normalization_folded<listed>>());
static_assert(!is_valid<normalization_folded<plain>>());
static_assert(!is_valid<normalization_folded<normalization_folded<listed>>>());

constexpr bool is_refused_without_any() {
  const problem& found = fault_of<normalization_folded<plain>>::value;
  return found.where.view() == "normalization_folded<...>" &&
         found.got.view() == "none that nobody else reads";
}

static_assert(is_refused_without_any());

template <typename M>
constexpr int normalizations() {
  int found = 0;
  for (const node& here : graph_of<M>.nodes) {
    found += here.rule == &batch_normalization_family ? 1 : 0;
  }
  return found;
}

static_assert(normalizations<listed>() == 5 && normalizations<normalization_folded<listed>>() == 0);
static_assert(normalizations<normalization_folded<of_steps>>() == 0);
static_assert(normalizations<normalization_folded<of_volume>>() == 0);
static_assert(normalizations<left_alone>() == 4);
static_assert(normalizations<normalization_folded<left_alone>>() == 3);

/// Numbers in [-1, 1).
float number(std::uint64_t stream, std::size_t i) {
  return 2.0F * uniform_unit(random_word(77, stream, static_cast<std::uint64_t>(i))) - 1.0F;
}

/// Numbers that no layer begins with; variances above 0.
template <typename M>
void fill(weights_of<M>& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(weights.at(i).extents.elements()));
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = number(i, k);
      values[k] = weights.at(i).non_negative ? 0.2F + values[k] * values[k] : values[k];
    }
    weights.set(i, values);
  }
}

/// The largest difference between predictions, as a share of the largest number.
template <typename M>
double difference(int& compared) {
  constexpr std::size_t batch = 3;
  using folded = normalization_folded<M>;
  weights_of<M> weights;
  fill(weights);
  weights_of<folded> fewer;
  copy_folded(weights, fewer);
  predictor<M, micro_batch<batch>> whole(weights);
  predictor<folded, micro_batch<batch>> without(fewer);
  std::vector<float> x(batch * whole.sample_values);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = number(1000, i);
  }
  std::vector<float> expected(batch * whole.result_values);
  std::vector<float> found(expected.size());
  REQUIRE(whole.predict(x, expected));
  REQUIRE(without.predict(x, found));
  double largest = 0;
  double apart = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(expected[i])));
    apart = std::max(apart,
                     std::fabs(static_cast<double>(expected[i]) - static_cast<double>(found[i])));
    ++compared;
  }
  CHECK(largest > 0.01);
  return apart / largest;
}

/// Of both outputs.
double difference_of_outputs(int& compared) {
  weights_of<left_alone> weights;
  fill(weights);
  weights_of<normalization_folded<left_alone>> fewer;
  copy_folded(weights, fewer);
  predictor<left_alone> whole(weights);
  predictor<normalization_folded<left_alone>> without(fewer);
  const std::array<float, 6> x = {0.5F, -1.0F, 2.0F, 0.25F, -0.75F, 1.5F};
  std::array<float, 4> first{};
  std::array<float, 4> first_without{};
  std::array<float, 6> second{};
  std::array<float, 6> second_without{};
  CHECK(whole.predict(x, output_arrays{first, second}));
  CHECK(without.predict(x, output_arrays{first_without, second_without}));
  // What is handed out is not normalised.
  CHECK(first == first_without);
  double apart = 0;
  for (std::size_t i = 0; i < second.size(); ++i) {
    apart = std::max(apart, std::fabs(static_cast<double>(second[i] - second_without[i])));
    ++compared;
  }
  return apart;
}

}  // namespace

TEST_CASE("predictions of folded normalisations are those of the whole model to 1e-5") {
  int compared = 0;
  CHECK(difference<listed>(compared) < 1e-5);
  CHECK(difference<of_steps>(compared) < 1e-5);
  CHECK(difference<of_volume>(compared) < 1e-5);
  CHECK(difference_of_outputs(compared) < 1e-5);
  CHECK(compared > 0);
  std::printf("folded normalisations: compared %d numbers\n", compared);
}

TEST_CASE("steps are pushed to a model whose normalisations are folded") {
  using stepped = normalization_folded<one_step<of_steps>>;
  weights_of<of_steps> weights;
  fill(weights);
  weights_of<stepped> fewer;
  copy_folded(weights, fewer);
  predictor<of_steps> whole(weights);
  predictor<stepped> stream(fewer);
  std::array<float, 48> x{};
  std::array<float, 36> expected{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = number(1001, i);
  }
  whole.predict(x, expected);
  int compared = 0;
  for (int sequence = 0; sequence < 2; ++sequence) {
    stream.reset();
    for (std::size_t step = 0; step < 12; ++step) {
      const auto found = stream.push(std::span(x).subspan(4 * step).first<4>());
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(static_cast<double>(found[i]) ==
              Approx(static_cast<double>(expected[3 * step + i])).margin(1e-5));
        ++compared;
      }
    }
  }
  CHECK(compared == 72);
}

TEST_CASE("weights of another model are not folded") {
  weights_of<of_volume> others;
  weights_of<normalization_folded<listed>> folded;
  fill(folded);
  const std::uint64_t before = folded.fingerprint();
  CHECK_THROWS_WITH(copy_folded(others, folded), Catch::Contains("of other names or shapes than"));
  CHECK(folded.fingerprint() == before);
}
