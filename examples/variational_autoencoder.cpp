// SPDX-License-Identifier: MIT
// A variational autoencoder learns drawn digits, two numbers each, and then draws such as there
// were none: codes on a grid become pictures.
#include "models/variational_autoencoder.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

using namespace ipu_dsl;

namespace {

constexpr std::int32_t side = 28;
constexpr std::size_t pixels = 784;

// [training]
// Both losses are means over the numbers of a sample; what is made small is their sum.
struct training
    : compile<models::variational_autoencoder, micro_batch<32>, optimizer<adam>,
              loss<for_output<"pixels", binary_crossentropy, loss_weight<784.0>>,
                   for_output<"log_deviation", models::deviation_divergence, loss_weight<2.0>>>> {};

static_assert(check<training>());

// [/training]

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

// [decoder]
/// The weights that the decoder has in the whole model.
void copy_decoder(const parameters& whole, parameters& half) {
  for (const char* const layer : {"decoder_1", "decoder_2", "ink"}) {
    for (const char* const name : {"kernel", "bias"}) {
      const std::size_t from = whole.find(layer, name);
      std::vector<float> values(static_cast<std::size_t>(whole.at(from).extents.elements()));
      whole.get(from, values);
      half.set(half.find(layer, name), values);
    }
  }
}

// [/decoder]

/// A character for two pixels, one above the other.
char ink_of(std::span<const float> picture, std::int32_t row, std::int32_t column) {
  constexpr std::array<char, 6> inks = {' ', '.', ':', 'o', 'O', '@'};
  const auto at = static_cast<std::size_t>(row * side + column);
  const float ink = (picture[at] + picture[at + side]) / 2;
  return inks[std::min(static_cast<std::size_t>(ink * 9), std::size_t{5})];
}

/// Four codes beside each other, and three such rows.
void draw_codes(const weights_of<models::decoder>& weights) {
  constexpr std::int32_t across = 4;
  predictor<models::decoder, micro_batch<across>> draw(weights);
  std::array<float, across * pixels> drawn{};
  for (std::int32_t line = 0; line < 3; ++line) {
    std::array<float, 2 * across> codes{};
    for (std::size_t i = 0; i < across; ++i) {
      codes[2 * i] = static_cast<float>(i) - 1.5F;
      codes[2 * i + 1] = 1.2F * static_cast<float>(line - 1);
    }
    draw.predict(codes, drawn);
    for (std::int32_t row = 0; row < side; row += 2) {
      std::string words;
      for (std::size_t i = 0; i < across; ++i) {
        const auto picture = std::span<const float>(drawn).subspan(i * pixels, pixels);
        for (std::int32_t column = 2; column < side - 2; ++column) {
          words += ink_of(picture, row, column);
        }
      }
      words.erase(words.find_last_not_of(' ') + 1);
      std::printf("%s\n", words.c_str());
    }
  }
}

int train_and_draw() {
  // [train]
  const std::vector<float> known = drawn_rows(4'000, 1);
  const pictures digits(known, known);
  session<training> run{{.learning_rate = 0.002F}};
  double first = 0;
  double last = 0;
  run.fit(digits | shuffled(4'000), {.epochs = 10}, [&](const epoch_record& epoch) {
    last = pixels * epoch.metrics["pixels_loss"];
    first = epoch.epoch == 0 ? last : first;
    std::printf("epoch %2d  loss %6.2f  of which pictures %6.2f  codes %5.2f\n", epoch.epoch + 1,
                epoch.loss, last, epoch.loss - last);
  });
  // [/train]

  // [draw]
  weights_of<models::decoder> weights;
  copy_decoder(run.weights(), weights);
  draw_codes(weights);
  // [/draw]
  return last < 0.9 * first ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("variational_autoencoder", train_and_draw);
}
