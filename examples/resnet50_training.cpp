// SPDX-License-Identifier: MIT
// One update of ResNet-50 from four pictures of 224 x 224, by one device and by two: the loss and
// the weights behind it are the same, to the bit. What takes long to compile stands in
// resnet50_training/.
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "example.hpp"
#include "resnet50_training/training.hpp"

namespace {

using namespace ipu_dsl;

constexpr std::int32_t pictures = 4;

/// Pictures of stripes, of each another angle: the library has no photographs.
std::vector<float> draw_pictures() {
  constexpr std::int32_t side = 224;
  std::vector<float> drawn;
  for (std::int32_t picture = 0; picture < pictures; ++picture) {
    for (std::int32_t row = 0; row < side; ++row) {
      for (std::int32_t column = 0; column < side; ++column) {
        for (std::int32_t channel = 0; channel < 3; ++channel) {
          const std::int32_t along = (row * picture + column * (channel + 1)) % 32;
          drawn.push_back(static_cast<float>(along) / 16 - 1);
        }
      }
    }
  }
  return drawn;
}

struct outcome {
  double loss = 0;
  std::uint64_t weights = 0;  ///< their fingerprint
};

/// Trains once, and prints what that needed.
template <typename Training>
outcome train(const char* name) {
  session<Training> run({.learning_rate = 0.01F});
  const std::vector<std::int32_t> labels = {1, 281, 282, 999};
  outcome found;
  found.loss = run.train_step(draw_pictures(), labels);
  found.weights = run.weights().fingerprint();
  std::printf("%-8s %4zu MB  loss %.6f  weights %016" PRIx64 "\n", name, run.bytes() >> 20,
              found.loss, found.weights);
  return found;
}

int compare() {
  const outcome whole = train<models::training_whole>("whole");
  const outcome in_two = train<models::training_in_two>("in two");
  const bool same = whole.loss == in_two.loss && whole.weights == in_two.weights;
  std::printf("%s\n", same ? "The bits are the same." : "The bits differ.");
  return same ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("resnet50_training", compare);
}
