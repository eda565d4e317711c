// SPDX-License-Identifier: MIT
// A predictor: weights in, results out, its memory, and what is refused. The output is
// docs/samples/inference.txt.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/runtime/weights_exchange.hpp>
#include <ipu_dsl/training/weights_header.hpp>
#include <ipu_dsl/vocabulary/layers/embedding.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

#include "mnist_mlp.hpp"

using namespace samples;

namespace {

// [embedded]
struct gate : model<input<2>, sequential<Dense<2, relu>, Dense<1>>> {};

// Layer after layer, kernel before bias: [inputs, units], [units].
constexpr std::array<float, 9> gate_numbers{1, 1, 1, 1, 0, -1, 1, -2, 0};
constexpr embedded_weights<gate> gate_weights{gate_numbers};

// [/embedded]

/// Numbers and words; what it is and what it costs.
struct house {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor rooms = build.input("rooms", {4});
    const symbolic_tensor words = build.input("words", {6}, dtype::int32);
    const symbolic_tensor read = build.layer<Flatten>("", build.layer<Embedding<50, 3>>("", words));
    const symbolic_tensor both = build.layer<Concatenate>("", rooms, read);
    return {build.layer<Dense<3>>("kind", both), build.layer<Dense<1>>("price", both)};
  }
};

void predict_houses() {
  weights_of<house> house_weights;
  house_weights.initialize(1);
  const std::array<float, 4> rooms{3, 2, 1, 4};
  const std::array<std::int32_t, 6> words{7, 49, 0, 3, 3, 12};
  // [several]
  predictor<house> appraise(house_weights);
  std::array<float, 3> kind{};
  std::array<float, 1> price{};
  const bool right = appraise.predict(input_arrays{rooms, words}, output_arrays{kind, price});
  const auto [same_kind, same_price] = appraise.push(rooms, words);
  // [/several]
  if (!right || !std::ranges::equal(kind, same_kind) || !std::ranges::equal(price, same_price)) {
    std::printf("two predictions of a house differ\n");
  }
}

/// A layer, what normalises it, and an activation.
struct normalised
    : model<input<784>,
            sequential<Dense<64, use_bias<false>>, BatchNormalization<>, relu, Dense<10>>> {};

void fold_normalization(std::span<const float, 784> image) {
  weights_of<normalised> trained;
  trained.initialize(1);
  predictor<normalised> whole(trained);
  // [folded]
  weights_of<normalization_folded<normalised>> folded;
  copy_folded(trained, folded);  // or run.weights()
  predictor<normalization_folded<normalised>> faster(folded);
  // [/folded]
  const auto near = [](float left, float right) { return std::abs(left - right) < 1e-5F; };
  if (!std::ranges::equal(whole.push(image), faster.push(image), near)) {
    std::printf("a folded normalisation differs\n");
  }
}

template <typename Session>
void exchange_weights(const Session& run, std::span<const float, 784> image) {
  // [exchange]
  weights_of<mnist_mlp> first;
  weights_of<mnist_mlp> second;
  predictor<mnist_mlp> running(first);
  weights_exchange<mnist_mlp> exchange(first, second);

  const auto publish = [&] {  // for the thread that trains
    if (weights_of<mnist_mlp>* const spare = exchange.spare()) {
      spare->copy_from(run.weights());
      exchange.offer();
    }
  };
  const auto answer = [&](std::span<const float, 784> sample) {  // for the thread that predicts
    exchange.update(running);
    return running.push(sample);
  };
  // [/exchange]

  publish();
  const auto found = answer(image);
  predictor<mnist_mlp> expected(first);
  expected.use(second);
  std::printf("[exchange]\nthe bits of the new weights: %s\n",
              std::ranges::equal(found, expected.push(image)) ? "yes" : "no");
  std::printf("[/exchange]\n\n");
}

void write_header(const weights_of<mnist_mlp>& weights) {
  const auto path = (std::filesystem::temp_directory_path() / "digits_weights.hpp").string();
  // [header]
  write_weights_header(weights, path, "digits_weights", vector_units::neon);
  // [/header]
  std::filesystem::remove(path);
}

void predict_digits() {
  session<training<grouped>> run{{.learning_rate = 0.01F, .momentum = 0.9F}};
  const auto digits = synthetic_digits(10'000, 1);
  run.fit(digits | repeated(), {.steps_per_epoch = 400});
  std::vector<float> images(32 * 784);
  for (std::uint32_t i = 0; i < 32; ++i) {
    digits.gather(i, images.data() + 784 * i);
  }
  std::printf("[predict]\n");
  // [predict]
  weights_of<mnist_mlp> weights;
  weights.copy_from(run.weights());

  predictor<mnist_mlp, micro_batch<1>> classify(weights);
  std::array<float, 784> image{};
  std::array<float, 10> scores{};
  std::copy_n(images.begin(), image.size(), image.begin());
  classify.predict(image, scores);
  // [/predict]

  // [batch]
  predictor<mnist_mlp, micro_batch<32>> classify_many(weights);
  std::vector<float> all(32 * 10);
  if (!classify_many.predict(images, all)) {
    std::printf("these are not 32 images\n");
  }
  // [/batch]
  std::vector<float> expected(32 * 10);
  run.predict(images, expected);
  std::printf("the bits of the session, 32 at once: %s\n", all == expected ? "yes" : "no");
  std::printf("the bits of the session, one alone: %s\n",
              std::equal(scores.begin(), scores.end(), expected.begin()) ? "yes" : "no");
  std::printf("[/predict]\n\n");

  // [stream]
  int equal = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const auto found = classify.push(std::span(images).subspan(784 * i).first<784>());
    equal += std::equal(found.begin(), found.end(), all.data() + 10 * i) ? 1 : 0;
  }
  // [/stream]

  const std::array<float, 784> quiet{};
  {
    // [subnormals]
    const subnormals_as_zeros here;
    classify.push(quiet);
    // [/subnormals]
  }
  std::printf("[stream]\nthe bits of the batch: %d of 32\n[/stream]\n\n", equal);

  exchange_weights(run, image);
  fold_normalization(image);
  write_header(weights);
}

void predict_in_given_memory() {
  // [memory]
  using weights = weights_of<mnist_mlp>;
  using classifier = predictor<mnist_mlp>;
  alignas(weights::alignment) static std::array<std::byte, weights::bytes> weight_memory;
  alignas(classifier::alignment) static std::array<std::byte, classifier::bytes> memory;

  weights kept(weight_memory);
  classifier classify(kept, memory);
  // [/memory]

  std::printf("[refused]\n");
  try {
    classifier too_small(kept, std::span(memory).subspan(8));
  } catch (const error& refused) {
    // How many bytes there are depends on the vector unit.
    const std::string words = refused.what();
    std::printf("%s ...\n", words.substr(0, words.find(" have")).c_str());
  }
  try {
    kept.copy_from(weights_of<gate>());
  } catch (const error& refused) {
    std::printf("%s\n", refused.what());
  }
  std::printf("[/refused]\n\n");
}

void predict_with_embedded_weights() {
  std::printf("[embedded]\n");
  // [xor]
  predictor<gate> given(gate_weights);
  for (const float a : {0.0F, 1.0F}) {
    for (const float b : {0.0F, 1.0F}) {
      std::printf("%.0f xor %.0f = %.0f\n", static_cast<double>(a), static_cast<double>(b),
                  static_cast<double>(given.push(std::array{a, b})[0]));
    }
  }
  // [/xor]
  std::printf("[/embedded]\n");
}

}  // namespace

int main() {
  predict_digits();
  predict_houses();
  predict_in_given_memory();
  predict_with_embedded_weights();
  return 0;
}
