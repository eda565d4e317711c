// SPDX-License-Identifier: MIT
// Gradients of every loss on float targets, against central differences of the loss in float64.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/network.hpp"
#include "support/reference/numbers.hpp"
#include "support/reference/row_losses.hpp"
#include "training/tutorial.hpp"

using namespace ipu_dsl;

namespace {

constexpr std::size_t inputs = 5;
constexpr std::size_t units = 19;
constexpr std::size_t samples = 6;

using row_loss = double (*)(reference::numbers_of_row, reference::numbers_of_row);

/// What the layers of a case end in.
template <typename Last, typename... Loss>
struct one_layer
    : compile<model<input<5>, sequential<Dense<19>, Last>>, micro_batch<6>, loss<Loss...>> {};

/// A loss, how its model ends, and what it is told.
struct loss_case {
  const char* name;
  row_loss exact;
  reference::activation last = reference::activation::linear;
  float lowest = -1;  ///< of targets
  float highest = 1;
  float inputs_up_to = 1.5F;
};

/// One layer without an activation of its own, then that of the case.
struct float64_model {
  reference::chain layers = {reference::dense(inputs, units)};
  std::vector<float> features;
  std::vector<float> targets;
};

/// The mean loss of the update's samples.
double loss_of(float64_model& with, const loss_case& about) {
  const reference::matrix output =
      reference::forward(with.layers, reference::widened(with.features, inputs));
  const std::vector<double> wanted(with.targets.begin(), with.targets.end());
  double sum = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    sum += about.exact({output.values.data() + sample * units, units},
                       {wanted.data() + sample * units, units});
  }
  return sum / static_cast<double>(samples);
}

double central_difference(double& value, float64_model& with, const loss_case& about) {
  constexpr double step = 0x1p-17;
  const double kept = value;
  value = kept + step;
  const double above = loss_of(with, about);
  value = kept - step;
  const double below = loss_of(with, about);
  value = kept;
  return (above - below) / (2 * step);
}

float64_model model_of(const loss_case& about) {
  float64_model made;
  if (about.last != reference::activation::linear) {
    made.layers.push_back(reference::function(about.last));
  }
  made.features = reference::numbers(samples * inputs, 11, about.inputs_up_to);
  made.targets = reference::numbers(samples * units, 13, 0.5F * (about.highest - about.lowest));
  for (float& each : made.targets) {
    each += 0.5F * (about.highest + about.lowest);
  }
  return made;
}

/// One step of plain descent with a learning rate that leaves nothing of the weights but their last
/// rounding: see gradient_check.hpp.
constexpr float rate = 0x1p20F;

/// A gradient is a sum over the samples of products, whose factors are off by some ulp of a
/// logarithm, an exponential or a quotient: by a share of the largest gradient.
constexpr double tolerance = 24 * 0x1p-24;

int compare(const loss_case& about, float64_model& exact, const parameters& before,
            const parameters& after) {
  const std::vector<reference::parameter*> wanted = reference::parameters_of(exact.layers);
  double largest = 0;
  double worst = 0;
  int compared = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::vector<float> old(wanted[i]->values.size());
    std::vector<float> moved(old.size());
    before.get(i, old);
    after.get(i, moved);
    for (std::size_t j = 0; j < old.size(); ++j) {
      const double found =
          (static_cast<double>(old[j]) - static_cast<double>(moved[j])) / static_cast<double>(rate);
      const double expected = central_difference(wanted[i]->values[j], exact, about);
      largest = std::max(largest, std::abs(expected));
      worst = std::max(worst, std::abs(found - expected));
      ++compared;
    }
  }
  INFO(about.name << ": off by " << worst << ", largest gradient " << largest);
  CHECK(largest > 1e-3);
  CHECK(worst <= tolerance * largest);
  std::printf("gradients of %s: compared %d elements, worst error %.1f %% of its tolerance\n",
              about.name, compared, 100 * worst / (tolerance * largest));
  return compared;
}

template <typename Last, typename... Loss>
void check(const loss_case& about) {
  using training = one_layer<Last, Loss...>;
  float64_model exact = model_of(about);
  session<training> untouched{{.learning_rate = rate}};
  session<training> run{{.learning_rate = rate}};
  tests::copy_weights(run.weights(), exact.layers);
  const double loss = run.train_step(exact.features, exact.targets);
  const double expected = loss_of(exact, about);
  INFO(about.name << ": " << loss << ", expected " << expected);
  CHECK(std::abs(loss - expected) <= 2e-6 * std::max(1.0, std::abs(expected)));
  CHECK(compare(about, exact, untouched.weights(), run.weights()) ==
        static_cast<int>((inputs + 1) * units));
}

constexpr reference::activation of_sigmoid = reference::activation::sigmoid;
constexpr reference::activation of_softplus = reference::activation::softplus;

}  // namespace

TEST_CASE("gradients of losses that judge differences") {
  check<linear, mean_squared_error>({"mean_squared_error", reference::mean_squared_error});
  check<linear, mean_absolute_error>({"mean_absolute_error", reference::mean_absolute_error});
  check<linear, mean_absolute_percentage_error>(
      {"mean_absolute_percentage_error", reference::mean_absolute_percentage_error});
  check<linear, huber>({"huber", reference::huber});
  check<linear, huber, delta<0.25F>>({"huber<0.25>", reference::huber_from_quarter});
  check<linear, log_cosh>({"log_cosh", reference::log_cosh});
}

TEST_CASE("gradients of losses that judge counts") {
  check<linear, mean_squared_logarithmic_error>({.name = "mean_squared_logarithmic_error",
                                                 .exact = reference::mean_squared_logarithmic_error,
                                                 .highest = 5});
  check<softplus, poisson>({.name = "poisson",
                            .exact = reference::poisson,
                            .last = of_softplus,
                            .lowest = 0,
                            .highest = 5});
}

TEST_CASE("gradients of losses that judge signs") {
  check<linear, hinge>({"hinge", reference::hinge});
  check<linear, squared_hinge>({"squared_hinge", reference::squared_hinge});
  check<linear, categorical_hinge>(
      {.name = "categorical_hinge", .exact = reference::categorical_hinge, .lowest = 0});
}

TEST_CASE("gradients of binary cross-entropies") {
  const loss_case about{
      .name = "from logits", .exact = reference::binary_logits, .lowest = 0, .inputs_up_to = 9};
  check<linear, binary_crossentropy>(about);
  loss_case smoothed = about;
  smoothed.exact = reference::smoothed_binary_logits;
  check<linear, binary_crossentropy, from_logits, label_smoothing<0.25F>>(smoothed);
  // Behind a sigmoid the loss is that of the logits; the reference has it of probabilities.
  loss_case behind{.name = "behind a sigmoid",
                   .exact = reference::binary_clipped,
                   .last = of_sigmoid,
                   .lowest = 0};
  check<sigmoid, binary_crossentropy>(behind);
  behind.name = "from probabilities";
  check<sigmoid, binary_crossentropy, from_probabilities>(behind);
}

TEST_CASE("gradients of categorical cross-entropies") {
  const loss_case about{.name = "from logits", .exact = reference::categorical_logits, .lowest = 0};
  check<linear, categorical_crossentropy>(about);
  check<softmax, categorical_crossentropy, from_probabilities>(about);
  loss_case smoothed = about;
  smoothed.exact = reference::smoothed_categorical_logits;
  check<linear, categorical_crossentropy, label_smoothing<0.25F>>(smoothed);
  check<sigmoid, categorical_crossentropy, from_clipped_probabilities>(
      {.name = "from clipped probabilities",
       .exact = reference::categorical_clipped,
       .last = of_sigmoid,
       .lowest = 0});
}

TEST_CASE("gradients of losses that judge a sample as a whole") {
  check<sigmoid, kl_divergence>({.name = "kl_divergence",
                                 .exact = reference::kl_divergence,
                                 .last = of_sigmoid,
                                 .lowest = 0});
  check<linear, cosine_similarity>({"cosine_similarity", reference::minus_cosine});
}

/// A sigmoid within the layer cannot be passed over.
struct within : compile<model<input<5>, sequential<Dense<19, sigmoid>>>, micro_batch<6>,
                        loss<binary_crossentropy>> {};

TEST_CASE("a sigmoid within a layer makes the probabilities of a binary cross-entropy") {
  const loss_case about{.name = "a sigmoid within Dense",
                        .exact = reference::binary_clipped,
                        .last = of_sigmoid,
                        .lowest = 0};
  float64_model exact = model_of(about);
  session<within> run;
  tests::copy_weights(run.weights(), exact.layers);
  const double loss = run.train_step(exact.features, exact.targets);
  CHECK(std::abs(loss - loss_of(exact, about)) <= 1e-6);
}
