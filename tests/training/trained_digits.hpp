// SPDX-License-Identifier: MIT
// A training on drawn digits and what it leaves, for tests of bits.
#pragma once

#include <cstdint>
#include <vector>

#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/training/session.hpp>

namespace ipu_dsl::tests {

/// `Samples` a micro-batch, gradients that are means over all samples of an update.
template <typename Model, typename Optimizer, typename Schedule, int Samples, int MicroBatches,
          int Replicas = 1>
struct digit_training
    : compile<Model, Schedule, micro_batch<Samples>, gradient_accumulation<MicroBatches>,
              replicas<Replicas>, mean_gradients, loss<sparse_categorical_crossentropy>,
              optimizer<Optimizer>> {};

struct trained_digits {
  std::uint64_t weights = 0;  ///< their fingerprint
  std::vector<float> losses;  ///< of each step
  double test_loss = 0;

  friend bool operator==(const trained_digits&, const trained_digits&) = default;
};

inline const digit_dataset& digits() {
  static const digit_dataset made = synthetic_digits(640, 9);
  return made;
}

/// `steps` micro-batches of digits, shuffled again in every pass.
template <typename Compiled>
trained_digits train_on_digits(const typename Compiled::optimizer_type::settings& settings,
                               int threads, std::int64_t steps, bool poison = true) {
  session<Compiled> run(settings,
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = poison});
  auto feed = make_feed(digits() | shuffled(500) | repeated(), 3);
  const auto losses = run.fit(feed, {.steps_per_epoch = steps}).losses();
  const double test_loss = run.evaluate(digits()).loss;
  return {run.weights().fingerprint(), {losses.begin(), losses.end()}, test_loss};
}

}  // namespace ipu_dsl::tests
