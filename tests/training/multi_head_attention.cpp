// SPDX-License-Identifier: MIT
// MultiHeadAttention and PositionEmbedding in models: numbers against a float64 reference by
// central differences, the same bits however they are cut, block by block.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/descent.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;
using namespace reference;

constexpr std::size_t samples_of_update = 8;

/// Attention to other sequences with a key of their own, to the sequence itself as far as it has
/// come, and with one sequence as key and value: 4 queries of 5 features. Steps of zeros of the
/// others, and of the keys, are none.
template <bool Cut>
struct attending {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor queries = build.input({4, 5});
    const symbolic_tensor others = build.layer<Masking<>>("", build.input({3, 6}));
    const symbolic_tensor keys = build.layer<Masking<>>("", build.input({3, 2}));
    const symbolic_tensor placed = build.layer<PositionEmbedding<>>("", queries);
    const symbolic_tensor values = build.layer<Dense<4>>("", others);
    const symbolic_tensor told = build.layer<MultiHeadAttention<2, 3>>("", placed, values, keys);
    if (Cut) {
      build.stage(1);
    }
    const symbolic_tensor itself =
        build.layer<MultiHeadAttention<2, 4, value_dim<3>, use_causal_mask<true>, use_bias<false>>>(
            "", told);
    const symbolic_tensor again = build.layer<MultiHeadAttention<1, 2>>("", itself, values);
    return build.layer<Dense<1>>("", again);
  }
};

template <bool Cut, typename Schedule, int MicroBatch = 2, int Replicas = 1>
struct trained : compile<attending<Cut>, Schedule, micro_batch<MicroBatch>,
                         gradient_accumulation<samples_of_update / MicroBatch>, mean_gradients,
                         replicas<Replicas>, loss<mean_squared_error>, optimizer<sgd<momentum>>> {};

using rows = std::vector<std::vector<double>>;

rows rows_of(const std::vector<float>& from, std::size_t sample, std::size_t count,
             std::size_t width) {
  rows made;
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back(row_of(from, sample * count + i, width));
  }
  return made;
}

/// Weights that are taken one after the other.
struct weight_reader {
  const weight_list& weights;
  std::size_t next = 0;

  rows product(const rows& x, std::size_t units, bool has_bias) {
    const std::vector<double>& kernel = weights[next];
    const std::vector<double> none(units, 0);
    const std::vector<double>& bias = has_bias ? weights[next + 1] : none;
    next += has_bias ? 2 : 1;
    rows made;
    for (const std::vector<double>& row : x) {
      std::vector<double> y = bias;
      for (std::size_t k = 0; k < row.size(); ++k) {
        for (std::size_t n = 0; n < units; ++n) {
          y[n] += row[k] * kernel[k * units + n];
        }
      }
      made.push_back(y);
    }
    return made;
  }
};

struct attention_sizes {
  std::size_t heads;
  std::size_t key_dim;
  std::size_t value_dim;
  bool causal = false;
  bool has_bias = true;
};

/// Of each step whether it is there.
using steps_there = std::vector<bool>;

rows attention(weight_reader& from, const attention_sizes& of, const rows& query, const rows& value,
               const rows& key, const steps_there& there, const rows& told = {}) {
  const rows q = from.product(query, of.heads * of.key_dim, of.has_bias);
  const rows k = from.product(key, of.heads * of.key_dim, of.has_bias);
  const rows v = from.product(value, of.heads * of.value_dim, of.has_bias);
  rows context(q.size(), std::vector<double>(of.heads * of.value_dim, 0));
  for (std::size_t head = 0; head < of.heads; ++head) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::size_t seen = of.causal ? std::min(i + 1, k.size()) : k.size();
      std::vector<double> weights;
      double sum = 0;
      for (std::size_t j = 0; j < seen; ++j) {
        double product = 0;
        for (std::size_t n = head * of.key_dim; n < (head + 1) * of.key_dim; ++n) {
          product += q[i][n] * k[j][n];
        }
        const double score = product / std::sqrt(static_cast<double>(of.key_dim));
        const bool attends = there[j] && (told.empty() || told[i][j] != 0);
        weights.push_back(attends ? std::exp(score) : 0);
        sum += weights.back();
      }
      for (std::size_t j = 0; sum > 0 && j < seen; ++j) {
        for (std::size_t n = head * of.value_dim; n < (head + 1) * of.value_dim; ++n) {
          context[i][n] += weights[j] / sum * v[j][n];
        }
      }
    }
  }
  return from.product(context, query[0].size(), of.has_bias);
}

struct data_set {
  std::vector<float> queries;
  std::vector<float> others;
  std::vector<float> keys;
  std::vector<float> wanted;

  explicit data_set(std::size_t samples, std::uint64_t seed)
      : queries(numbers(samples * 20, seed, 2.0F)),
        others(numbers(samples * 18, seed + 1, 2.0F)),
        keys(numbers(samples * 6, seed + 2, 2.0F)),
        wanted(numbers(samples * 4, seed + 3, 1.0F)) {
    // Of four samples one has all steps, one lacks a step of the others, one a step of these and
    // another of the keys, one has none to attend to.
    for (std::size_t sample = 0; sample < samples; ++sample) {
      clear_steps(others, 6, sample, sample % 4 == 3 ? 0 : 2, sample % 4 == 0 ? 0 : 3);
      clear_steps(keys, 2, sample, 0, sample % 4 == 2 ? 1 : 0);
    }
  }

  /// Zeros in the steps from `begin` to before `end` of three.
  static void clear_steps(std::vector<float>& given, std::size_t width, std::size_t sample,
                          std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * width; i < end * width; ++i) {
      given[sample * 3 * width + i] = 0.0F;
    }
  }

  /// The first half twice over.
  data_set twice() const {
    data_set made = *this;
    made.queries.insert(made.queries.end(), queries.begin(), queries.end());
    made.others.insert(made.others.end(), others.begin(), others.end());
    made.keys.insert(made.keys.end(), keys.begin(), keys.end());
    made.wanted.insert(made.wanted.end(), wanted.begin(), wanted.end());
    return made;
  }
};

steps_there there_in(const rows& sequence) {
  steps_there made;
  for (const std::vector<double>& step : sequence) {
    made.push_back(std::ranges::count(step, 0.0) < static_cast<std::ptrdiff_t>(step.size()));
  }
  return made;
}

std::vector<double> output_of(const weight_list& weights, const data_set& data,
                              std::size_t sample) {
  weight_reader from{weights};
  rows placed = rows_of(data.queries, sample, 4, 5);
  for (std::size_t i = 0; i < 20; ++i) {
    placed[i / 5][i % 5] += weights[0][i];
  }
  from.next = 1;
  const rows others = rows_of(data.others, sample, 3, 6);
  const rows values = from.product(others, 4, true);
  const rows keys = rows_of(data.keys, sample, 3, 2);
  const steps_there said = there_in(others);
  const steps_there asked = there_in(keys);
  steps_there both = said;
  for (std::size_t j = 0; j < 3; ++j) {
    both[j] = said[j] && asked[j];
  }
  rows x = attention(from, {2, 3, 3}, placed, values, keys, both);
  x = attention(from, {2, 4, 3, true, false}, x, x, x, steps_there(4, true));
  x = attention(from, {1, 2, 2}, x, values, values, said);
  std::vector<double> made;
  for (const std::vector<double>& row : from.product(x, 1, true)) {
    made.push_back(row[0]);
  }
  return made;
}

double loss_of(const weight_list& weights, const data_set& data) {
  double sum = 0;
  for (std::size_t sample = 0; sample < samples_of_update; ++sample) {
    const std::vector<double> found = output_of(weights, data, sample);
    const std::vector<double> wanted = row_of(data.wanted, sample, 4);
    for (std::size_t i = 0; i < 4; ++i) {
      sum += (found[i] - wanted[i]) * (found[i] - wanted[i]) / (4 * samples_of_update);
    }
  }
  return sum;
}

template <typename Session>
void take_step(Session& run, const data_set& data) {
  run.train_step(input_arrays{data.queries, data.others, data.keys}, target_arrays{data.wanted});
}

template <typename Compiled>
std::uint64_t train(const data_set& data, int threads) {
  session<Compiled> run({.learning_rate = 0.1F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  for (int update = 0; update < 4; ++update) {
    take_step(run, data);
  }
  return run.weights().fingerprint();
}

/// Each query is told to which steps of others it attends, beside their mask; then each to which it
/// attends of those that have come, by numbers that a layer makes.
template <bool Cut>
struct told_keys {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor queries = build.input({4, 5});
    const symbolic_tensor others = build.layer<Masking<>>("", build.input({3, 6}));
    const symbolic_tensor told = build.input({4, 3});
    const symbolic_tensor first =
        build.layer<MultiHeadAttention<2, 3, use_attention_mask<true>>>("", queries, others, told);
    if (Cut) {
      build.stage(1);
    }
    const symbolic_tensor chosen =
        build.layer<Dense<4, relu, bias_init<constant<0.1F>>>>("chosen", first);
    const symbolic_tensor second =
        build.layer<MultiHeadAttention<1, 20, use_causal_mask<true>, use_attention_mask<true>>>(
            "", first, chosen);
    return build.layer<Dense<1>>("", second);
  }
};

template <bool Cut, typename Schedule, int MicroBatch = 2, int Replicas = 1>
struct told_training
    : compile<told_keys<Cut>, Schedule, micro_batch<MicroBatch>,
              gradient_accumulation<samples_of_update / MicroBatch>, mean_gradients,
              replicas<Replicas>, loss<mean_squared_error>, optimizer<sgd<momentum>>> {};

/// Of the keys of each query some, one of them or none, in turn.
std::vector<float> told_in(std::size_t samples) {
  std::vector<float> made;
  for (std::size_t row = 0; row < samples * 4; ++row) {
    for (std::size_t key = 0; key < 3; ++key) {
      const bool attends = row % 5 == 0 || (row % 5 != 3 && (row + key) % 3 != 0);
      made.push_back(attends ? 1.0F + static_cast<float>(key) : 0.0F);
    }
  }
  return made;
}

std::vector<double> told_output(const weight_list& weights, const data_set& data,
                                std::size_t sample) {
  weight_reader from{weights};
  const rows queries = rows_of(data.queries, sample, 4, 5);
  const rows others = rows_of(data.others, sample, 3, 6);
  const rows told = rows_of(told_in(sample + 1), sample, 4, 3);
  const rows first = attention(from, {2, 3, 3}, queries, others, others, there_in(others), told);
  rows chosen = from.product(first, 4, true);
  for (std::vector<double>& row : chosen) {
    for (double& number : row) {
      number = std::max(number, 0.0);
    }
  }
  const rows second =
      attention(from, {1, 20, 20, true}, first, first, first, steps_there(4, true), chosen);
  std::vector<double> made;
  for (const std::vector<double>& row : from.product(second, 1, true)) {
    made.push_back(row[0]);
  }
  return made;
}

double told_loss(const weight_list& weights, const data_set& data) {
  double sum = 0;
  for (std::size_t sample = 0; sample < samples_of_update; ++sample) {
    const std::vector<double> found = told_output(weights, data, sample);
    const std::vector<double> wanted = row_of(data.wanted, sample, 4);
    for (std::size_t i = 0; i < 4; ++i) {
      sum += (found[i] - wanted[i]) * (found[i] - wanted[i]) / (4 * samples_of_update);
    }
  }
  return sum;
}

template <typename Session>
void take_told_step(Session& run, const data_set& data) {
  const std::vector<float> told = told_in(data.queries.size() / 20);
  run.train_step(input_arrays{data.queries, data.others, told}, target_arrays{data.wanted});
}

template <typename Compiled>
std::uint64_t train_told(int threads) {
  session<Compiled> run({.learning_rate = 0.1F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  for (int update = 0; update < 4; ++update) {
    take_told_step(run, data_set(samples_of_update, 5));
  }
  return run.weights().fingerprint();
}

/// Words that attend to those before them, as long as there are some.
template <int Steps>
struct of_words : model<input<dtype::int32, Steps>,
                        sequential<Embedding<9, 6, mask_zero<true>>,
                                   residual<MultiHeadAttention<2, 3, use_causal_mask<true>>>,
                                   MultiHeadAttention<1, 20>, Dense<2>>> {};

}  // namespace

TEST_CASE("a sentence that is filled up with no words has the bits of the shorter one") {
  weights_of<of_words<19>> weights;
  weights.initialize(3);
  weights_of<of_words<17>> same;
  same.copy_from(weights);
  predictor<of_words<19>, micro_batch<2>> filled(weights);
  predictor<of_words<17>, micro_batch<1>> shorter(same);
  std::vector<std::int32_t> words;
  for (int i = 0; i < 17; ++i) {
    words.push_back(1 + i * 5 % 8);
  }
  std::vector<std::int32_t> given = words;
  given.insert(given.end(), {0, 0, 0, 0});
  // And one that begins with no words.
  given.insert(given.end(), words.begin(), words.end());
  std::vector<float> found(2 * 19 * 2);
  std::vector<float> expected(17 * 2);
  REQUIRE(filled.predict(given, found));
  REQUIRE(shorter.predict(words, expected));
  int compared = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(found[i] == expected[i]);
    compared += found[i] != 0.0F ? 1 : 0;
  }
  CHECK(compared == 34);
  for (std::size_t i = 38; i < found.size(); ++i) {
    CHECK(std::isfinite(found[i]));
    CHECK((i < 42 || found[i] != found[i - 4]));
  }
}

TEST_CASE("attention to itself and to others that are not all there is what float64 says") {
  session<trained<true, grouped>> run({.learning_rate = 0.05F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  REQUIRE(weights.size() == 25);
  weight_list velocities = zeros_like(weights);
  const weight_list start = weights;
  int compared = 0;
  for (std::uint64_t update = 0; update < 3; ++update) {
    const data_set data(samples_of_update, 10 * update);
    descend(weights, velocities, static_cast<double>(0.05F), static_cast<double>(0.9F),
            [&](const weight_list& probe) { return loss_of(probe, data); });
    take_step(run, data);
    const weight_list found = weights_of_session(run.weights());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      INFO(run.weights().name(i) << " after update " << update);
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(found[i][k] == Approx(weights[i][k]).margin(3e-6));
        ++compared;
      }
    }
  }
  CHECK(compared > 1000);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // A bias of keys moves all scores of a query alike, which changes nothing.
    const bool of_keys = run.weights().name(i).find("key_bias") != std::string::npos;
    CHECK((of_keys || std::abs(weights[i][0] - start[i][0]) > 1e-6));
  }
  const data_set data(1, 77);
  std::vector<float> predicted(4);
  run.predict(input_arrays{data.queries, data.others, data.keys}, output_arrays{predicted});
  const std::vector<double> expected = output_of(weights, data, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(static_cast<double>(predicted[i]) == Approx(expected[i]).margin(1e-5));
  }
  weights_of<attending<true>> kept;
  kept.copy_from(run.weights());
  std::vector<float> again(4);
  predictor<attending<true>, micro_batch<1>> alone(kept);
  CHECK(alone.predict(input_arrays{data.queries, data.others, data.keys}, output_arrays{again}));
  CHECK(again == predicted);
  std::printf("attention: compared %d weights\n", compared);
}

TEST_CASE("attention has the same bits however it is cut and shared") {
  const data_set data(samples_of_update, 5);
  const std::uint64_t expected = train<trained<false, sequential_schedule>>(data, 1);
  CHECK(train<trained<false, sequential_schedule, 4>>(data, 3) == expected);
  CHECK(train<trained<true, grouped>>(data, 3) == expected);
  CHECK(train<trained<true, interleaved>>(data, 2) == expected);
  const data_set both = data.twice();
  const std::uint64_t replicated = train<trained<true, grouped, 2, 2>>(both, 1);
  CHECK(train<trained<true, grouped, 2, 2>>(both, 4) == replicated);
}

TEST_CASE("attention, block by block") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 4, 64}) {
    machine_target machine = ipu2;
    machine.tiles = tiles;
    const tile_check found =
        check_tiles<trained<true, grouped>>(machine, {.updates = 2, .most_blocks = 8});
    INFO(found.fault);
    CHECK(found.passed());
    blocks += found.count.blocks;
  }
  CHECK(blocks > 0);
  std::printf("attention: %d blocks\n", static_cast<int>(blocks));
}

TEST_CASE("attention to keys of which each query is told is what float64 says") {
  session<told_training<true, grouped>> run({.learning_rate = 0.05F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  REQUIRE(weights.size() == 20);
  weight_list velocities = zeros_like(weights);
  const weight_list start = weights;
  int compared = 0;
  for (std::uint64_t update = 0; update < 3; ++update) {
    const data_set data(samples_of_update, 10 * update);
    descend(weights, velocities, static_cast<double>(0.05F), static_cast<double>(0.9F),
            [&](const weight_list& probe) { return told_loss(probe, data); });
    take_told_step(run, data);
    const weight_list found = weights_of_session(run.weights());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      INFO(run.weights().name(i) << " after update " << update);
      const bool chooses = run.weights().name(i).find("chosen") != std::string::npos;
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(found[i][k] == Approx(weights[i][k]).margin(3e-6));
        CHECK((!chooses || found[i][k] == start[i][k]));
        ++compared;
      }
    }
  }
  CHECK(compared > 1000);
  CHECK(std::abs(weights[0][0] - start[0][0]) > 1e-6);
  std::printf("told attention: compared %d weights\n", compared);
}

TEST_CASE("attention to keys of which each query is told has the same bits however it is cut") {
  const std::uint64_t expected = train_told<told_training<false, sequential_schedule>>(1);
  CHECK(train_told<told_training<false, sequential_schedule, 4>>(3) == expected);
  CHECK(train_told<told_training<true, grouped>>(3) == expected);
}

TEST_CASE("attention to keys of which each query is told, block by block") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 64}) {
    machine_target machine = ipu2;
    machine.tiles = tiles;
    const tile_check found =
        check_tiles<told_training<true, grouped>>(machine, {.updates = 2, .most_blocks = 8});
    INFO(found.fault);
    CHECK(found.passed());
    blocks += found.count.blocks;
  }
  CHECK(blocks > 0);
}
