// SPDX-License-Identifier: MIT
// A recurrent network learns what an amplifier does to plucked strings, from pieces of 64 samples;
// then it plays along, one sample at a time, as audio software would call it.
#include "models/amplifier.hpp"

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
    : compile<models::amplifier, micro_batch<20>, loss<mean_squared_error>, optimizer<adam>> {};

/// The circuit: a tube that saturates, and a capacitor behind it that remembers.
std::vector<float> amplify(const std::vector<float>& sound) {
  float charge = 0;
  std::vector<float> made;
  for (const float sample : sound) {
    charge += 0.3F * (std::tanh(3 * sample) - charge);
    made.push_back(charge);
  }
  return made;
}

int train_and_play() {
  // [train]
  std::vector<float> dry;
  std::vector<float> wet;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const std::vector<float> sound = pluck(64, seed);
    const std::vector<float> amplified = amplify(sound);
    dry.insert(dry.end(), sound.begin(), sound.end());
    wet.insert(wet.end(), amplified.begin(), amplified.end());
  }
  const paired_dataset<shape{64, 1}, shape{64, 1}> pieces(dry, wet);
  session<training> run{{.learning_rate = 0.005F}};
  run.fit(pieces | shuffled(2'000), {.epochs = 20}, [](const epoch_record& epoch) {
    std::printf("epoch %2d  mean squared error %.6f\n", epoch.epoch + 1, epoch.loss);
  });
  // [/train]

  // [stream]
  // The same weights, a step at a time: push goes on from where the last one was.
  weights_of<one_step<models::amplifier>> weights;
  weights.copy_from(run.weights());
  predictor<one_step<models::amplifier>> stream(weights);
  stream.reset();
  const std::vector<float> string = pluck(16'000, 123'456);
  std::vector<float> played;
  played.reserve(string.size());
  const subnormals_as_zeros here;
  const auto before = std::chrono::steady_clock::now();
  for (const float& sample : string) {
    played.push_back(stream.push(std::span<const float, 1>(&sample, 1))[0]);
  }
  // [/stream]
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  const double error = strings::error_to_signal(played, amplify(string));
  std::printf("a second of sound in %.1f ms; error to signal %.4f\n", 1'000 * took.count(), error);
  return error < 0.01 ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("amplifier", train_and_play);
}
