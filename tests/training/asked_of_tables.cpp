// SPDX-License-Identifier: MIT
// What is asked of the table of an Embedding, of a BatchNormalization, and of what passes an
// ActivityRegularization: gradients, norms, the same bits however training runs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/activity_regularization.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;

constexpr std::size_t words = 9;
constexpr std::size_t features = 5;
constexpr std::size_t positions = 6;
constexpr std::size_t samples = 16;

// What is asked of something that is not there.
static_assert(BatchNormalization<use_scale<false>, gamma_regularizer<l2<>>>::description.fault
                  ->expected.view() == "a gamma beside gamma_regularizer<...>");
static_assert(BatchNormalization<use_center<false>, beta_constraint<non_neg>>::description.fault
                  ->got.view() == "use_center<false>");
static_assert(BatchNormalization<kernel_regularizer<l2<>>>::description.fault->found());
static_assert(Embedding<9, 5, embeddings_regularizer<relu>>::description.fault->found());
static_assert(Embedding<9, 5>::description.weights == nullptr);
static_assert(ActivityRegularization<>::description.fault->found());
static_assert(!ActivityRegularization<l1<>>::description.fault->found());

struct free_model
    : model<input<dtype::int32, 6>,
            sequential<named<"words", Embedding<9, 5>>, Flatten, named<"first", Dense<4>>,
                       named<"norm", BatchNormalization<>>, Dense<3>>> {};

struct penalized
    : model<input<dtype::int32, 6>,
            sequential<named<"words", Embedding<9, 5, embeddings_regularizer<l1_l2<0.1F, 0.2F>>>>,
                       ActivityRegularization<l2<0.5F>>, Flatten, named<"first", Dense<4>>,
                       named<"norm", BatchNormalization<gamma_regularizer<l2<0.3F>>,
                                                        beta_regularizer<l2<0.4F>>>>,
                       Dense<3>>> {};

struct asked
    : model<input<dtype::int32, 6>,
            pipeline<stage<named<"words", Embedding<9, 5, embeddings_regularizer<l2<>>,
                                                    embeddings_constraint<max_norm<0.05F>>,
                                                    activity_regularizer<l1<0.1F>>>>,
                           ActivityRegularization<l2<0.05F>>>,
                     stage<Flatten, named<"first", Dense<4>>,
                           named<"norm", BatchNormalization<gamma_constraint<max_norm<1.5F>>,
                                                            beta_constraint<non_neg>,
                                                            beta_regularizer<l1<>>>>,
                           Dense<3>>>> {};

template <typename Model, typename Schedule = sequential_schedule, int MicroBatch = 16,
          typename... Options>
struct training
    : compile<Model, micro_batch<MicroBatch>, gradient_accumulation<16 / MicroBatch>, Schedule,
              mean_gradients, loss<sparse_categorical_crossentropy>, Options...> {};

const std::vector<std::int32_t> given = reference::labels(samples * positions, 3, words);
const std::vector<std::int32_t> labels = reference::labels(samples, 4, 3);

std::vector<float> values_of(const parameters& weights, std::string_view layer,
                             std::string_view name) {
  const std::size_t index = weights.find(layer, name);
  std::vector<float> values(static_cast<std::size_t>(weights.at(index).extents.elements()));
  weights.get(index, values);
  return values;
}

double wide(float number) {
  return static_cast<double>(number);
}

double sum_of_squares(const std::vector<float>& values) {
  double sum = 0;
  for (const float each : values) {
    sum += wide(each) * wide(each);
  }
  return sum;
}

template <typename Training>
std::uint64_t trained(int threads) {
  session<Training> run({.learning_rate = 0.05F}, {.threads = threads, .shared_from = 0});
  for (int update = 0; update < 5; ++update) {
    run.train_step(given, labels);
  }
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("penalties of tables, of gamma and beta, and of what passes add their gradients") {
  session<training<free_model>> free({.learning_rate = 0.25F});
  session<training<penalized>> run({.learning_rate = 0.25F});
  std::vector<float> shifted(4, 0.5F);
  for (parameters* const weights : {&free.weights(), &run.weights()}) {
    weights->set(weights->find("norm", "beta"), shifted);
  }
  const std::vector<float> table = values_of(run.weights(), "words", "embeddings");
  std::vector<double> seen(words);
  for (const std::int32_t word : given) {
    seen[static_cast<std::size_t>(word)] += 1.0 / samples;
  }
  double penalty = wide(0.2F) * sum_of_squares(table) + wide(0.3F) * 4 + wide(0.4F) * 4 * 0.25;
  for (std::size_t i = 0; i < table.size(); ++i) {
    penalty += wide(0.1F) * std::abs(wide(table[i])) +
               0.5 * seen[i / features] * wide(table[i]) * wide(table[i]);
  }
  const double without = free.train_step(given, labels);
  CHECK(run.train_step(given, labels) == Approx(without + penalty).epsilon(1e-6));
  const std::vector<float> moved = values_of(run.weights(), "words", "embeddings");
  const std::vector<float> moved_freely = values_of(free.weights(), "words", "embeddings");
  int compared = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double w = wide(table[i]);
    const double slope = wide(0.1F) * (w > 0   ? 1
                                       : w < 0 ? -1
                                               : 0) +
                         2 * wide(0.2F) * w + 2 * 0.5 * seen[i / features] * w;
    CHECK(wide(moved[i]) - wide(moved_freely[i]) == Approx(-0.25 * slope).margin(1e-7));
    ++compared;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const auto moved_by = [&](std::string_view name) {
      return wide(values_of(run.weights(), "norm", name)[i]) -
             wide(values_of(free.weights(), "norm", name)[i]);
    };
    CHECK(moved_by("gamma") == Approx(-0.25 * 2 * wide(0.3F)).margin(1e-6));
    CHECK(moved_by("beta") == Approx(-0.25 * 2 * wide(0.4F) * 0.5).margin(1e-6));
    compared += 2;
  }
  CHECK(compared == static_cast<int>(words * features) + 8);
}

TEST_CASE("constraints hold for tables, gamma and beta") {
  session<training<asked, grouped, 4, optimizer<adam>>> run({.learning_rate = 0.05F});
  int checked = 0;
  for (int update = 0; update < 5; ++update) {
    run.train_step(given, labels);
    const std::vector<float> table = values_of(run.weights(), "words", "embeddings");
    for (std::size_t feature = 0; feature < features; ++feature) {
      double square = 0;
      for (std::size_t word = 0; word < words; ++word) {
        square += wide(table[word * features + feature]) * wide(table[word * features + feature]);
      }
      CHECK(std::sqrt(square) == Approx(0.05).epsilon(1e-5));
      ++checked;
    }
    CHECK(std::sqrt(sum_of_squares(values_of(run.weights(), "norm", "gamma"))) <= 1.5 + 1e-5);
    for (const float each : values_of(run.weights(), "norm", "beta")) {
      CHECK(each >= 0);
      ++checked;
    }
  }
  CHECK(checked == 5 * (5 + 4));
}

TEST_CASE("what is asked of tables has the same bits however training runs") {
  const auto expected = trained<training<asked, grouped, 4, optimizer<adam>>>(1);
  CHECK(trained<training<asked, grouped, 4, optimizer<adam>>>(4) == expected);
  CHECK(trained<training<asked, sequential_schedule, 4, optimizer<adam>>>(3) == expected);
  const tile_check found = check_tiles<training<asked, grouped, 4, optimizer<adam>>>(ipu2);
  CHECK(found.fault == "");
  CHECK(found.count.blocks > 0);
}
