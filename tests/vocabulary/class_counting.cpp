// SPDX-License-Identifier: MIT
// Metrics of several numbers: the confusion matrix and what is made of it, against counts in a
// plain loop, from labels, from floats and of one probability.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"

using namespace ipu_dsl;

namespace {

constexpr std::size_t samples = 61;
constexpr std::size_t classes = 4;

/// Its output is its input.
struct scores : model<input<4>, sequential<linear>> {};

struct answer : model<input<1>, sequential<linear>> {};

template <typename Model, typename Loss, typename... Metrics>
struct judging : compile<Model, micro_batch<8>, Loss, metrics<Metrics...>> {};

using by_labels = judging<scores, loss<sparse_categorical_crossentropy>, accuracy, confusion_matrix,
                          per_class<precision>, per_class<recall>, per_class<f1_score>>;
using by_floats = judging<scores, loss<categorical_crossentropy>, confusion_matrix>;
using yes_or_no = judging<answer, loss<mean_squared_error>, confusion_matrix, per_class<recall>>;
using by_weight =
    judging<scores, loss<sparse_categorical_crossentropy>, metric<confusion_matrix, sample_weights>,
            metric<confusion_matrix, metric_name<"plain">>>;

struct judged {
  std::vector<float> features = reference::numbers(samples * classes, 61, 1.0F);
  std::vector<std::int32_t> labels = reference::labels(samples, 62, 4);
  std::vector<float> weights = reference::numbers(samples, 63, 1.0F);

  judged() {
    for (std::size_t i = 0; i < samples; ++i) {
      // Most are taken for what they are; nobody is taken for class 3.
      const auto is = static_cast<std::size_t>(labels[i]);
      features[i * classes + (i % 3 == 0 ? (is + 1) % 3 : is)] += 1.5F;
      features[i * classes + 3] = -2;
      weights[i] = i % 5 == 0 ? 0.0F : 1.0F + weights[i];
    }
  }

  std::size_t said(std::size_t sample) const {
    const float* const row = features.data() + sample * classes;
    return static_cast<std::size_t>(std::max_element(row, row + classes) - row);
  }

  /// [classes, classes]
  std::vector<double> matrix(bool weighted) const {
    std::vector<double> counts(classes * classes);
    for (std::size_t i = 0; i < samples; ++i) {
      counts[static_cast<std::size_t>(labels[i]) * classes + said(i)] +=
          weighted ? static_cast<double>(weights[i]) : 1;
    }
    return counts;
  }
};

std::vector<double> numbers_of(const metric_values& found, std::string_view name) {
  const std::span<const double> numbers = found.numbers(name);
  return {numbers.begin(), numbers.end()};
}

}  // namespace

TEST_CASE("a confusion matrix counts what samples are by what they are taken for") {
  const judged data;
  session<by_labels> run;
  const labelled_dataset<shape{4}, 4, float> labelled(data.features, data.labels);
  const evaluation found = run.evaluate(labelled);
  const std::vector<double> expected = data.matrix(false);
  CHECK(numbers_of(found.metrics, "confusion_matrix") == expected);
  double right = 0;
  int compared = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    double said = 0;
    double are = 0;
    for (std::size_t other = 0; other < classes; ++other) {
      said += expected[other * classes + c];
      are += expected[c * classes + other];
    }
    const double hits = expected[c * classes + c];
    right += hits;
    CHECK(found.metrics.numbers("precision_per_class")[c] == (said > 0 ? hits / said : 0));
    CHECK(found.metrics.numbers("recall_per_class")[c] == hits / are);
    CHECK(found.metrics.numbers("f1_score_per_class")[c] == 2 * hits / (said + are));
    ++compared;
  }
  CHECK(compared == 4);
  CHECK(found.metrics["accuracy"] == right / samples);
  CHECK(expected[3 * classes + 3] == 0);
  CHECK(right > 20);
  CHECK(right < 50);
  CHECK(tests::sentence_of([&] { static_cast<void>(found.metrics["confusion_matrix"]); }) ==
        "The metric \"confusion_matrix\" has 16 numbers: write "
        "metrics.numbers(\"confusion_matrix\").");
}

TEST_CASE("a confusion matrix reads floats where the loss is told them") {
  const judged data;
  std::vector<float> targets(samples * classes);
  for (std::size_t i = 0; i < samples; ++i) {
    targets[i * classes + static_cast<std::size_t>(data.labels[i])] = 1;
  }
  session<by_floats> run;
  const paired_dataset<shape{4}, shape{4}> pairs(data.features, targets);
  CHECK(numbers_of(run.evaluate(pairs).metrics, "confusion_matrix") == data.matrix(false));
}

TEST_CASE("a probability has the classes no and yes") {
  const std::vector<float> probabilities = {0.2F, 0.5F, 0.6F, 0.9F, 0.1F, 0.7F};
  const std::vector<float> wanted = {0, 1, 1, 0, 0, 1};
  session<yes_or_no> run;
  const paired_dataset<shape{1}, shape{1}> pairs(probabilities, wanted);
  const evaluation found = run.evaluate(pairs);
  CHECK(numbers_of(found.metrics, "confusion_matrix") == std::vector<double>{2, 1, 1, 2});
  CHECK(numbers_of(found.metrics, "recall_per_class") == std::vector<double>{2.0 / 3, 2.0 / 3});
}

TEST_CASE("a confusion matrix adds up weights, and lies beside one that does not") {
  const judged data;
  session<by_weight> run;
  const auto zip = zipped(feature_column<shape{4}>(data.features), label_column<4>(data.labels),
                          weight_column(data.weights));
  const evaluation found = run.evaluate(zip);
  CHECK(numbers_of(found.metrics, "plain") == data.matrix(false));
  const std::vector<double> expected = data.matrix(true);
  int compared = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(found.metrics.numbers("confusion_matrix")[i] == Approx(expected[i]).epsilon(1e-12));
    ++compared;
  }
  CHECK(compared == 16);
}

namespace {

struct learning : model<input<4>, sequential<Dense<4>>> {};

using learnt = judging<learning, loss<sparse_categorical_crossentropy>, confusion_matrix, accuracy>;

}  // namespace

TEST_CASE("every epoch keeps its numbers, and so does a copy of an evaluation") {
  const judged data;
  const labelled_dataset<shape{4}, 4, float> labelled(data.features, data.labels);
  // Room for one epoch: the others move what there is.
  session<learnt> run({.learning_rate = 0.5F}, {.history_epochs = 1});
  std::vector<std::vector<double>> said;
  const evaluation before = run.evaluate(labelled);
  const std::vector<double> first = numbers_of(before.metrics, "confusion_matrix");
  run.fit(labelled, {.epochs = 9}, [&](const epoch_record& passed) {
    said.push_back(numbers_of(passed.metrics, "confusion_matrix"));
  });
  const evaluation after = run.evaluate(labelled);
  CHECK(numbers_of(before.metrics, "confusion_matrix") == first);
  CHECK(numbers_of(after.metrics, "confusion_matrix") != first);
  const history& passed = run.fit(labelled, {.epochs = 9});
  REQUIRE(passed.epochs().size() == 9);
  int kept = 0;
  for (const epoch_record& epoch : passed.epochs()) {
    const std::span<const double> matrix = epoch.metrics.numbers("confusion_matrix");
    double sum = 0;
    double right = 0;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      sum += matrix[i];
      right += i % 5 == 0 ? matrix[i] : 0;
    }
    CHECK(sum == 56);
    CHECK(right / sum == Approx(epoch.metrics["accuracy"]).epsilon(1e-12));
    ++kept;
  }
  CHECK(kept == 9);
  REQUIRE(said.size() == 9);
  CHECK(said.front() != said.back());
}

namespace {

template <typename... Options>
struct one_update
    : compile<learning, micro_batch<4>, loss<sparse_categorical_crossentropy>,
              metrics<confusion_matrix, accuracy, sparse_top_k_categorical_accuracy<2>>,
              Options...> {};

using one_device = one_update<gradient_accumulation<12>>;
using two_replicas = one_update<gradient_accumulation<6>, replicas<2>>;

}  // namespace

TEST_CASE("metrics over replicas are those of all samples") {
  const judged data;
  const std::size_t trained = 48;
  const labelled_dataset<shape{4}, 4, float> labelled(
      {data.features.begin(), data.features.begin() + trained * classes},
      {data.labels.begin(), data.labels.begin() + trained});
  // One update: everything is judged by the first weights.
  session<one_device> alone;
  session<two_replicas> shared({}, {.threads = 2, .shared_from = 0});
  const epoch_record expected = alone.fit(labelled).epochs()[0];
  const epoch_record found = shared.fit(labelled).epochs()[0];
  CHECK(numbers_of(found.metrics, "confusion_matrix") ==
        numbers_of(expected.metrics, "confusion_matrix"));
  CHECK(found.metrics["accuracy"] == expected.metrics["accuracy"]);
  CHECK(found.metrics["sparse_top_k_categorical_accuracy"] ==
        expected.metrics["sparse_top_k_categorical_accuracy"]);
  CHECK(found.loss == expected.loss);
  CHECK(found.samples == 48);
}

TEST_CASE("a confusion matrix is what it declares, block by block") {
  int passed = 0;
  for (const std::int32_t tiles : {1, 4, 16}) {
    machine_target small = ipu2;
    small.tiles = tiles;
    const tile_check found = check_tiles<learnt>(small);
    INFO(found.fault);
    CHECK(found.passed());
    CHECK(found.count.blocks > 0);
    ++passed;
  }
  CHECK(passed == 3);
}
