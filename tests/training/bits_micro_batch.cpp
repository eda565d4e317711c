// SPDX-License-Identifier: MIT
// With the mean of the gradients, weights do not depend on how a batch is cut into micro-batches.
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

struct network : model<input<28, 28>, pipeline<stage<Flatten, Dense<48, relu>, Dropout<0.25F>>,
                                               stage<Dense<32, relu>, Dense<10>>>> {};

template <int Samples, int MicroBatches, typename Reduction>
struct training
    : compile<network, interleaved, micro_batch<Samples>, gradient_accumulation<MicroBatches>,
              Reduction, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

/// The weights after 12 updates by 128 samples.
template <int Samples, int MicroBatches, typename Reduction>
std::uint64_t train(const digit_dataset& digits) {
  session<training<Samples, MicroBatches, Reduction>> run(
      {.learning_rate = 0.05F, .momentum = 0.9F}, {.threads = 2, .shared_from = 0});
  auto feed = make_feed(digits | shuffled(500) | repeated(), 3);
  run.fit(feed, {.steps_per_epoch = 12 * MicroBatches});
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("the size of a micro-batch does not change a bit of the mean") {
  const digit_dataset digits = synthetic_digits(1'000, 9);
  const std::uint64_t expected = train<32, 4, mean_gradients>(digits);
  CHECK(train<16, 8, mean_gradients>(digits) == expected);
  CHECK(train<64, 2, mean_gradients>(digits) == expected);
  CHECK(train<32, 4, sum_gradients>(digits) != expected);
  std::printf("bits: compared 3 ways to cut a batch, weights %016llx\n",
              static_cast<unsigned long long>(expected));
}
