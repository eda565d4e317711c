// SPDX-License-Identifier: MIT
// Every loss on float targets, which is a metric as well, against float64.
#include <cmath>
#include <cstdio>
#include <span>

#include "support/catch2.hpp"
#include "vocabulary/judged_rows.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct expected_metric {
  const char* name;
  row_loss exact;
  double absolute;  ///< what a float cannot say of one pair, beside its last digits
};

/// Sums of floats: a rounding for each term of a chain, and a few ulp for a logarithm. All terms of
/// these losses have one sign, but for those whose size is told beside them.
constexpr double relative = 40 * 0x1p-24;

/// The values of all metrics; returns how many were compared.
int compare(const metric_values& found, std::span<const expected_metric> expected,
            const judged_pairs& data) {
  int compared = 0;
  for (const expected_metric& each : expected) {
    const exact_mean exact = mean_of(each.exact, data);
    INFO(each.name << ": " << found[each.name] << ", expected " << exact.value);
    CHECK(std::abs(found[each.name] - exact.value) <= relative * exact.size + each.absolute);
    ++compared;
  }
  return compared;
}

const std::vector<float> real_edges = {0, 1, -1, 0.5F, 1e-7F, 2};
// A difference of 1e4 has squares of 1e8: what is relative stays so.
const std::vector<float> large_edges = {1e4F, -1e4F, 0};
const std::vector<float> wanted_but_zero = {1, -1, 0.5F, 2, -2};
const std::vector<float> real_wanted = {0, 1, -1, 0.5F, 2, -2};

using of_numbers = judging<loss<mean_squared_error>, mean_absolute_error,
                           mean_absolute_percentage_error, mean_squared_logarithmic_error, huber,
                           log_cosh, hinge, squared_hinge, cosine_similarity>;

// A logarithm near 0 is that of a number near 1, which a float says to 2^-24; of hinges the 1.
constexpr expected_metric numbers_expected[] = {
    {"mean_absolute_error", reference::mean_absolute_error, 0},
    {"mean_absolute_percentage_error", reference::mean_absolute_percentage_error, 0},
    {"mean_squared_logarithmic_error", reference::mean_squared_logarithmic_error, 1e-6},
    {"huber", reference::huber, 0},
    {"log_cosh", reference::log_cosh, 1e-7},
    {"hinge", reference::hinge, 1e-7},
    {"squared_hinge", reference::squared_hinge, 1e-7},
    {"cosine_similarity", reference::cosine, 1e-6}};

const std::vector<float> logit_edges = {0, 1, -1, 30, -30, 100, -100, 1e-6F};
const std::vector<float> target_edges = {0, 1, 0.5F};

using of_logits = judging<loss<binary_crossentropy, label_smoothing<0.25F>>, binary_crossentropy,
                          metric<huber, delta<0.25F>>, categorical_hinge,
                          metric<categorical_crossentropy, label_smoothing<0.25>>>;

constexpr expected_metric logits_expected[] = {
    {"binary_crossentropy", reference::binary_logits, 1e-7},
    {"huber", reference::huber_from_quarter, 0},
    {"categorical_hinge", reference::categorical_hinge, 1e-4},
    {"categorical_crossentropy", reference::smoothed_categorical_logits, 1e-4}};

const std::vector<float> probability_edges = {0, 1, 0.5F, 1e-7F, 1e-3F};

using of_probabilities =
    judging<loss<kl_divergence>, metric<binary_crossentropy, from_clipped_probabilities>, poisson,
            metric<categorical_crossentropy, from_clipped_probabilities>, kl_divergence>;

// Of a probability of 1e-7 from 1 a float has one digit, and its logarithm is off by a share of 1.
constexpr expected_metric probabilities_expected[] = {
    {"binary_crossentropy", reference::binary_clipped, 1e-7},
    {"poisson", reference::poisson, 1e-6},
    {"categorical_crossentropy", reference::categorical_clipped, 1e-6},
    {"kl_divergence", reference::kl_divergence, 1e-6}};

using of_smoothed =
    judging<loss<categorical_crossentropy>,
            metric<binary_crossentropy, from_clipped_probabilities, label_smoothing<0.25F>>,
            metric<categorical_crossentropy, from_clipped_probabilities, label_smoothing<0.25F>>>;

constexpr expected_metric smoothed_expected[] = {
    {"binary_crossentropy", reference::smoothed_binary_clipped, 1e-7},
    {"categorical_crossentropy", reference::smoothed_categorical_clipped, 1e-6}};

template <typename Judging>
evaluation judge(const judged_pairs& data) {
  session<Judging> run;
  return run.evaluate(data);
}

void check_loss(double found, row_loss exact, const judged_pairs& data, double absolute) {
  const exact_mean expected = mean_of(exact, data);
  INFO(found << ", expected " << expected.value);
  CHECK(std::abs(found - expected.value) <= relative * expected.size + absolute);
}

}  // namespace

TEST_CASE("losses of real numbers agree with float64, large ones included") {
  session<of_numbers> run;
  int compared = 0;
  // A target of 0 makes so many percent of a difference that nothing else would count.
  for (const std::vector<float>* wanted : {&wanted_but_zero, &real_wanted}) {
    for (const std::vector<float>* predicted : {&real_edges, &large_edges}) {
      const judged_pairs data(numbers_with(31, -3, 3, *predicted),
                              numbers_with(32, -2, 2, *wanted));
      const evaluation found = run.evaluate(data);
      check_loss(found.loss, reference::mean_squared_error, data, 0);
      compared += compare(found.metrics, numbers_expected, data);
    }
  }
  CHECK(compared == 32);
  std::printf("losses: compared %d of real numbers\n", compared);
}

TEST_CASE("losses of logits agree with float64, saturated ones included") {
  const judged_pairs data(numbers_with(33, -6, 6, logit_edges),
                          numbers_with(34, 0, 1, target_edges));
  const evaluation found = judge<of_logits>(data);
  check_loss(found.loss, reference::smoothed_binary_logits, data, 1e-7);
  CHECK(compare(found.metrics, logits_expected, data) == 4);
}

TEST_CASE("losses of probabilities agree with float64, zeros and ones included") {
  const judged_pairs data(numbers_with(35, 0, 1, probability_edges),
                          numbers_with(36, 0, 1, target_edges));
  const evaluation found = judge<of_probabilities>(data);
  check_loss(found.loss, reference::kl_divergence, data, 1e-6);
  CHECK(compare(found.metrics, probabilities_expected, data) == 4);
}

TEST_CASE("losses of one wanted class agree with float64") {
  const judged_pairs data(numbers_with(37, 0, 1, probability_edges), one_hot_rows());
  const evaluation found = judge<of_smoothed>(data);
  check_loss(found.loss, reference::categorical_logits, data, 1e-6);
  CHECK(compare(found.metrics, smoothed_expected, data) == 2);
}

TEST_CASE("a loss of cosines is minus the cosine, of nothing at all 0") {
  using losing = judging<loss<cosine_similarity>, cosine_similarity>;
  const judged_pairs data(numbers_with(38, -1, 1, {0}), numbers_with(39, -1, 1, {0}));
  const evaluation found = judge<losing>(data);
  check_loss(found.loss, reference::minus_cosine, data, 1e-6);
  CHECK(found.metrics["cosine_similarity"] == -found.loss);
  const std::vector<float> zeros(judged_numbers);
  const judged_pairs nothing(zeros, zeros);
  CHECK(judge<losing>(nothing).loss == 0);
}
