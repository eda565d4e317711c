// SPDX-License-Identifier: MIT
// Data that a program has itself: trains on vectors of floats and labels, predicts, and reads a
// weight.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

using namespace ipu_dsl;

namespace {

// [model]
struct classifier
    : model<input<20>, sequential<Dense<32, relu>, named<"scores", Dense<3, softmax>>>> {};

struct training : compile<classifier, micro_batch<16>, loss<sparse_categorical_crossentropy>,
                          metrics<accuracy>, optimizer<sgd<momentum>>> {};

static_assert(check<training>());

// [/model]

/// What a program has before it knows of this library.
struct table {
  std::vector<float> features;       // [samples, 20]
  std::vector<std::int32_t> labels;  // [samples], 0 to 2
};

/// Noise in [-1, 1) with a 1 added in every third column, which one being the class.
table draw_table(std::int32_t samples, std::uint64_t seed) {
  table drawn;
  for (std::int32_t sample = 0; sample < samples; ++sample) {
    const std::int32_t label = sample % 3;
    drawn.labels.push_back(label);
    for (std::int32_t column = 0; column < 20; ++column) {
      const auto index = static_cast<std::uint64_t>(sample * 20 + column);
      const float noise = 2 * uniform_unit(random_word(seed, 0, index)) - 1;
      drawn.features.push_back(noise + (column % 3 == label ? 1.0F : 0.0F));
    }
  }
  return drawn;
}

/// The class with the highest score of each sample: [samples].
std::vector<std::int32_t> highest(const std::vector<float>& scores) {
  std::vector<std::int32_t> classes;
  for (auto row = scores.begin(); row != scores.end(); row += 3) {
    classes.push_back(static_cast<std::int32_t>(std::max_element(row, row + 3) - row));
  }
  return classes;
}

int train_and_predict() {
  table known = draw_table(1'000, 1);
  const table fresh = draw_table(300, 2);

  // [data]
  // A sample of 20 numbers, 3 classes, floats. Moved in here, copied there.
  const labelled_dataset<shape{20}, 3, float> samples(std::move(known.features),
                                                      std::move(known.labels));
  const labelled_dataset<shape{20}, 3, float> unseen(fresh.features, fresh.labels);
  // [/data]

  // [train]
  session<training> run{{.learning_rate = 0.02F, .momentum = 0.9F}};
  const history& passed = run.fit(samples | shuffled(1'000), {.epochs = 5});
  for (const epoch_record& epoch : passed.epochs()) {
    std::printf("epoch %d of %zu  loss %.3f\n", epoch.epoch + 1, passed.epochs().size(),
                epoch.loss);
  }
  const evaluation found = run.evaluate(unseen);
  std::printf("accuracy %.3f on %d samples\n", found.metrics["accuracy"],
              static_cast<int>(found.samples));
  // [/train]

  // [predict]
  std::vector<float> scores(fresh.labels.size() * 3);
  run.predict(fresh.features, scores);  // [samples, 20] and [samples, 3]
  // [/predict]
  const std::vector<std::int32_t> classes = highest(scores);
  std::printf("sample 0 is of class %d, predicted %d\n", fresh.labels[0], classes[0]);

  // [weights]
  run.save("own_data.npz");
  session<training> other;
  other.load("own_data.npz");

  const parameters& weights = other.weights();
  const std::size_t bias = weights.find("scores/bias");
  std::vector<float> values(static_cast<std::size_t>(weights.at(bias).extents.elements()));
  weights.get(bias, values);  // [3]
  // [/weights]
  std::remove("own_data.npz");
  std::printf("scores/bias %.4f %.4f %.4f\n", static_cast<double>(values[0]),
              static_cast<double>(values[1]), static_cast<double>(values[2]));
  const bool loaded = weights.fingerprint() == run.weights().fingerprint();
  return found.metrics["accuracy"] > 0.9 && loaded ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("own_data", train_and_predict);
}
