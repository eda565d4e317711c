// SPDX-License-Identifier: MIT
// Every optimizer has the same bits on every schedule, with any number of workers and cut into any
// micro-batches, and those that keep most with replicas, of a model of two inputs, outputs and
// losses. That all of them stand here is held by tests/checks/covered.py.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

/// Rooms and a region make a price and a kind; `Stages` says whether a second device joins them.
template <int Stages>
struct house {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor rooms = build.input("rooms", {5});
    const symbolic_tensor region = build.input("region", {3});
    const symbolic_tensor hidden = build.layer<Dense<9, relu>>("hidden", rooms);
    const symbolic_tensor price = build.layer<Dense<2>>("price", hidden);
    if (Stages == 2) {
      build.stage(1);
    }
    const symbolic_tensor both = build.layer<Concatenate>("both", hidden, region);
    const symbolic_tensor kind = build.layer<Dense<4>>("kind", both);
    return {kind, price};
  }
};

using house_set = zipped_dataset<feature_column<shape{5}>, feature_column<shape{3}>,
                                 label_column<4>, target_column<shape{2}>>;

std::vector<float> drawn(std::uint64_t stream, std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) {
    made[i] = 2 * uniform_unit(random_word(7, stream, i)) - 1;
  }
  return made;
}

house_set drawn_houses() {
  constexpr std::size_t houses = 160;
  std::vector<std::int32_t> kinds(houses);
  for (std::size_t i = 0; i < houses; ++i) {
    kinds[i] = static_cast<std::int32_t>(uniform_below(random_word(7, 3, i), 4));
  }
  return zipped(feature_column<shape{5}>(drawn(1, houses * 5)),
                feature_column<shape{3}>(drawn(2, houses * 3)), label_column<4>(kinds),
                target_column<shape{2}>(drawn(4, houses * 2)));
}

/// An update takes 32 samples in so many micro-batches; each of two replicas half of them.
template <typename Optimizer, int Stages, typename Schedule, int MicroBatches, int Replicas>
struct trained : compile<house<Stages>, micro_batch<32 / MicroBatches>,
                         gradient_accumulation<MicroBatches / Replicas>, replicas<Replicas>,
                         Schedule, mean_gradients, Optimizer,
                         loss<for_output<"kind", sparse_categorical_crossentropy>,
                              for_output<"price", huber, loss_weight<0.25F>>>> {};

template <typename Compiled>
std::uint64_t weights_after(const house_set& houses, int threads) {
  session<Compiled> run({}, {.threads = threads, .shared_from = 0});
  run.fit(houses | repeated(),
          {.steps_per_epoch = 5 * Compiled::compiled::settings.micro_batches_of_update()});
  return run.weights().fingerprint();
}

/// How many runs have been compared.
struct compared {
  int optimizers = 0;
  int runs = 0;
  std::vector<std::uint64_t> seen = {};

  void compare(std::uint64_t found, std::uint64_t expected) {
    CHECK(found == expected);
    ++runs;
  }
};

template <typename Optimizer>
void check_bits(const house_set& houses, compared& done) {
  INFO(type_name<Optimizer>());
  const auto expected = weights_after<trained<Optimizer, 1, sequential_schedule, 1, 1>>(houses, 1);
  done.compare(weights_after<trained<Optimizer, 1, sequential_schedule, 1, 1>>(houses, 2),
               expected);
  for (const int threads : {1, 2, 3}) {
    done.compare(weights_after<trained<Optimizer, 2, grouped, 4, 1>>(houses, threads), expected);
  }
  done.seen.push_back(expected);
  ++done.optimizers;
}

/// Gradients are summed within each replica first: other bits than without.
template <typename Optimizer>
void check_bits_of_replicas(const house_set& houses, compared& done) {
  INFO(type_name<Optimizer>());
  const auto expected = weights_after<trained<Optimizer, 1, sequential_schedule, 8, 2>>(houses, 1);
  for (const int threads : {1, 2, 4}) {
    done.compare(weights_after<trained<Optimizer, 2, interleaved, 8, 2>>(houses, threads),
                 expected);
  }
  done.seen.push_back(expected);
  ++done.optimizers;
}

/// An update that did nothing would have the same bits as well.
void check_differ(const compared& done) {
  for (std::size_t i = 0; i < done.seen.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      CHECK(done.seen[i] != done.seen[j]);
    }
  }
}

template <typename... Optimizers>
void check_all() {
  const house_set houses = drawn_houses();
  compared done;
  (check_bits<Optimizers>(houses, done), ...);
  CHECK(done.optimizers == int{sizeof...(Optimizers)});
  CHECK(done.runs == 4 * done.optimizers);
  check_differ(done);
  std::printf("bits: compared %d runs of %d optimizers\n", done.runs, done.optimizers);
}

template <typename... Optimizers>
void check_all_of_replicas() {
  const house_set houses = drawn_houses();
  compared done;
  (check_bits_of_replicas<Optimizers>(houses, done), ...);
  CHECK(done.optimizers == int{sizeof...(Optimizers)});
  CHECK(done.runs == 3 * done.optimizers);
  check_differ(done);
  std::printf("bits: compared %d runs of %d optimizers of two replicas\n", done.runs,
              done.optimizers);
}

}  // namespace

TEST_CASE("descent, and what divides by its squares, has the same bits everywhere") {
  check_all<optimizer<sgd<>>, optimizer<sgd<momentum>, weight_decay<0.01F>>,
            optimizer<sgd<momentum, nesterov>>, optimizer<rmsprop<>>,
            optimizer<rmsprop<momentum, centered>>, optimizer<adagrad>, optimizer<adadelta>,
            optimizer<ftrl>>();
}

TEST_CASE("adam and its kin have the same bits everywhere") {
  check_all<optimizer<adam>, optimizer<adamw>, optimizer<amsgrad>, optimizer<adamax>,
            optimizer<nadam>, optimizer<lion>, optimizer<lamb>>();
}

TEST_CASE("what stands beside an optimizer has the same bits everywhere") {
  check_all<optimizer<adam, clipvalue<0.01F>, moving_average<0.9F>>,
            optimizer<lion, clipnorm<0.1F>, weight_decay<0.5F>>,
            optimizer<lamb, clipnorm<0.1F>, moving_average<0.9F>, weight_decay<0.01F>>>();
}

TEST_CASE("optimizers of replicas have the same bits everywhere") {
  check_all_of_replicas<optimizer<adam>, optimizer<adamw>, optimizer<lion>, optimizer<lamb>,
                        optimizer<adam, clipvalue<0.01F>, moving_average<0.9F>>>();
}
