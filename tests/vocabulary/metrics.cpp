// SPDX-License-Identifier: MIT
// The metrics that are no losses, against what Keras computes, in float64.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>

#include <ipu_dsl/data/dataset.hpp>

#include "support/catch2.hpp"
#include "vocabulary/judged_rows.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// Ties with the thresholds of several metrics, and what lies beside all probabilities.
const std::vector<float> edges = {0, 1, 0.5F, 0.25F, 100.0F / 199, 0.7F, 1.5F, -0.5F, 1e-8F};

judged_pairs answers() {
  std::vector<float> wanted = numbers_with(42, 0, 1, {0, 1});
  for (float& each : wanted) {
    each = each > 0.4F ? 1.0F : 0.0F;
  }
  return {numbers_with(41, 0, 1, edges), wanted};
}

/// Keras's confusion at one threshold.
struct confusion {
  double true_positives = 0;
  double false_positives = 0;
  double false_negatives = 0;
  double true_negatives = 0;
};

confusion confused_at(float threshold, const judged_pairs& data) {
  confusion found;
  for (std::size_t i = 0; i < data.features().size(); ++i) {
    const bool says = data.features()[i] > threshold;
    const bool is = data.targets()[i] != 0;
    double& kind = says ? (is ? found.true_positives : found.false_positives)
                        : (is ? found.false_negatives : found.true_negatives);
    kind += 1;
  }
  return found;
}

double precision_of(const confusion& at) {
  return at.true_positives / (at.true_positives + at.false_positives);
}

double recall_of(const confusion& at) {
  return at.true_positives / (at.true_positives + at.false_negatives);
}

/// Keras's AUC of 200 thresholds, one by one.
double area_of(const judged_pairs& data) {
  std::vector<double> right;
  std::vector<double> wrong;
  for (int i = 0; i < 200; ++i) {
    const double inner = i / 199.0;
    const double place = i == 0 ? -1e-7 : i == 199 ? 1 + 1e-7 : inner;
    const confusion at = confused_at(static_cast<float>(place), data);
    right.push_back(recall_of(at));
    wrong.push_back(at.false_positives / (at.false_positives + at.true_negatives));
  }
  double area = 0;
  for (std::size_t i = 0; i + 1 < right.size(); ++i) {
    area += (wrong[i] - wrong[i + 1]) * (right[i] + right[i + 1]) / 2;
  }
  return area;
}

/// Keras's area of precision over recall, from counts at each threshold.
double area_of_precision(const judged_pairs& data) {
  std::vector<confusion> at;
  for (int i = 0; i < 200; ++i) {
    const double inner = i / 199.0;
    const double place = i == 0 ? -1e-7 : i == 199 ? 1 + 1e-7 : inner;
    at.push_back(confused_at(static_cast<float>(place), data));
  }
  const auto share = [](double part, double of) { return of == 0 ? 0 : part / of; };
  double area = 0;
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const double said = at[i].true_positives + at[i].false_positives;
    const double next = at[i + 1].true_positives + at[i + 1].false_positives;
    const double right = at[i].true_positives - at[i + 1].true_positives;
    const double slope = share(right, std::max(said - next, 0.0));
    const double intercept = at[i + 1].true_positives - slope * next;
    const double ratio = said > 0 && next > 0 ? said / next : 1;
    area += share(slope * (right + intercept * std::log(ratio)),
                  at[i + 1].true_positives + at[i + 1].false_negatives);
  }
  return area;
}

using both_curves =
    judging<loss<mean_squared_error>, auc, metric<auc, curve<"PR">, metric_name<"pr_auc">>,
            metric<auc, curve<"ROC">, metric_name<"roc_auc">>,
            metric<precision, threshold<0.3F>, metric_name<"lenient">>,
            metric<precision, threshold<0.7F>, metric_name<"strict">>, precision>;

using answering = judging<loss<mean_squared_error>, precision, recall, f1_score, auc,
                          binary_accuracy, mean_of_output, root_mean_squared_error,
                          categorical_accuracy, top_k_categorical_accuracy<3>>;

using at_other_thresholds =
    judging<loss<mean_squared_error>, metric<precision, threshold<0.25F>>,
            metric<recall, threshold<0.7>>, metric<f1_score, threshold<0.25F>>,
            metric<binary_accuracy, threshold<0.25F>>, top_k_categorical_accuracy<>>;

template <typename Judging>
metric_values judge(const judged_pairs& data) {
  session<Judging> run;
  return run.evaluate(data).metrics;
}

bool alike(double found, double expected) {
  return std::abs(found - expected) <= 1e-13 * std::abs(expected);
}

double harmonic_mean(double a, double b) {
  return 2 * a * b / (a + b);
}

double share_of_hits(float threshold, const judged_pairs& data) {
  const confusion at = confused_at(threshold, data);
  return (at.true_positives + at.true_negatives) / static_cast<double>(judged_numbers);
}

/// The share of samples where fewer than k scores are above that of the wanted class.
double share_in_top(int k, std::span<const float> scores, std::span<const std::int32_t> wanted) {
  double hits = 0;
  for (std::size_t sample = 0; sample < judged_samples; ++sample) {
    const auto row = scores.subspan(sample * std::size_t{judged_units}, std::size_t{judged_units});
    const float score = row[static_cast<std::size_t>(wanted[sample])];
    hits += std::count_if(row.begin(), row.end(), [&](float other) { return other > score; }) < k;
  }
  return hits / static_cast<double>(judged_samples);
}

/// The first of the largest numbers of each row.
std::vector<std::int32_t> best_of_rows(std::span<const float> rows) {
  std::vector<std::int32_t> found;
  for (std::size_t sample = 0; sample < judged_samples; ++sample) {
    const auto row = rows.subspan(sample * std::size_t{judged_units}, std::size_t{judged_units});
    found.push_back(
        static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
  }
  return found;
}

}  // namespace

TEST_CASE("two metrics of a kind have names of their own, and the curve of precision is Keras's") {
  const judged_pairs data = answers();
  const metric_values found = judge<both_curves>(data);
  CHECK(found.names().size() == 6);
  CHECK(alike(found["auc"], area_of(data)));
  CHECK(found["roc_auc"] == found["auc"]);
  CHECK(std::abs(found["pr_auc"] - area_of_precision(data)) <= 1e-12);
  CHECK(std::abs(found["pr_auc"] - found["auc"]) > 1e-3);
  CHECK(alike(found["lenient"], precision_of(confused_at(0.3F, data))));
  CHECK(alike(found["strict"], precision_of(confused_at(0.7F, data))));
  CHECK(alike(found["precision"], precision_of(confused_at(0.5F, data))));
  CHECK(found["lenient"] != found["strict"]);
}

TEST_CASE("metrics of yes and no count as Keras does") {
  const judged_pairs data = answers();
  const metric_values found = judge<answering>(data);
  const confusion at = confused_at(0.5F, data);
  CHECK(at.false_positives > 20);
  CHECK(alike(found["precision"], precision_of(at)));
  CHECK(alike(found["recall"], recall_of(at)));
  CHECK(alike(found["f1_score"], harmonic_mean(precision_of(at), recall_of(at))));
  CHECK(alike(found["auc"], area_of(data)));
  // The mean over the numbers of a sample is taken first.
  CHECK(std::abs(found["binary_accuracy"] - share_of_hits(0.5F, data)) < 1e-12);
}

TEST_CASE("metrics of yes and no have the threshold that they are given") {
  const judged_pairs data = answers();
  const metric_values found = judge<at_other_thresholds>(data);
  const confusion low = confused_at(0.25F, data);
  CHECK(alike(found["precision"], precision_of(low)));
  CHECK(alike(found["recall"], recall_of(confused_at(0.7F, data))));
  CHECK(alike(found["f1_score"], harmonic_mean(precision_of(low), recall_of(low))));
  CHECK(std::abs(found["binary_accuracy"] - share_of_hits(0.25F, data)) < 1e-12);
}

TEST_CASE("metrics of nothing that is right are 0, and of no yes at all") {
  const std::vector<float> zeros(judged_numbers);
  const metric_values found = judge<answering>({zeros, zeros});
  CHECK(found["precision"] == 0);
  CHECK(found["recall"] == 0);
  CHECK(found["f1_score"] == 0);
  CHECK(found["auc"] == 0);
  CHECK(found["binary_accuracy"] == 1);
}

TEST_CASE("the area is 1 of what is told apart, 0 of the opposite and a half of one answer") {
  std::vector<float> wanted(judged_numbers);
  std::vector<float> opposite(judged_numbers);
  for (std::size_t i = 0; i < judged_numbers; ++i) {
    wanted[i] = i % 3 == 0 ? 1.0F : 0.0F;
    opposite[i] = 1.0F - wanted[i];
  }
  CHECK(alike(judge<answering>({wanted, wanted})["auc"], 1));
  CHECK(judge<answering>({opposite, wanted})["auc"] == 0);
  CHECK(alike(judge<answering>({std::vector<float>(judged_numbers, 0.3F), wanted})["auc"], 0.5));
}

TEST_CASE("an output lies above as many thresholds of the area as a comparison with each says") {
  int compared = 0;
  std::vector<float> tried = {-1.0F, -1e-7F, -0.5e-7F, 0, 1, 1.0000001F, 1.0000002F, 1e30F, -1e30F};
  for (int i = 0; i < 200; ++i) {
    const float border = auc_rule::threshold(i);
    tried.push_back(border);
    tried.push_back(std::nextafter(border, -2.0F));
    tried.push_back(std::nextafter(border, 2.0F));
  }
  for (const float predicted : tried) {
    int below = 0;
    for (int i = 0; i < 200; ++i) {
      below += predicted > auc_rule::threshold(i) ? 1 : 0;
    }
    CHECK(auc_rule::passed(predicted) == below);
    ++compared;
  }
  CHECK(auc_rule::passed(std::numeric_limits<float>::quiet_NaN()) == 0);
  CHECK(compared == 609);
}

TEST_CASE("the mean and the root of the mean square agree with float64") {
  const judged_pairs data = answers();
  const metric_values found = judge<answering>(data);
  double sum = 0;
  for (const float each : data.features()) {
    sum += static_cast<double>(each);
  }
  CHECK(std::abs(found["mean"] - sum / static_cast<double>(judged_numbers)) < 1e-6);
  const double squares = mean_of(reference::mean_squared_error, data).value;
  CHECK(std::abs(found["root_mean_squared_error"] - std::sqrt(squares)) < 1e-6);
}

TEST_CASE("a class is among the best k if fewer than k scores are above its own") {
  const judged_pairs data(numbers_with(43, 0, 1, {0.9F, 0.95F}), numbers_with(44, 0, 1, {0}));
  const std::vector<std::int32_t> wanted = best_of_rows(data.targets());
  const std::vector<std::int32_t> said = best_of_rows(data.features());
  const metric_values found = judge<answering>(data);
  double hits = 0;
  for (std::size_t i = 0; i < judged_samples; ++i) {
    hits += wanted[i] == said[i] ? 1 : 0;
  }
  CHECK(hits > 0);
  CHECK(alike(found["categorical_accuracy"], hits / static_cast<double>(judged_samples)));
  const double of_three = share_in_top(3, data.features(), wanted);
  const double of_five = share_in_top(5, data.features(), wanted);
  CHECK(of_three < of_five);
  CHECK(alike(found["top_k_categorical_accuracy"], of_three));
  CHECK(alike(judge<at_other_thresholds>(data)["top_k_categorical_accuracy"], of_five));
}

TEST_CASE("a label is among the best k as a class is") {
  using scores = labelled_dataset<shape{judged_units}, judged_units, float>;
  using sparse = judging<loss<sparse_categorical_crossentropy>, accuracy,
                         sparse_top_k_categorical_accuracy<3>>;
  const std::vector<float> features = numbers_with(45, 0, 1, {0.9F, 0.95F});
  const std::vector<std::int32_t> labels = reference::labels(judged_samples, 46, judged_units);
  session<sparse> run;
  const metric_values found = run.evaluate(scores(features, labels)).metrics;
  const double expected = share_in_top(3, features, labels);
  CHECK(expected > 0);
  CHECK(alike(found["sparse_top_k_categorical_accuracy"], expected));
  CHECK(found["accuracy"] < expected);
}
