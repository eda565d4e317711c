// SPDX-License-Identifier: MIT
// What is reported of losses that are sums: of each output, and of a last micro-batch that is
// short.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;
using reference::numbers;

constexpr std::size_t samples = 24;

/// The second output has two positions of three features.
struct near_and_far {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor read = build.input({2, 5});
    const symbolic_tensor flat = build.layer<Flatten>("flat", read);
    return {build.layer<Dense<1>>("near", flat), build.layer<Dense<3>>("far", read)};
  }
};

template <typename... Far>
struct judged : compile<near_and_far, micro_batch<6>,
                        loss<for_output<"far", mean_squared_error, loss_weight<0.5>, Far...>,
                             for_output<"near", mean_squared_error>>> {};

struct measured_samples {
  std::vector<float> features = numbers(samples * 10, 5, 1.0F);
  std::vector<float> near = numbers(samples, 6, 1.0F);
  std::vector<float> far = numbers(samples * 6, 7, 1.0F);

  auto zip() const {
    return zipped(feature_column<shape{2, 5}>(features), target_column<shape{1}>(near),
                  target_column<shape{2, 3}>(far));
  }
};

}  // namespace

TEST_CASE("the loss of an output is what its own reduction gives") {
  const measured_samples data;
  const auto given = data.zip();
  session<judged<>> of_means;
  session<judged<reduction<"sum">>> of_sums;
  const evaluation mean = of_means.evaluate(given);
  const evaluation sum = of_sums.evaluate(given);
  CHECK(sum.metrics["far_loss"] == Approx(6 * 2 * mean.metrics["far_loss"]).epsilon(1e-12));
  CHECK(sum.metrics["near_loss"] == mean.metrics["near_loss"]);
  CHECK(sum.loss ==
        Approx(0.5 * sum.metrics["far_loss"] + sum.metrics["near_loss"]).epsilon(1e-12));
  CHECK(sum.loss > 1.5 * mean.loss);
  const epoch_record trained = of_sums.fit(given).epochs().back();
  CHECK(trained.loss ==
        Approx(0.5 * trained.metrics["far_loss"] + trained.metrics["near_loss"]).epsilon(1e-6));
}

namespace {

template <typename... Options>
struct of_steps : compile<model<input<2, 5>, sequential<Dense<3>>>, micro_batch<6>,
                          loss<mean_squared_error, Options...>> {};

}  // namespace

TEST_CASE("a short micro-batch counts by its samples in the mean of sums") {
  const measured_samples data;
  const auto given =
      zipped(feature_column<shape{2, 5}>(data.features), target_column<shape{2, 3}>(data.far));
  session<of_steps<>> of_means;
  session<of_steps<reduction<"sum">>> of_sums;
  session<judged<reduction<"sum">>> of_both;
  // The sum over samples and positions, of which each sample has two.
  const auto sum_of = [&](int first, int count) {
    return count == 0 ? 0 : 2 * count * of_means.evaluate(given | skip(first) | take(count)).loss;
  };
  // Micro-batches have six samples: {whole ones, samples of the last}.
  const int parts[][2] = {{3, 2}, {1, 5}, {0, 1}, {0, 4}, {2, 0}};
  int compared = 0;
  for (const auto& [whole, rest] : parts) {
    const int count = 6 * whole + rest;
    const double weighed = 6 * sum_of(0, 6 * whole) + rest * sum_of(6 * whole, rest);
    const evaluation found = of_sums.evaluate(given | take(count));
    CHECK(found.samples == count);
    CHECK(found.loss == Approx(weighed / count).epsilon(1e-12));
    ++compared;
  }
  CHECK(compared == 5);
  const auto all = data.zip();
  const evaluation both = of_both.evaluate(all | take(20));
  CHECK(both.loss ==
        Approx(0.5 * both.metrics["far_loss"] + both.metrics["near_loss"]).epsilon(1e-12));
}
