// SPDX-License-Identifier: MIT
// Arrays as people know them from NumPy: xtensors and their expressions are the batches of a model,
// its predictions, and its weights. Which of two rings is a point on?
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/xtensor.hpp>

#if __has_include(<xtensor/views/xview.hpp>)
#include <xtensor/core/xmath.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>
#endif

#include "example.hpp"

using namespace ipu_dsl;

namespace {

// [model]
struct ring_classifier
    : model<input<2>,
            sequential<named<"hidden", Dense<16, relu>>, named<"scores", Dense<2, softmax>>>> {};

struct training : compile<ring_classifier, micro_batch<32>, loss<sparse_categorical_crossentropy>,
                          metrics<accuracy>, optimizer<adam>> {};

static_assert(check<training>());

// [/model]

/// What a program has before it knows of this library.
struct points {
  xt::xtensor<double, 2> at;           // [points, 2]
  xt::xtensor<std::int64_t, 1> rings;  // [points], 0 or 1
};

/// Points on rings of radius 1 and 2 around (5, 5), within 0.2.
points draw_points(std::size_t count, std::uint64_t seed) {
  points drawn{xt::xtensor<double, 2>(std::array<std::size_t, 2>{count, 2}),
               xt::xtensor<std::int64_t, 1>(std::array<std::size_t, 1>{count})};
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 6.2831853 * static_cast<double>(uniform_unit(random_word(seed, i, 0)));
    const double off = 0.4 * static_cast<double>(uniform_unit(random_word(seed, i, 1))) - 0.2;
    const std::int64_t ring = static_cast<std::int64_t>(i % 2);
    const double radius = static_cast<double>(ring) + 1 + off;
    drawn.at(i, 0) = 5 + radius * std::cos(angle);
    drawn.at(i, 1) = 5 + radius * std::sin(angle);
    drawn.rings(i) = ring;
  }
  return drawn;
}

int train_and_predict() {
  const points known = draw_points(2'048, 1);
  const points fresh = draw_points(500, 2);

  // [fit]
  session<training> run{{.learning_rate = 0.02F}};
  const xt::xtensor<double, 1> middle = xt::mean(known.at, {0});
  run.fit(known.at - middle, known.rings, {.epochs = 6});
  const evaluation found = run.evaluate(fresh.at - middle, fresh.rings);
  // [/fit]
  std::printf("more than 9 of 10 unseen points are right: %s\n",
              found.metrics["accuracy"] > 0.9 ? "yes" : "no");

  // [train]
  double loss = 0;
  for (std::size_t first = 0; first < known.rings.size(); first += 32) {
    const auto at = xt::view(known.at, xt::range(first, first + 32));
    const auto rings = xt::view(known.rings, xt::range(first, first + 32));
    loss = run.train_step(at - middle, rings);
  }
  // [/train]
  std::printf("the last of a pass by hand has a loss below 0.5: %s\n", loss < 0.5 ? "yes" : "no");

  // [predict]
  const xt::xtensor<float, 2> scores = predicted(run, fresh.at - middle);  // [500, 2]
  const auto outer = xt::view(scores, xt::all(), 1) > xt::view(scores, xt::all(), 0);
  const auto right = xt::equal(xt::cast<std::int32_t>(outer), fresh.rings);
  const double share = xt::mean(xt::cast<double>(right))();
  // [/predict]
  std::printf("and still are: %s\n", share > 0.9 ? "yes" : "no");

  // [weights]
  const xt::xtensor<float, 2> kernel = as_xtensor<2>(run.weights(), "hidden", "kernel");
  set_from(run.weights(), "hidden", "kernel", xt::where(xt::abs(kernel) > 0.01F, kernel, 0.0F));
  // [/weights]
  const xt::xtensor<float, 2> pruned = predicted(run, fresh.at - middle);
  const double apart = static_cast<double>(xt::amax(xt::abs(pruned - scores))());
  std::printf("without weights below 0.01 scores change by less than 0.1: %s\n",
              apart < 0.1 ? "yes" : "no");
  return share > 0.9 && apart < 0.1 ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("rings", train_and_predict);
}
