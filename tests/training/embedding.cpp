// SPDX-License-Identifier: MIT
// Embedding in a model: it learns, its gradient is as if the table were dense, its bits are the
// same under every schedule and on any number of workers, and a word that there is not is refused.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/data/mapped.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr std::int32_t words = 11;
constexpr std::size_t length = 6;
constexpr std::size_t samples = 32;

/// Which of three words comes up most often.
struct most_frequent
    : model<input<dtype::int32, 6>, sequential<Embedding<11, 5>, Flatten, Dense<3>>> {};

struct two_stages
    : model<input<dtype::int32, 6>, pipeline<stage<Embedding<11, 5>>, stage<Flatten, Dense<3>>>> {};

template <typename Model, typename Schedule = sequential_schedule, int Replicas = 1>
struct training : compile<Model, Schedule, micro_batch<4>, gradient_accumulation<8 / Replicas>,
                          replicas<Replicas>, mean_gradients, loss<sparse_categorical_crossentropy>,
                          optimizer<sgd<>>> {};

std::vector<std::int32_t> drawn_words() {
  std::vector<std::int32_t> made;
  for (std::uint64_t i = 0; i < samples * length; ++i) {
    made.push_back(static_cast<std::int32_t>(random_word(7, 0, i) % words));
  }
  return made;
}

/// The label of a sample is its first word, in three groups.
std::vector<std::int32_t> labels_of(const std::vector<std::int32_t>& given) {
  std::vector<std::int32_t> made;
  for (std::size_t i = 0; i < samples; ++i) {
    made.push_back(given[i * length] % 3);
  }
  return made;
}

template <typename Compiled>
std::uint64_t weights_after(int steps, int threads) {
  session<Compiled> run({.learning_rate = 0.5F}, {.threads = threads, .shared_from = 0});
  const std::vector<std::int32_t> given = drawn_words();
  const std::vector<std::int32_t> labels = labels_of(given);
  for (int i = 0; i < steps; ++i) {
    run.train_step(given, labels);
  }
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("an embedding learns") {
  session<training<most_frequent>> run({.learning_rate = 0.5F});
  const std::vector<std::int32_t> given = drawn_words();
  const std::vector<std::int32_t> labels = labels_of(given);
  const double before = run.train_step(given, labels);
  for (int i = 0; i < 200; ++i) {
    run.train_step(given, labels);
  }
  const double after = run.train_step(given, labels);
  CHECK(before > 0.8);
  CHECK(after < 0.1);
}

TEST_CASE("the gradient of an embedding is that of a table with central differences") {
  constexpr float rate = 0x1p20F;
  session<training<most_frequent>> run({.learning_rate = rate});
  session<training<most_frequent>> other({.learning_rate = 0.0F});
  const std::vector<std::int32_t> given = drawn_words();
  const std::vector<std::int32_t> labels = labels_of(given);
  std::vector<float> table(words * 5);
  run.weights().get(0, table);
  const std::vector<float> start = table;
  other.weights().copy_from(run.weights());
  run.train_step(given, labels);
  std::vector<float> after(table.size());
  run.weights().get(0, after);
  constexpr float step = 0x1p-6F;
  int compared = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = start[i] + step;
    other.weights().set(0, table);
    const double above = other.train_step(given, labels);
    table[i] = start[i] - step;
    other.weights().set(0, table);
    const double below = other.train_step(given, labels);
    table[i] = start[i];
    const double expected = (above - below) / (2.0 * static_cast<double>(step));
    const double got = static_cast<double>(start[i] - after[i]) / static_cast<double>(rate);
    // The losses are of float32: 2^-23 of a loss of 1.2 over a step of 2^-5; third derivatives of a
    // cross-entropy are below 1, which adds step^2 / 6.
    CHECK(std::abs(got - expected) < 1.2 * 0x1p-23 * 0x1p5 * 8 + 0x1p-12 / 6);
    ++compared;
  }
  CHECK(compared == words * 5);
}

TEST_CASE("an embedding has the same bits under every schedule and on any number of workers") {
  const std::uint64_t expected = weights_after<training<most_frequent>>(4, 1);
  CHECK(weights_after<training<most_frequent>>(4, 3) == expected);
  CHECK(weights_after<training<two_stages, grouped>>(4, 2) == expected);
  CHECK(weights_after<training<two_stages, interleaved>>(4, 4) == expected);
  const std::uint64_t replicated =
      weights_after<training<most_frequent, sequential_schedule, 2>>(4, 1);
  CHECK(weights_after<training<most_frequent, sequential_schedule, 2>>(4, 4) == replicated);
}

TEST_CASE("blocks of embeddings have the bits of the session") {
  for (const std::int32_t tiles : {1, 4, 64, 1472}) {
    machine_target target = ipu2;
    target.tiles = tiles;
    const tile_check found = check_tiles<training<two_stages>>(
        target, {.updates = 2, .most_blocks = 5}, {.learning_rate = 0.5F});
    CHECK(found.fault == "");
    CHECK(found.count.blocks > 0);
  }
}

TEST_CASE("a word that is not in the table is refused before it is read") {
  session<training<most_frequent>> run({.learning_rate = 0.5F});
  std::vector<std::int32_t> given = drawn_words();
  const std::vector<std::int32_t> labels = labels_of(given);
  given[17] = words;
  const std::uint64_t before = run.weights().fingerprint();
  CHECK_THROWS_AS(run.train_step(given, labels), error);
  const auto known = zipped(index_column<shape{6}, words>(drawn_words()), label_column<3>(labels));
  const auto made = known | mapped([](std::span<std::int32_t> sample) { sample[0] = words; });
  CHECK_THROWS_WITH(run.fit(made), "The data have the input 11; expected 0 to 10.");
  CHECK(run.weights().fingerprint() == before);
}
