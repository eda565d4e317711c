// SPDX-License-Identifier: MIT
// ResNet-8 learns to tell ten shapes on small pictures in colour, which it draws.
#include "models/resnet8.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

using namespace ipu_dsl;

namespace {

// [training]
// The model stands in a header of its own; here is how it learns.
struct training : compile<models::resnet8, micro_batch<16>, loss<sparse_categorical_crossentropy>,
                          metrics<accuracy>, optimizer<adam>> {};

static_assert(check<training>());

// [/training]

/// Whether the shape of a class covers a place, seen from its middle; about 1 is its edge.
bool covers(std::int32_t kind, float x, float y) {
  const float far = std::sqrt(x * x + y * y);
  const float wide = std::max(std::abs(x), std::abs(y));
  const auto striped = [](float along) { return std::sin(8 * along) > 0; };
  switch (kind) {
    case 0:  // disc
      return far < 1;
    case 1:  // ring
      return far < 1 && far > 0.6F;
    case 2:  // square
      return wide < 0.9F;
    case 3:  // frame
      return wide < 0.9F && wide > 0.55F;
    case 4:  // upright cross
      return wide < 1 && std::min(std::abs(x), std::abs(y)) < 0.25F;
    case 5:  // diagonal cross
      return wide < 0.9F && std::abs(std::abs(x) - std::abs(y)) < 0.3F;
    case 6:  // triangle
      return y < 0.8F && y > 2 * std::abs(x) - 0.9F;
    case 7:  // lying stripes
      return wide < 1 && striped(y);
    case 8:  // standing stripes
      return wide < 1 && striped(x);
    default:  // chequers
      return wide < 1 && striped(x) != striped(y);
  }
}

struct album {
  std::vector<float> pixels;        // [pictures, 32, 32, 3], from 0 to 1
  std::vector<std::int32_t> kinds;  // [pictures]
};

/// A shape somewhere, of any size and of a colour of its own, before another colour, with noise.
album draw_shapes(std::int32_t pictures, std::uint64_t seed) {
  album drawn;
  for (std::int32_t picture = 0; picture < pictures; ++picture) {
    std::uint64_t count = 0;
    const auto number = [&](float low, float high) {
      const auto word = random_word(seed, static_cast<std::uint64_t>(picture), count);
      ++count;
      return low + (high - low) * uniform_unit(word);
    };
    const std::int32_t kind = picture % 10;
    const float size = number(7, 12);
    const float middle_x = number(11, 21);
    const float middle_y = number(11, 21);
    const bool bright = number(0, 1) > 0.5F;
    float colours[2][3];
    for (std::size_t colour = 0; colour < 3; ++colour) {
      colours[0][colour] = number(0, 0.4F);
      colours[1][colour] = number(0.5F, 1);
    }
    for (std::int32_t row = 0; row < 32; ++row) {
      for (std::int32_t column = 0; column < 32; ++column) {
        const float x = (static_cast<float>(column) - middle_x) / size;
        const float y = (static_cast<float>(row) - middle_y) / size;
        const std::size_t shown = covers(kind, x, y) == bright ? 1 : 0;
        for (const float colour : colours[shown]) {
          drawn.pixels.push_back(colour + number(-0.15F, 0.15F));
        }
      }
    }
    drawn.kinds.push_back(kind);
  }
  return drawn;
}

/// Pictures and what they show, as the model is given them.
auto as_data(const album& drawn) {
  return zipped(feature_column<shape{32, 32, 3}>(drawn.pixels), label_column<10>(drawn.kinds));
}

int train() {
  const auto known = as_data(draw_shapes(800, 1));
  const auto unseen = as_data(draw_shapes(200, 2));

  // [train]
  session<training> run{{.learning_rate = 0.003F}};
  run.fit(known | shuffled(800), {.epochs = 4}, [](const epoch_record& epoch) {
    std::printf("epoch %d  loss %.4f  accuracy %.3f\n", epoch.epoch + 1, epoch.loss,
                epoch.metrics["accuracy"]);
  });
  const evaluation found = run.evaluate(unseen);
  // [/train]
  std::printf("unseen pictures: %.1f %% are recognised\n", 100 * found.metrics["accuracy"]);
  return found.metrics["accuracy"] > 0.8 ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("resnet8", train);
}
