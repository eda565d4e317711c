// SPDX-License-Identifier: MIT
// A small model, trained: compiled once for each architecture.
#include "architectures/programs/trained_weights.hpp"

#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>

#include "support/labelled_points.hpp"

namespace ipu_dsl::tests {

// The types bear no architecture's name, like those of a user who includes one header into
// differently compiled translation units. Units that fill no vector, more than one register tile,
// and most kernels: own exp, log and tanh, dropout, momentum.
struct small_network
    : model<input<8>,
            pipeline<stage<Dense<75, relu>, Dropout<0.25F>>,
                     stage<Dense<37, hyperbolic_tangent>, Dense<21, sigmoid>, Dense<3>>>> {};

struct small_training
    : compile<small_network, grouped, micro_batch<13>, gradient_accumulation<4>, mean_gradients,
              loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

// Code that is compiled several times bears the name.
namespace IPU_DSL_ARCHITECTURE {

training_outcome trained_weights() {
  constexpr int updates = 50;
  const point_set points = labelled_points(500, 11);
  session<small_training> run({.learning_rate = 0.1F, .momentum = 0.9F}, {.seed = 7});
  auto feed = make_feed(points | repeated(), 3);
  run.fit(feed, {.steps_per_epoch = 4 * updates});
  return {run.weights().fingerprint(), layout::native.fused_multiply_add};
}

}  // namespace IPU_DSL_ARCHITECTURE

}  // namespace ipu_dsl::tests
