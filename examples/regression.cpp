// SPDX-License-Identifier: MIT
// A regression on a table: the price of a house from its size, rooms, age and distance to the
// centre. Float targets, the mean squared error, Adam.
#include <cmath>
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
struct price_model : model<input<4>, sequential<Dense<32, relu>, Dense<16, relu>, Dense<1>>> {};

struct training : compile<price_model, micro_batch<25>, loss<mean_squared_error>, optimizer<adam>> {
};

static_assert(check<training>());

// [/model]

/// What a program has before it knows of this library.
struct table {
  std::vector<float> features;  // [houses, 4], each about in [-1, 1]
  std::vector<float> prices;    // [houses], in units of 100,000
};

/// Houses whose price follows from what they are, within 2,000.
table draw_houses(std::int32_t houses, std::uint64_t seed) {
  table drawn;
  for (std::int32_t house = 0; house < houses; ++house) {
    float unit[5] = {};
    for (std::uint64_t i = 0; i < 5; ++i) {
      unit[i] = 2 * uniform_unit(random_word(seed, static_cast<std::uint64_t>(house), i)) - 1;
    }
    drawn.features.insert(drawn.features.end(), unit, unit + 4);
    const float size = 1.2F + unit[0];
    const float comfort = 1 + 0.2F * unit[1] - 0.3F * unit[2] * unit[2];
    drawn.prices.push_back(size * comfort + std::exp(-2 * unit[3] - 2) + 0.02F * unit[4]);
  }
  return drawn;
}

int train_and_predict() {
  table known = draw_houses(4'000, 1);
  const table fresh = draw_houses(500, 2);

  // [data]
  // A sample of 4 numbers, a target of 1. Moved in here, copied there.
  const paired_dataset<shape{4}, shape{1}> houses(std::move(known.features),
                                                  std::move(known.prices));
  const paired_dataset<shape{4}, shape{1}> unseen(fresh.features, fresh.prices);
  // [/data]

  // [train]
  session<training> run{{.learning_rate = 0.01F}};
  run.fit(houses | shuffled(4'000), {.epochs = 10}, [](const epoch_record& epoch) {
    std::printf("epoch %2d  mean squared error %.5f\n", epoch.epoch + 1, epoch.loss);
  });
  const evaluation found = run.evaluate(unseen);
  std::printf("unseen    mean squared error %.5f, so prices are off by some %.0f\n", found.loss,
              100'000 * std::sqrt(found.loss));
  // [/train]

  // [predict]
  std::vector<float> prices(fresh.prices.size());
  run.predict(fresh.features, prices);  // [houses, 4] and [houses, 1]
  // [/predict]
  for (std::size_t house = 0; house < 3; ++house) {
    std::printf("house %zu costs %.2f, predicted %.2f\n", house,
                static_cast<double>(fresh.prices[house]), static_cast<double>(prices[house]));
  }
  return found.loss < 0.005 ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("regression", train_and_predict);
}
