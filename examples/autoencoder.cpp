// SPDX-License-Identifier: MIT
// An autoencoder that repairs pictures: 784 pixels, half of which are lost, through a bottleneck of
// 32 numbers and back to the whole picture.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

using namespace ipu_dsl;

namespace {

constexpr std::size_t pixels = 784;

// [model]
// Pixels are probabilities of ink, one by one, so that the loss is that of a binary classifier: the
// sigmoid behind the last layer is passed over, and the loss computed from the logits.
struct encoder_and_decoder
    : model<input<784>, sequential<named<"encoder", Dense<128, relu>>, named<"code", Dense<32>>,
                                   named<"decoder", Dense<128, relu>>, Dense<784>, sigmoid>> {};

struct training : compile<encoder_and_decoder, micro_batch<32>, loss<binary_crossentropy>,
                          metrics<mean_absolute_error, cosine_similarity>, optimizer<adam>> {};

static_assert(check<training>());

// [/model]

using pictures = paired_dataset<shape{784}, shape{784}>;

/// Digits as rows of pixels in [0, 1].
std::vector<float> drawn_rows(std::int32_t count, std::uint64_t seed) {
  const digit_dataset digits = synthetic_digits(count, seed);
  std::vector<float> rows(static_cast<std::size_t>(count) * pixels);
  for (std::int32_t digit = 0; digit < count; ++digit) {
    digits.gather(static_cast<std::uint32_t>(digit),
                  rows.data() + static_cast<std::size_t>(digit) * pixels);
  }
  return rows;
}

/// The same pictures without every other pixel, drawn by lot.
std::vector<float> damaged(std::vector<float> rows, std::uint64_t seed) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = uniform_unit(random_word(seed, 0, i)) < 0.5F ? 0.0F : rows[i];
  }
  return rows;
}

/// The mean of the cosines between pictures, as the metric has it.
double likeness(const std::vector<float>& ones, const std::vector<float>& others) {
  double sum = 0;
  for (std::size_t first = 0; first < ones.size(); first += pixels) {
    double products = 0;
    double squares = 0;
    double other_squares = 0;
    for (std::size_t i = first; i < first + pixels; ++i) {
      const auto ink = static_cast<double>(ones[i]);
      const auto other = static_cast<double>(others[i]);
      products += ink * other;
      squares += ink * ink;
      other_squares += other * other;
    }
    sum += products / std::sqrt(squares * other_squares);
  }
  return sum / static_cast<double>(ones.size() / pixels);
}

int train_and_repair() {
  // [data]
  // What is wanted of a damaged picture is the whole one.
  const std::vector<float> known = drawn_rows(4'000, 1);
  const pictures digits(damaged(known, 11), known);
  // [/data]

  // [train]
  session<training> run{{.learning_rate = 0.002F}};
  run.fit(digits | shuffled(4'000), {.epochs = 12}, [](const epoch_record& epoch) {
    std::printf("epoch %2d  loss %.4f  cosine %.4f  off by %.4f a pixel\n", epoch.epoch + 1,
                epoch.loss, epoch.metrics["cosine_similarity"],
                epoch.metrics["mean_absolute_error"]);
  });
  // [/train]

  // [repair]
  const std::vector<float> whole = drawn_rows(500, 2);
  const std::vector<float> broken = damaged(whole, 12);
  std::vector<float> repaired(whole.size());
  run.predict(broken, repaired);
  // [/repair]
  const double before = likeness(broken, whole);
  const double after = likeness(repaired, whole);
  std::printf("unseen digits: cosine with the whole picture %.4f damaged, %.4f repaired\n", before,
              after);
  const evaluation found = run.evaluate(pictures(broken, whole));
  std::printf("which the metric says as well: %.4f\n", found.metrics["cosine_similarity"]);
  return after > before + 0.05 ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("autoencoder", train_and_repair);
}
