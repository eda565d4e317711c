// SPDX-License-Identifier: MIT
// Two inputs, two outputs: from what a house is and where it stands, what kind it is and what it
// costs. A loss for each output, of which one counts less.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

using namespace ipu_dsl;

namespace {

// [model]
struct house_model {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor house = build.input("house", {4});
    const symbolic_tensor place = build.input("place", {2});
    const symbolic_tensor known = build.layer<Concatenate>("known", house, place);
    const symbolic_tensor hidden = build.layer<Dense<32, relu>>("hidden", known);
    const symbolic_tensor price = build.layer<Dense<1>>("price", hidden);
    build.stage(1);
    const symbolic_tensor more = build.layer<Dense<16, relu>>("more", hidden);
    const symbolic_tensor kind = build.layer<Dense<3>>("kind", more);
    return {kind, price};
  }
};

struct training : compile<house_model, micro_batch<25>, gradient_accumulation<4>, optimizer<adam>,
                          loss<for_output<"kind", sparse_categorical_crossentropy>,
                               for_output<"price", mean_squared_error, loss_weight<0.5>>>,
                          metrics<for_output<"kind", accuracy>>> {};

static_assert(check<training>());

// [/model]

/// What a program has before it knows of this library.
struct table {
  std::vector<float> houses;        // [samples, 4]
  std::vector<float> places;        // [samples, 2]
  std::vector<std::int32_t> kinds;  // [samples]: 0, 1 or 2
  std::vector<float> prices;        // [samples], in units of 100,000
};

/// Kind and price follow from both, the price within 2,000.
table draw_houses(std::int32_t samples, std::uint64_t seed) {
  table drawn;
  for (std::int32_t sample = 0; sample < samples; ++sample) {
    float unit[7] = {};
    for (std::uint64_t i = 0; i < 7; ++i) {
      unit[i] = 2 * uniform_unit(random_word(seed, static_cast<std::uint64_t>(sample), i)) - 1;
    }
    drawn.houses.insert(drawn.houses.end(), unit, unit + 4);
    drawn.places.insert(drawn.places.end(), unit + 4, unit + 6);
    const float size = unit[0] + 0.5F * unit[4];
    drawn.kinds.push_back(size < -0.4F ? 0 : size < 0.4F ? 1 : 2);
    drawn.prices.push_back(1.2F + unit[0] + 0.3F * unit[1] * unit[5] + 0.02F * unit[6]);
  }
  return drawn;
}

int train_and_predict() {
  const table known = draw_houses(4'000, 1);
  const table fresh = draw_houses(500, 2);

  // [data]
  // Columns of inputs in the order of the inputs, columns of targets in that of the outputs.
  const auto houses =
      zipped(feature_column<shape{4}>(known.houses), feature_column<shape{2}>(known.places),
             label_column<3>(known.kinds), target_column<shape{1}>(known.prices));
  const auto unseen =
      zipped(feature_column<shape{4}>(fresh.houses), feature_column<shape{2}>(fresh.places),
             label_column<3>(fresh.kinds), target_column<shape{1}>(fresh.prices));
  // [/data]

  // [train]
  session<training> run{{.learning_rate = 0.01F}};
  run.fit(houses | shuffled(4'000), {.epochs = 8}, [](const epoch_record& epoch) {
    std::printf("epoch %d  loss %.4f  kind %.4f  price %.4f  accuracy %.3f\n", epoch.epoch + 1,
                epoch.loss, epoch.metrics["kind_loss"], epoch.metrics["price_loss"],
                epoch.metrics["kind_accuracy"]);
  });
  const evaluation found = run.evaluate(unseen);
  // [/train]
  std::printf("unseen   %.1f %% of the kinds are right, prices are off by some %.0f\n",
              100 * found.metrics["kind_accuracy"],
              100'000 * std::sqrt(found.metrics["price_loss"]));

  // [predict]
  std::vector<float> scores(3 * fresh.kinds.size());
  std::vector<float> prices(fresh.kinds.size());
  run.predict(input_arrays{fresh.houses, fresh.places}, output_arrays{scores, prices});
  // [/predict]
  for (std::size_t house = 0; house < 3; ++house) {
    std::printf("house %zu costs %.2f, predicted %.2f\n", house,
                static_cast<double>(fresh.prices[house]), static_cast<double>(prices[house]));
  }
  return found.metrics["kind_accuracy"] > 0.9 && found.metrics["price_loss"] < 0.01 ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("two_outputs", train_and_predict);
}
