// SPDX-License-Identifier: MIT
// A binary classifier: will a machine break down within a week, by what its sensors say? One
// probability an answer, binary cross-entropy, and how well the answers are told apart: AUC,
// precision and recall.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

using namespace ipu_dsl;

namespace {

// [model]
// The sigmoid is a layer of its own, so that the loss is computed from the logit before it: it
// stays exact where the probability rounds to 0 or 1.
struct breakdown_model
    : model<input<5>, sequential<Dense<24, relu>, Dense<12, relu>, Dense<1>, sigmoid>> {};

// A metric with options stands in `metric`. Of ten alarms at 0.7, how many are right?
struct training : compile<breakdown_model, micro_batch<50>, loss<binary_crossentropy>,
                          metrics<auc, binary_accuracy, metric<precision, threshold<0.7F>>, recall>,
                          optimizer<adam>> {};

static_assert(check<training>());

// [/model]

/// What a program has before it knows of this library.
struct log_book {
  std::vector<float> readings;  // [machines, 5]: temperature, vibration, load, age, oil, in [-1, 1]
  std::vector<float> broke;     // [machines], 1 or 0
};

/// What breaks down is hot and vibrates, or is old and under load; chance has its part in it, so
/// that nobody can tell all of them.
log_book write_log(std::int32_t machines, std::uint64_t seed) {
  log_book written;
  for (std::int32_t machine = 0; machine < machines; ++machine) {
    float unit[6] = {};
    for (std::uint64_t i = 0; i < 6; ++i) {
      unit[i] = 2 * uniform_unit(random_word(seed, static_cast<std::uint64_t>(machine), i)) - 1;
    }
    written.readings.insert(written.readings.end(), unit, unit + 5);
    const float wear = 4 * unit[0] * unit[1] + 3 * unit[2] * std::fmax(unit[3], 0.0F) - unit[4];
    const float risk = 1 / (1 + std::exp(-3 * (wear - 1)));
    written.broke.push_back(0.5F * (unit[5] + 1) < risk ? 1.0F : 0.0F);
  }
  return written;
}

int train_and_judge() {
  const log_book known = write_log(8'000, 1);
  const log_book fresh = write_log(2'000, 2);

  // [data]
  const paired_dataset<shape{5}, shape{1}> machines(known.readings, known.broke);
  const paired_dataset<shape{5}, shape{1}> unseen(fresh.readings, fresh.broke);
  // [/data]

  // [train]
  session<training> run{{.learning_rate = 0.005F}};
  run.fit(machines | shuffled(8'000), {.epochs = 12}, [](const epoch_record& epoch) {
    std::printf("epoch %2d  loss %.4f  auc %.4f\n", epoch.epoch + 1, epoch.loss,
                epoch.metrics["auc"]);
  });
  // [/train]

  // [judge]
  const evaluation found = run.evaluate(unseen);
  std::printf("unseen machines: loss %.4f\n", found.loss);
  for (const std::string_view name : found.metrics.names()) {
    std::printf("  %-16s %.4f\n", std::string(name).c_str(), found.metrics[name]);
  }
  // [/judge]

  // [predict]
  std::vector<float> probabilities(fresh.broke.size());
  run.predict(fresh.readings, probabilities);
  // [/predict]
  for (std::size_t machine = 0; machine < 4; ++machine) {
    std::printf("machine %zu breaks down with probability %.2f, and %s\n", machine,
                static_cast<double>(probabilities[machine]),
                fresh.broke[machine] > 0 ? "did" : "did not");
  }
  return found.metrics["auc"] > 0.9 ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("binary_classifier", train_and_judge);
}
