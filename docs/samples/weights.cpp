// SPDX-License-Identifier: MIT
// What samples count: the code of docs/tutorial.md.
#include <cstdio>
#include <utility>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace {

// [asked_for]
struct price_model : model<input<2>, sequential<Dense<1>>> {};

struct training
    : compile<price_model, micro_batch<20>, loss<mean_squared_error, sample_weights>,
              metrics<mean_absolute_error, metric<mean_squared_error, sample_weights>>> {};

// [/asked_for]

struct offers {
  std::vector<float> features;
  std::vector<float> prices;
  std::vector<float> trust;
};

/// Prices are 2 a - b; of every fifth offer nobody knows it.
offers made_offers(int count) {
  offers made;
  for (int i = 0; i < count; ++i) {
    const float a = static_cast<float>(i % 7) / 8.0F;
    const float b = static_cast<float>(i % 11) / 8.0F;
    made.features.insert(made.features.end(), {a, b});
    const bool known = i % 5 != 3;
    made.prices.push_back(known ? 2 * a - b : -4.0F);
    made.trust.push_back(known ? 1.0F : 0.0F);
  }
  return made;
}

}  // namespace

int main() {
  offers known = made_offers(400);
  // [given]
  const auto data = zipped(feature_column<shape{2}>(known.features),
                           target_column<shape{1}>(known.prices), weight_column(known.trust));
  session<training> run{{.learning_rate = 0.5F}};
  run.fit(data, {.epochs = 20});
  const evaluation found = run.evaluate(data);
  // [/given]
  std::printf("mean squared error of what counts: %.4f, mean absolute error of all: %.4f\n",
              found.metrics["mean_squared_error"], found.metrics["mean_absolute_error"]);
}
