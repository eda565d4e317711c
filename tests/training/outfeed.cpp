// SPDX-License-Identifier: MIT
// Queues around a session: the reference's own example of a loop, losses and outputs that are read
// while it runs.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>
#include <ipu_dsl/training/loops.hpp>
#include <ipu_dsl/training/outfeed.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/training/training_outfeed.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// x1 + x2 and x1 - x2.
struct sum_and_difference {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x1 = build.input("x1", {800});
    const symbolic_tensor x2 = build.input("x2", {800});
    return {build.layer<Add>("d1", x1, x2), build.layer<Subtract>("d2", x1, x2)};
  }
};

struct body : compile<sum_and_difference, micro_batch<1>, inference_micro_batches<4>> {};

/// The same pair again and again, or so often; the first number of x1 counts them.
class pairs {
 public:
  explicit pairs(std::int32_t most = 1 << 30, float step = 0) : left_(most), step_(step) {}

  std::int32_t next(const feed_rows& rows) {
    std::int32_t valid = 0;
    for (; valid < rows.micro_batch && left_ > 0; ++valid, --left_) {
      for (const source_rows& each : rows.sources) {
        for (std::int32_t i = 0; i < each.stride; ++i) {
          each.floats(valid)[static_cast<std::size_t>(i)] = i < each.elements ? value_ : 0.0F;
        }
      }
      value_ += step_;
    }
    for (std::int32_t row = valid; row < rows.micro_batch; ++row) {
      for (const source_rows& each : rows.sources) {
        for (float& number : each.floats(row)) {
          number = 0;
        }
      }
    }
    return valid;
  }

  void restart() {}

  std::span<const source_form> sources() const { return forms; }

  std::optional<std::int64_t> length() const { return std::nullopt; }

 private:
  static constexpr std::array<source_form, 2> forms{{{dtype::float32, 800}, {dtype::float32, 800}}};

  std::int32_t left_;
  float step_;
  float value_ = 1;
};

bool all_are(std::span<const float> numbers, float value) {
  bool equal = !numbers.empty();
  for (const float number : numbers) {
    equal = equal && number == value;
  }
  return equal;
}

using extents = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("ten iterations over ones hand out sums of 2 and differences of 0") {
  pairs ones;
  infeed_queue infeed(ones, {.micro_batch = 1});
  output_outfeed<body> results({.depth = 10});
  session<body> run;
  repeat<10>(run, infeed, results);
  const outfeed_values found = results.dequeue();
  CHECK(found.count() == 10);
  CHECK(found.extents("d1") == extents{10, 800});
  CHECK(found["d1"].size() == 8000);
  CHECK(all_are(found["d1"], 2));
  CHECK(all_are(found["d2"], 0));
  CHECK(results.dequeue().extents("d2") == extents{0, 800});
}

TEST_CASE("a loop takes from its feed as much as it iterates, and goes on there") {
  pairs counted(1000, 1.0F);
  output_outfeed<body> results({.depth = 20});
  session<body> run({}, {.threads = 2, .shared_from = 0});
  repeat<0>(run, counted, results);
  CHECK(results.waiting() == 0);
  repeat<3>(run, counted, results);
  repeat<6>(run, counted, results);
  const outfeed_values found = results.dequeue();
  REQUIRE(found.count() == 9);
  for (std::size_t i = 0; i < 9; ++i) {
    CHECK(all_are(found["d1"].subspan(i * 800, 800), 2.0F * static_cast<float>(i + 1)));
  }
  pairs few(5);
  CHECK(sentence_of([&] { repeat<10>(run, few, results); }) ==
        "The data ended behind 5 of 10 iterations.");
  CHECK(results.dequeue().count() == 5);
}

TEST_CASE("values are carried from iteration to iteration, so often or while something holds") {
  session<body> run;
  std::vector<float> first(800, 3.0F);
  std::vector<float> second(800, 1.0F);
  // (a, b) becomes (a + b, a - b): twice that is (2a, 2b).
  repeat<4>(run, carried_values<2>{first, second});
  CHECK(all_are(first, 12));
  CHECK(all_are(second, 4));
  repeat<0>(run, carried_values<2>{first, second});
  CHECK(all_are(first, 12));
  const std::int64_t iterations =
      repeat_while(run, carried_values<2>{first, second},
                   [](const carried_values<2>& carried) { return carried[0][0] < 100; });
  CHECK(iterations == 7);
  CHECK(all_are(first, 128));
  CHECK(all_are(second, 64));
}

TEST_CASE("what a loop carries without a feed is handed out on its way") {
  session<body> run;
  std::vector<float> first(800, 3.0F);
  std::vector<float> second(800, 1.0F);
  carried_values<2> carried{first, second};
  output_outfeed<body> results({.depth = 6});
  repeat<4>(run, carried, results);
  CHECK(all_are(first, 12));
  CHECK(all_are(second, 4));
  const outfeed_values found = results.dequeue();
  CHECK(found.extents("d1") == extents{4, 800});
  // (3, 1), (4, 2), (6, 2), (8, 4), (12, 4)
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(all_are(found["d1"].subspan(i * 800, 800), std::array{4.0F, 6.0F, 8.0F, 12.0F}[i]));
    CHECK(all_are(found["d2"].subspan(i * 800, 800), std::array{2.0F, 2.0F, 4.0F, 4.0F}[i]));
  }
  const auto below = [](const carried_values<2>& now) { return now[0][0] < 40; };
  CHECK(repeat_while(run, carried, below, results) == 4);
  CHECK(all_are(first, 48));
  CHECK(results.dequeue()["d1"][3 * 800] == 48);
  CHECK(sentence_of([&] {
          repeat<7>(run, carried, results);
        }).starts_with("An outfeed has room for 6 elements, this run hands out 7"));
  CHECK(all_are(first, 48));
}

TEST_CASE("what a loop carries meets what a feed brings") {
  session<body> run;
  std::vector<float> sum(800, 0.0F);

  // The first source of the feed is the model's second input.
  class one_source : public pairs {
   public:
    using pairs::pairs;

    std::span<const source_form> sources() const { return pairs::sources().first(1); }
  };

  one_source numbers(5, 1.0F);
  output_outfeed<body> results({.depth = 5});
  repeat<4>(run, carried_values<1>{sum}, numbers, results);
  CHECK(all_are(sum, 1 + 2 + 3 + 4));
  CHECK(results.dequeue()["d1"][800] == 3);
  CHECK(sentence_of([&] { repeat<4>(run, carried_values<1>{sum}, numbers, results); }) ==
        "The data ended behind 1 of 4 iterations.");
  CHECK(all_are(sum, 15));
  one_source others(100, 1.0F);
  output_outfeed<body> each({.depth = 100});
  const auto below = [](float bound) {
    return [bound](const carried_values<1>& carried) { return carried[0][0] < bound; };
  };
  CHECK(repeat_while(run, carried_values<1>{sum}, below(30), others, each) == 5);
  CHECK(all_are(sum, 15 + 1 + 2 + 3 + 4 + 5));
  CHECK(each.waiting() == 5);
  one_source few(2, 1.0F);
  CHECK(sentence_of([&] { repeat_while(run, carried_values<1>{sum}, below(1000), few, each); }) ==
        "The data ended behind 2 iterations, and the loop would go on.");
  std::vector<float> short_one(799);
  CHECK(sentence_of([&] { repeat<1>(run, carried_values<1>{short_one}, numbers, results); }) ==
        "The carried value 0 of a micro-batch of 1 has 800 numbers, got 799.");
}

TEST_CASE("outputs are read by another thread while they are made, each once and in order") {
  pairs counted(1 << 20, 1.0F);
  output_outfeed<body> results({.depth = 2, .reader = outfeed_reader::meanwhile});
  session<body> run({}, {.threads = 2, .shared_from = 0});
  std::vector<float> seen;
  std::thread reader([&] {
    for (const outfeed_element element : results) {
      seen.push_back(element["d1"][799]);
    }
  });
  repeat<1000>(run, counted, results);
  results.close();
  reader.join();
  REQUIRE(seen.size() == 1000);
  bool in_order = true;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    in_order = in_order && seen[i] == 2.0F * static_cast<float>(i + 1);
  }
  CHECK(in_order);
}

TEST_CASE("a mask takes outputs out of an outfeed") {
  pairs ones;
  session<body> run;
  output_outfeed<body> second({}, {true, false});
  repeat<2>(run, ones, second);
  const outfeed_values found = second.dequeue();
  CHECK(all_are(found["d2"], 0));
  CHECK(sentence_of([&] { found["d1"]; }) ==
        "An element of this outfeed has no tensor d1; there are d2.");
  CHECK(sentence_of([] { output_outfeed<body> wrong({}, {true}); }) ==
        "The mask of an outfeed has an entry for each of the 2 outputs of the model, got 1.");
  CHECK(sentence_of([] { output_outfeed<body> none({}, {true, true}); }) ==
        "An element of an outfeed has at least 1 tensor, got none.");
}

TEST_CASE("an outfeed that nobody reads is refused before anything runs") {
  pairs counted(1 << 20, 1.0F);
  output_outfeed<body> results;
  session<body> run;
  repeat<1>(run, counted, results);
  CHECK(sentence_of([&] { repeat<3>(run, counted, results); }) ==
        "An outfeed has room for 2 elements, this run hands out 3, and nobody reads meanwhile. "
        "Hint: dequeue more often, say {.depth = 3}, or read on another thread and say {.reader = "
        "outfeed_reader::meanwhile}.");
  repeat<2>(run, counted, results);
  CHECK(results.dequeue()["d1"][2 * 800] == 6);
}

namespace {

struct net : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct trained : compile<net, micro_batch<4>, gradient_accumulation<4>,
                         loss<sparse_categorical_crossentropy>> {};

constexpr sgd<>::settings rate{.learning_rate = 0.05F};

}  // namespace

TEST_CASE("the losses of an outfeed are those of the history") {
  const point_set data = labelled_points(96, 1);
  session<trained> run(rate, {.threads = 2, .shared_from = 0});
  loss_outfeed losses(run, {.depth = 48});
  CHECK(sentence_of([&] { loss_outfeed second(run); }) ==
        "A session hands its losses to one outfeed, and has one already.");
  const auto expected = run.fit(data | repeated(), {.epochs = 2, .steps_per_epoch = 24}).losses();
  const outfeed_values found = losses.dequeue();
  CHECK(found.extents("loss") == extents{48});
  CHECK(std::vector<float>(found["loss"].begin(), found["loss"].end()) ==
        std::vector<float>(expected.begin(), expected.end()));
  const point_set few = labelled_points(16, 2);
  const double mean = run.train_step(few.features(), few.labels());
  const outfeed_values of_step = losses.dequeue();
  REQUIRE(of_step.count() == 4);
  double sum = 0;
  for (const float loss : of_step["loss"]) {
    sum += static_cast<double>(loss);
  }
  CHECK(std::abs(sum / 4 - mean) < 1e-6);
}

TEST_CASE("what an outfeed has heard is there when its session has ended") {
  const point_set few = labelled_points(16, 2);
  auto run = std::make_unique<session<trained>>(rate, session_options{});
  loss_outfeed losses(*run, {.depth = 8});
  run->train_step(few.features(), few.labels());
  session<trained> moved = std::move(*run);
  run.reset();
  moved.train_step(few.features(), few.labels());
  CHECK(losses.dequeue().count() == 8);
  {
    const session<trained> ends = std::move(moved);
  }
  CHECK(losses.dequeue().count() == 0);
}

TEST_CASE("a fit and its outfeed: refused where it cannot end, and ended where nobody reads more") {
  const point_set data = labelled_points(96, 1);
  session<trained> run(rate);
  const std::uint64_t before = run.weights().fingerprint();
  {
    loss_outfeed losses(run);
    CHECK(sentence_of([&] {
            run.fit(data | repeated(), {.steps_per_epoch = 24});
          }).starts_with("An outfeed has room for 3 elements, this run hands out 24,"));
    CHECK(run.weights().fingerprint() == before);
  }
  loss_outfeed losses(run, {.depth = 2, .reader = outfeed_reader::meanwhile});
  std::vector<float> seen;
  std::thread reader([&] {
    for (const outfeed_element element : losses) {
      seen.push_back(element["loss"][0]);
      if (seen.size() == 6) {
        losses.close();
        return;
      }
    }
  });
  CHECK(sentence_of([&] { run.fit(data | repeated(), {.steps_per_epoch = 24}); }) ==
        "The outfeed is closed: nobody reads what a run enqueues. Hint: close it behind the last "
        "run.");
  reader.join();
  const auto trained_so_far = run.weights().fingerprint();
  session<trained> expected(rate);
  expected.fit(data | repeated(), {.steps_per_epoch = 8});
  CHECK(trained_so_far == expected.weights().fingerprint());
}

namespace {

/// The softmax is no part of training: the loss reads what it reads.
struct scored : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>, softmax>>> {};

template <typename... Options>
struct handed_out : compile<scored, micro_batch<4>, gradient_accumulation<4>, replicas<2>,
                            loss<sparse_categorical_crossentropy>, Options...> {};

/// The losses and outputs of the next update are those of its samples with the weights as they were
/// before. Returns how many numbers were equal.
template <typename Session, typename Feed>
std::size_t equal_numbers(Session& run, Feed& source, training_outfeed& results,
                          std::span<const float> features) {
  std::vector<float> expected(32 * 3);
  run.predict(features, expected);
  const auto losses = run.fit(source, {.steps_per_epoch = 8}).losses();
  const outfeed_values found = results.dequeue();
  CHECK(found.extents("loss") == extents{4, 2});
  CHECK(found.extents("output") == extents{4, 2, 4, 3});
  std::size_t equal = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    equal += found["output"][i] == expected[i] ? 1U : 0U;
  }
  for (std::size_t i = 0; i < losses.size(); ++i) {
    equal += found["loss"][i] == losses[i] ? 1U : 0U;
  }
  return equal;
}

}  // namespace

TEST_CASE("training hands out what prediction does, with the weights before the update") {
  const point_set data = labelled_points(64, 1);
  const std::span<const float> features = data.features();
  auto source = make_feed(data | repeated(), 1);
  session<handed_out<outfeed_outputs>> run(rate, {.threads = 3, .shared_from = 0});
  {
    training_outfeed results(run, {.depth = 4});
    CHECK(equal_numbers(run, source, results, features.first(32 * 8)) == 32 * 3 + 8);
    CHECK(equal_numbers(run, source, results, features.subspan(32 * 8)) == 32 * 3 + 8);
  }
  run.fit(source, {.steps_per_epoch = 8});
  session<handed_out<>> plain(rate);
  plain.fit(data | repeated(), {.steps_per_epoch = 24});
  CHECK(run.weights().fingerprint() == plain.weights().fingerprint());
}

TEST_CASE("what an update found is summed over its micro-batches, an element an update") {
  const point_set data = labelled_points(64, 1);
  session<handed_out<outfeed_outputs>> run(rate);
  CHECK(sentence_of([&] {
          training_outfeed last(run, {.mode = outfeed_mode::last}, outfeed_sum::float64);
        }) == "An outfeed of sums over updates is of mode all: each is enqueued.");
  training_outfeed results(run, {.depth = 2}, outfeed_sum::float64);
  const auto losses = run.fit(data | repeated(), {.steps_per_epoch = 16}).losses();
  const outfeed_values found = results.dequeue();
  CHECK(found.extents("loss") == extents{2, 2});
  CHECK(found.extents("output") == extents{2, 2, 4, 3});
  int right = 0;
  for (std::size_t update = 0; update < 2; ++update) {
    for (std::size_t replica = 0; replica < 2; ++replica) {
      double sum = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        sum += static_cast<double>(losses[8 * update + 2 * i + replica]);
      }
      right += found["loss"][2 * update + replica] == static_cast<float>(sum) ? 1 : 0;
    }
  }
  CHECK(right == 4);
  double probabilities = 0;
  for (const float each : found["output"]) {
    probabilities += static_cast<double>(each);
  }
  // 64 samples, each of probabilities that are 1 together.
  CHECK(std::abs(probabilities - 64) < 1e-4);
}

TEST_CASE("losses of replicas have an axis of them behind that of the count") {
  const point_set data = labelled_points(96, 1);
  session<handed_out<outfeed_outputs>> run(rate, {.threads = 2, .shared_from = 0});
  loss_outfeed losses(run, {.depth = 100});
  const auto expected = run.fit(data | repeated(), {.steps_per_epoch = 24}).losses();
  const outfeed_values found = losses.dequeue();
  CHECK(found.extents("loss") == extents{12, 2});
  CHECK(std::vector<float>(found["loss"].begin(), found["loss"].end()) ==
        std::vector<float>(expected.begin(), expected.end()));
}

TEST_CASE("an element of several samples is what predict makes of them, zeros behind the last") {
  const point_set data = labelled_points(22, 1);
  session<trained> run(rate, {.threads = 2, .shared_from = 0});
  std::vector<float> expected(22 * 3);
  run.predict(data.features(), expected);
  expected.resize(24 * 3);
  output_outfeed<trained> results({.depth = 10});
  auto source = make_feed(data, 1);
  infeed_queue infeed(source, {.micro_batch = 4});
  CHECK(run.hand_out(infeed, 10, results) == 6);
  const outfeed_values found = results.dequeue();
  CHECK(found.extents("output") == extents{6, 4, 3});
  CHECK(std::vector<float>(found["output"].begin(), found["output"].end()) == expected);
  CHECK(run.hand_out(infeed, 10, results) == 0);
  CHECK(sentence_of([&] { run.hand_out(infeed, -1, results); }) ==
        "A session hands out 0 micro-batches or more, it was asked for -1.");
}

TEST_CASE("an evaluation through an infeed is that of its data") {
  const point_set data = labelled_points(94, 1);
  session<trained> run(rate, {.threads = 2, .shared_from = 0});
  const evaluation expected = run.evaluate(data);
  auto source = make_feed(data, 1);
  infeed_queue infeed(source, {.micro_batch = 4, .depth = 2});
  int equal = 0;
  for (int pass = 0; pass < 3; ++pass) {
    const evaluation found = run.evaluate(infeed);
    equal += found.loss == expected.loss && found.samples == 94 ? 1 : 0;
  }
  CHECK(equal == 3);
}
