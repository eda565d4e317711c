// SPDX-License-Identifier: MIT
// Dilated causal convolutions learn what a loudspeaker in a small box does to plucked strings, from
// pieces of 64 samples; then they play along, one sample at a time, and say how long each takes.
#include "models/wavenet.hpp"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"
#include "strings.hpp"

using namespace ipu_dsl;
using strings::pluck;

namespace {

struct training
    : compile<models::wavenet, micro_batch<20>, loss<mean_squared_error>, optimizer<adam>> {};

/// The box: two of its walls throw the sound back, 5 and 20 samples later, and the loudspeaker
/// cannot follow what is loud.
std::vector<float> in_a_box(const std::vector<float>& sound) {
  const auto thrown_back = [&](std::size_t i, std::size_t later) {
    return i < later ? 0.0F : sound[i - later];
  };
  std::vector<float> made;
  for (std::size_t i = 0; i < sound.size(); ++i) {
    made.push_back(std::tanh(sound[i] + 0.6F * thrown_back(i, 5) - 0.5F * thrown_back(i, 20)));
  }
  return made;
}

int train_and_play() {
  // [train]
  std::vector<float> dry;
  std::vector<float> wet;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const std::vector<float> sound = pluck(64, seed);
    const std::vector<float> heard = in_a_box(sound);
    dry.insert(dry.end(), sound.begin(), sound.end());
    wet.insert(wet.end(), heard.begin(), heard.end());
  }
  const paired_dataset<shape{64, 1}, shape{64, 1}> pieces(dry, wet);
  session<training> run{{.learning_rate = 0.005F}};
  run.fit(pieces | shuffled(2'000), {.epochs = 20}, [](const epoch_record& epoch) {
    std::printf("epoch %2d  mean squared error %.6f\n", epoch.epoch + 1, epoch.loss);
  });
  // [/train]

  // [stream]
  // The same weights, a sample at a time: each convolution carries the samples it reaches back to.
  weights_of<one_step<models::wavenet>> weights;
  weights.copy_from(run.weights());
  predictor<one_step<models::wavenet>> stream(weights);
  const std::vector<float> string = pluck(16'000, 123'456);
  std::vector<float> played;
  played.reserve(string.size());
  const subnormals_as_zeros here;
  const auto before = std::chrono::steady_clock::now();
  for (const float& sample : string) {
    played.push_back(stream.push(std::span<const float, 1>(&sample, 1))[0]);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  // [/stream]
  const double error = strings::error_to_signal(played, in_a_box(string));
  std::printf("%.0f ns a sample; error to signal %.4f\n",
              1e9 * took.count() / static_cast<double>(string.size()), error);
  return error < 0.01 ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("wavenet", train_and_play);
}
