// SPDX-License-Identifier: MIT
// Regularisers of activities beside several outputs, a sum as a reduction, and a layer before which
// nothing learns: updates and losses against float64.
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/activity_regularization.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/descent.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;
using namespace reference;

constexpr std::size_t samples = 8;

/// What comes in is penalised too, which changes the loss and no weight.
struct two_outputs {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor given = build.input({4});
    const symbolic_tensor passed = build.layer<ActivityRegularization<l2<0.25F>>>("passed", given);
    const symbolic_tensor hidden =
        build.layer<Dense<5, hyperbolic_tangent, activity_regularizer<l2<0.5F>>>>("hidden", passed);
    return {build.layer<Dense<2, activity_regularizer<l1_l2<0.125F, 0.25F>>>>("a", hidden),
            build.layer<Dense<3, kernel_regularizer<l2<0.5F>>>>("b", hidden)};
  }
};

struct training
    : compile<two_outputs, micro_batch<8>, sequential_schedule, optimizer<sgd<momentum>>,
              loss<for_output<"a", mean_squared_error, reduction<"sum">>,
                   for_output<"b", mean_squared_error, loss_weight<0.5F>>>> {};

const std::vector<float> x = numbers(samples * 4, 3, 1.0F);
const std::vector<float> wanted_a = numbers(samples * 2, 4, 1.0F);
const std::vector<float> wanted_b = numbers(samples * 3, 5, 1.0F);

double squares(const std::vector<double>& values) {
  double sum = 0;
  for (const double each : values) {
    sum += each * each;
  }
  return sum;
}

double squared_error(const std::vector<double>& made, const std::vector<float>& wanted,
                     std::size_t sample) {
  double sum = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double error = made[i] - static_cast<double>(wanted[sample * made.size() + i]);
    sum += error * error;
  }
  return sum / static_cast<double>(made.size());
}

struct exact_losses {
  double a = 0;  ///< a sum
  double b = 0;  ///< a mean
  double whole = 0;
};

exact_losses losses_of(const weight_list& weights) {
  exact_losses found;
  double penalties = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const std::vector<double> given = row_of(x, sample, 4);
    const std::vector<double> hidden = tanh_of(dense_of(weights, 0, given));
    const std::vector<double> a = dense_of(weights, 1, hidden);
    penalties += 0.25 * squares(given) + 0.5 * squares(hidden) + 0.25 * squares(a) +
                 0.125 * (std::abs(a[0]) + std::abs(a[1]));
    found.a += squared_error(a, wanted_a, sample);
    found.b += squared_error(dense_of(weights, 2, hidden), wanted_b, sample) / samples;
  }
  found.whole = found.a + 0.5 * found.b + penalties / samples + 0.5 * squares(weights[4]);
  return found;
}

}  // namespace

TEST_CASE("penalties of activities beside several outputs and a sum are those of float64") {
  session<training> run({.learning_rate = 0.01F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  weight_list velocities = zeros_like(weights);
  const auto data = zipped(feature_column<shape{4}>(x), target_column<shape{2}>(wanted_a),
                           target_column<shape{3}>(wanted_b));
  int compared = 0;
  for (int update = 0; update < 10; ++update) {
    const exact_losses expected = losses_of(weights);
    const evaluation before = run.evaluate(data);
    CHECK(before.loss == Approx(expected.whole).epsilon(1e-5));
    CHECK(before.metrics["a_loss"] == Approx(expected.a).epsilon(1e-5));
    CHECK(before.metrics["b_loss"] == Approx(expected.b).epsilon(1e-5));
    descend(weights, velocities, 0.01, 0.9,
            [](const weight_list& probe) { return losses_of(probe).whole; });
    CHECK(run.train_step(input_arrays{x}, target_arrays{wanted_a, wanted_b}) ==
          Approx(expected.whole).epsilon(1e-5));
    const weight_list found = weights_of_session(run.weights());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(found[i][k] == Approx(weights[i][k]).margin(5e-6));
        ++compared;
      }
    }
  }
  CHECK(compared == 10 * (4 * 5 + 5 + 5 * 2 + 2 + 5 * 3 + 3));
}
