// SPDX-License-Identifier: MIT
// A trained model in code that must answer in time: every call is a loop over kernels in memory
// that was there before.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

using namespace ipu_dsl;

struct digit_mlp
    : model<input<28, 28>, sequential<Flatten, Dense<64, relu>, Dense<32, relu>, Dense<10>>> {};

struct training : compile<digit_mlp, micro_batch<32>, loss<sparse_categorical_crossentropy>,
                          optimizer<sgd<momentum>>> {};

using digit_weights = weights_of<digit_mlp>;
using classifier = predictor<digit_mlp, micro_batch<1>>;

// Where the program wants them: here they are part of its image.
alignas(digit_weights::alignment) static std::array<std::byte, digit_weights::bytes> for_weights;
alignas(classifier::alignment) static std::array<std::byte, classifier::bytes> for_activations;

static int train_and_classify() {
  const auto digits = synthetic_digits(10'000, 1);
  session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}};
  run.fit(digits | shuffled(5'000) | repeated(), {.steps_per_epoch = 1'200});

  digit_weights trained(for_weights);
  trained.copy_from(run.weights());
  classifier classify(trained, for_activations);

  const auto unseen = synthetic_digits(1'000, 2);
  std::array<float, classifier::sample_values> image{};
  int right = 0;
  for (std::uint32_t i = 0; i < unseen.size(); ++i) {
    unseen.gather(i, image.data());
    const auto scores = classify.push(image);
    const auto found = std::max_element(scores.begin(), scores.end()) - scores.begin();
    right += found == unseen.label(i) ? 1 : 0;
  }
  std::printf("%d of %d digits right, one by one\n", right, static_cast<int>(unseen.size()));
  std::printf("%zu bytes of weights, %zu of activations\n", digit_weights::bytes,
              classifier::bytes);
  return right > 900 ? 0 : 1;
}

int main() {
  return example::run("inference", train_and_classify);
}
