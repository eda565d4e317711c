// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/data/over_arrays.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct net : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct softmax_net : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3, softmax>>>> {};

template <typename Model>
struct trained
    : compile<Model, micro_batch<32>, gradient_accumulation<4>,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

struct predicting : compile<net, micro_batch<32>> {};

constexpr sgd<momentum>::settings rates{.learning_rate = 0.05F, .momentum = 0.9F};
constexpr fit_options four_updates{.epochs = 2, .steps_per_epoch = 8};

/// The features of some of the points, one after the other.
std::span<const float> features_of(const point_set& data, std::size_t first, std::size_t count) {
  return data.features().subspan(8 * first, 8 * count);
}

/// What a call on a session says when it is refused; the weights must stay as they were.
template <typename Session, typename Call>
std::string refusal(Session& run, const Call& call) {
  const std::uint64_t before = run.weights().fingerprint();
  std::string said = sentence_of(call);
  CHECK(run.weights().fingerprint() == before);
  return said;
}

std::vector<float> losses_of(const history& done) {
  return {done.losses().begin(), done.losses().end()};
}

}  // namespace

TEST_CASE("training learns, and evaluation says so") {
  const point_set data = labelled_points(1'000, 1);
  session<trained<net>> run(rates);
  const evaluation before = run.evaluate(data);
  run.fit(data | shuffled(1'000) | repeated(), {.epochs = 4, .steps_per_epoch = 120});
  const evaluation after = run.evaluate(labelled_points(1'000, 2));
  CHECK(before.samples == 1'000);
  CHECK(after.loss < before.loss);
  CHECK(after.metrics["accuracy"] > 0.9);
}

TEST_CASE("the same seed trains the same, another seed another") {
  const point_set data = labelled_points(200, 1);
  session<trained<net>> first(rates, {.seed = 5});
  session<trained<net>> second(rates, {.threads = 2, .shared_from = 0, .seed = 5});
  session<trained<net>> other(rates, {.seed = 6});
  const auto order = data | shuffled(50) | repeated();
  const std::vector<float> of_first = losses_of(first.fit(order, four_updates));
  CHECK(losses_of(second.fit(order, four_updates)) == of_first);
  CHECK(losses_of(other.fit(order, four_updates)) != of_first);
  CHECK(first.weights().fingerprint() == second.weights().fingerprint());
  CHECK(first.weights().fingerprint() != other.weights().fingerprint());
}

TEST_CASE("evaluation takes any number of samples, and is the mean over them") {
  const point_set data = labelled_points(1'000, 1);
  session<trained<net>> run(rates, {.threads = 2, .shared_from = 0});
  run.fit(data | repeated(), four_updates);
  std::vector<double> loss_of;
  std::vector<double> hit_of;
  for (std::size_t i = 0; i < 1'000; ++i) {
    batch_feed single({features_of(data, i, 1), 8}, {data.labels().subspan(i, 1), 1, 3});
    const evaluation found = run.evaluate(single);
    CHECK(found.samples == 1);
    loss_of.push_back(found.loss);
    hit_of.push_back(found.metrics["accuracy"]);
  }
  int checked = 0;
  for (const std::size_t samples :
       std::vector<std::size_t>{1, 2, 31, 32, 33, 127, 128, 129, 255, 257, 1'000}) {
    batch_feed several({features_of(data, 0, samples), 8}, {data.labels().first(samples), 1, 3});
    const evaluation found = run.evaluate(several);
    double loss = 0;
    double hits = 0;
    for (std::size_t i = 0; i < samples; ++i) {
      loss += loss_of[i];
      hits += hit_of[i];
    }
    const auto count = static_cast<double>(samples);
    CHECK(found.samples == static_cast<std::int64_t>(samples));
    CHECK(std::abs(found.loss - loss / count) < 1e-6);
    CHECK(std::abs(found.metrics["accuracy"] - hits / count) < 1e-12);
    // A feed that was read to its end is read again from its beginning.
    CHECK(run.evaluate(several).loss == found.loss);
    ++checked;
  }
  CHECK(checked == 11);
  std::printf("evaluate: checked %d numbers of samples\n", checked);
}

TEST_CASE("prediction takes any number of samples, each as if it were alone") {
  const point_set data = labelled_points(300, 1);
  session<trained<net>> run(rates, {.threads = 2, .shared_from = 0});
  run.fit(data | repeated(), four_updates);
  std::vector<float> expected(3 * 300);
  for (std::size_t i = 0; i < 300; ++i) {
    run.predict(features_of(data, i, 1), std::span(expected).subspan(3 * i, 3));
  }
  std::size_t compared = 0;
  for (const std::size_t samples : std::vector<std::size_t>{0, 1, 31, 32, 33, 127, 129, 300}) {
    std::vector<float> outputs(3 * samples);
    run.predict(features_of(data, 0, samples), outputs);
    CHECK(std::equal(outputs.begin(), outputs.end(), expected.begin()));
    compared += outputs.size();
  }
  CHECK(compared == 3 * 653);

  // In the order of evaluation: the shares of samples whose largest score is that of their label.
  double hits = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const auto* const scores = expected.data() + 3 * i;
    hits += std::max_element(scores, scores + 3) - scores == data.labels()[i] ? 1 : 0;
  }
  CHECK(run.evaluate(data).metrics["accuracy"] == hits / 300);
  std::printf("predict: checked %zu values\n", compared);
}

TEST_CASE("prediction from data and from a feed is that from their features") {
  const point_set data = labelled_points(300, 1);
  session<trained<net>> run(rates);
  std::vector<float> expected(3 * 300);
  run.predict(data.features(), expected);
  std::vector<float> outputs(3 * 300);
  run.predict(data, outputs);
  CHECK(outputs == expected);

  const auto last = data | skip(7);
  std::vector<float> of_last(3 * 293);
  run.predict(last, of_last);
  CHECK(std::equal(of_last.begin(), of_last.end(), expected.begin() + 3 * 7));

  auto source = make_feed(data, 1);
  for (int pass = 0; pass < 2; ++pass) {
    std::fill(outputs.begin(), outputs.end(), 0.0F);
    run.predict(source, outputs);
    CHECK(outputs == expected);
  }
  // Columns of features alone are data of a model that is not trained on them.
  const auto columns = over_arrays<feature_column<shape{8}>>(data.features());
  std::fill(outputs.begin(), outputs.end(), 0.0F);
  run.predict(columns, outputs);
  CHECK(outputs == expected);
  std::printf("predict: checked %zu values\n", 4 * outputs.size() + of_last.size());
}

TEST_CASE("prediction from data is refused before anything is written") {
  const point_set data = labelled_points(40, 1);
  session<trained<net>> run(rates);
  std::vector<float> outputs(119, -1.0F);
  CHECK(refusal(run, [&] { run.predict(data, outputs); }) ==
        "predict of 40 samples writes 120 values, got room for 119.");
  CHECK(refusal(run, [&] { run.predict(data | repeated(), outputs); }) ==
        "predict needs data with an end; these have none, as behind repeated() and of "
        "from_generator without a count of samples.");
  CHECK(std::count(outputs.begin(), outputs.end(), -1.0F) == 119);
}

TEST_CASE("a model that ends in softmax trains on logits and predicts probabilities") {
  const point_set data = labelled_points(256, 1);
  session<trained<softmax_net>> run(rates);
  session<trained<net>> of_logits(rates);
  CHECK(losses_of(run.fit(data | repeated(), four_updates)) ==
        losses_of(of_logits.fit(data | repeated(), four_updates)));
  CHECK(run.weights().fingerprint() == of_logits.weights().fingerprint());
  CHECK(run.evaluate(data).loss == of_logits.evaluate(data).loss);
  CHECK(run.evaluate(data).metrics["accuracy"] == of_logits.evaluate(data).metrics["accuracy"]);

  std::vector<float> probabilities(3 * 256);
  std::vector<float> logits(3 * 256);
  run.predict(data.features(), probabilities);
  of_logits.predict(data.features(), logits);
  int checked = 0;
  for (std::size_t i = 0; i < probabilities.size(); i += 3) {
    double sum = 0;
    double of_exponentials = 0;
    for (std::size_t k = i; k < i + 3; ++k) {
      sum += static_cast<double>(probabilities[k]);
      of_exponentials += std::exp(static_cast<double>(logits[k]));
    }
    CHECK(std::abs(sum - 1) < 1e-6);
    for (std::size_t k = i; k < i + 3; ++k) {
      const double expected = std::exp(static_cast<double>(logits[k])) / of_exponentials;
      CHECK(static_cast<double>(probabilities[k]) == Approx(expected).epsilon(1e-5));
      ++checked;
    }
  }
  CHECK(checked == 768);
  std::printf("softmax: checked %d probabilities\n", checked);
}

TEST_CASE("a training step is an update of fit") {
  const point_set data = labelled_points(256, 1);
  session<trained<net>> run(rates);
  session<trained<net>> expected(rates);
  const auto losses = losses_of(expected.fit(data | repeated(), {.steps_per_epoch = 8}));
  for (std::size_t update = 0; update < 2; ++update) {
    const double loss = run.train_step(features_of(data, 128 * update, 128),
                                       data.labels().subspan(128 * update, 128));
    double mean = 0;
    for (std::size_t i = 4 * update; i < 4 * update + 4; ++i) {
      mean += static_cast<double>(losses[i]) / 4;
    }
    CHECK(loss == Approx(mean).epsilon(1e-7));
  }
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
}

TEST_CASE("passes over the data are epochs when no steps are said") {
  const point_set data = labelled_points(256, 1);
  session<trained<net>> run(rates);
  session<trained<net>> expected(rates);
  const auto once = data | take(256);
  CHECK(losses_of(run.fit(once, {.epochs = 3})) ==
        losses_of(expected.fit(data | repeated(), {.epochs = 3, .steps_per_epoch = 8})));
}

TEST_CASE("new numbers for the optimizer count from the next update on") {
  const point_set data = labelled_points(256, 1);
  session<trained<net>> run(rates);
  const std::uint64_t before = run.weights().fingerprint();
  run.set_optimizer({.learning_rate = 0.0F, .momentum = 0.0F});
  run.fit(data | repeated(), four_updates);
  CHECK(run.weights().fingerprint() == before);
  run.set_optimizer(rates);
  run.fit(data | repeated(), four_updates);
  CHECK(run.weights().fingerprint() != before);
}

TEST_CASE("numbers that an optimizer cannot use are refused, and the old ones stay") {
  const point_set data = labelled_points(256, 1);
  session<trained<net>> run(rates);
  session<trained<net>> undisturbed(rates);
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  CHECK(sentence_of([&] { run.set_optimizer({.learning_rate = -1.0F}); }) ==
        "the optimizer: expected a learning_rate of at least 0, got -1");
  CHECK(sentence_of([&] { run.set_optimizer({.learning_rate = not_a_number}); }) ==
        "the optimizer: expected a finite learning_rate, got not a number");
  CHECK(sentence_of([&] {
          run.set_optimizer({.learning_rate = std::numeric_limits<float>::infinity()});
        }) == "the optimizer: expected a finite learning_rate, got infinity");
  CHECK(sentence_of([&] { run.set_optimizer({.momentum = 2.0F}); }) ==
        "the optimizer: expected a momentum of 0 to 1, got 2");
  run.fit(data | repeated(), four_updates);
  undisturbed.fit(data | repeated(), four_updates);
  CHECK(run.weights().fingerprint() == undisturbed.weights().fingerprint());
}

TEST_CASE("a parameter that there is not is refused") {
  session<trained<net>> run(rates);
  std::vector<float> values(3);
  CHECK(sentence_of([&] { run.weights().get(99, values); }) ==
        "There is no parameter 99; there are 4, counted from 0.");
}

namespace {

struct dropout_net
    : model<input<8>, pipeline<stage<Dense<8, relu>, Dropout<0.5F>>, stage<Dense<3>>>> {};

}  // namespace

TEST_CASE("every update drops other elements, and evaluation none") {
  const point_set data = labelled_points(128, 1);
  session<trained<dropout_net>> run({.learning_rate = 0});
  session<trained<net>> without({.learning_rate = 0});
  const double first = run.train_step(data.features(), data.labels());
  const double second = run.train_step(data.features(), data.labels());
  CHECK(first != second);
  CHECK(run.evaluate(data).loss == without.evaluate(data).loss);
  session<trained<dropout_net>> again({.learning_rate = 0});
  CHECK(again.train_step(data.features(), data.labels()) == first);
  CHECK(again.train_step(data.features(), data.labels()) == second);
}

TEST_CASE("what a training step cannot use is refused before anything changes") {
  const point_set data = labelled_points(256, 1);
  session<trained<net>> run(rates);
  CHECK(refusal(run, [&] {
          run.train_step(features_of(data, 0, 127), data.labels().first(127));
        }) == "An update takes 128 samples, got 127.");
  CHECK(refusal(run, [&] {
          run.train_step(features_of(data, 0, 129), data.labels().first(129));
        }) == "An update takes 128 samples, got 129.");
  CHECK(refusal(run, [&] {
          run.train_step(features_of(data, 0, 128), data.labels().first(127));
        }) == "A batch of 128 samples got 127 labels.");
  CHECK(refusal(run, [&] {
          run.train_step(features_of(data, 0, 128).first(1'023), data.labels().first(128));
        }) == "A batch of 1023 values does not divide into samples of 8.");
  std::vector<std::int32_t> labels(data.labels().begin(), data.labels().begin() + 128);
  for (const std::int32_t wrong : {3, -1}) {
    labels[100] = wrong;
    CHECK(refusal(run, [&] { run.train_step(features_of(data, 0, 128), labels); }) ==
          "A batch has the label " + std::to_string(wrong) + " in sample 100; expected 0 to 2.");
  }
}

TEST_CASE("a training step reads features as they are, or refuses infinities and NaN") {
  const point_set data = labelled_points(128, 1);
  std::vector<float> features(data.features().begin(), data.features().end());
  session<trained<net>> run(rates);
  features[8 * 100 + 3] = std::numeric_limits<float>::quiet_NaN();
  CHECK(refusal(run, [&] { run.train_step(features, data.labels(), non_finite::refused); }) ==
        "Value 3 of sample 100 is nan; expected finite numbers. Hint: non_finite::kept behind the "
        "labels keeps it.");
  features[0] = -std::numeric_limits<float>::infinity();
  CHECK(refusal(run, [&] { run.train_step(features, data.labels(), non_finite::refused); }) ==
        "Value 0 of sample 0 is -inf; expected finite numbers. Hint: non_finite::kept behind the "
        "labels keeps it.");
  CHECK(std::isnan(run.train_step(features, data.labels())));
}

TEST_CASE("a prediction from NaN is that of its own sample alone") {
  const point_set data = labelled_points(128, 1);
  std::vector<float> features(data.features().begin(), data.features().end());
  session<trained<net>> run(rates);
  std::vector<float> expected(3 * 128);
  run.predict(features, expected);
  features[8 * 100 + 3] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> outputs(3 * 128);
  run.predict(features, outputs);
  const auto changed = outputs.begin() + 3 * 100;
  CHECK(std::isnan(*changed));
  CHECK(std::equal(outputs.begin(), changed, expected.begin()));
  CHECK(std::equal(changed + 3, outputs.end(), expected.begin() + 3 * 101));
}

TEST_CASE("feeds that do not fit the model are refused before anything changes") {
  const point_set data = labelled_points(512, 1);
  session<trained<net>> run(rates);
  batch_feed of_sixteen({data.features(), 16}, {data.labels().first(256), 1, 3});
  const std::string shape = "A sample of the model's input (8) has 8 values, the data's has 16.";
  CHECK(refusal(run, [&] { run.fit(of_sixteen, {}); }) == shape);
  CHECK(refusal(run, [&] { run.evaluate(of_sixteen); }) == shape);
  batch_feed of_four_classes({data.features(), 8}, {data.labels(), 1, 4});
  const std::string classes = "The model knows 3 classes of its target, that of the data has 4.";
  CHECK(refusal(run, [&] { run.fit(of_four_classes, {}); }) == classes);
  CHECK(refusal(run, [&] { run.evaluate(of_four_classes); }) == classes);
  CHECK(refusal(run, [&] { run.fit(data | repeated(), {.epochs = 0, .steps_per_epoch = 8}); }) ==
        "fit needs at least 1 epoch, got 0.");
  CHECK(refusal(run, [&] { run.fit(data | repeated(), {}); }) ==
        "Data without an end have no length of an epoch: say steps_per_epoch.");
  CHECK(refusal(run, [&] { run.fit(data | take(127), {.steps_per_epoch = 4}); }) ==
        "The data have 127 samples, 1 epoch of 4 steps of 32 samples need 128. Repeat the data: "
        "data | repeated().");
  auto endless = make_feed(data | repeated(), 1);
  CHECK(refusal(run, [&] { run.evaluate(endless); }) ==
        "evaluate needs data with an end; these have none, as behind repeated() and of "
        "from_generator without a count of samples.");
  batch_feed empty({std::span<const float>(), 8}, {std::span<const std::int32_t>(), 1, 3});
  CHECK(refusal(run, [&] { run.evaluate(empty); }) ==
        "evaluate got no samples; expected at least 1.");
  CHECK(refusal(run, [&] { run.fit(empty, {}); }) == "fit got no samples; expected at least 1.");
  const point_set none;
  CHECK(refusal(run, [&] { run.fit(none | repeated(), {.steps_per_epoch = 4}); }) ==
        "fit got no samples; expected at least 1.");
}

TEST_CASE("data that run out end training before the update") {
  const point_set data = labelled_points(256, 1);
  session<trained<net>> run(rates);
  session<trained<net>> expected(rates);
  auto source = make_feed(data, 1);
  run.fit(source, {.steps_per_epoch = 4});
  expected.fit(data | repeated(), {.steps_per_epoch = 8});
  // The feed is half read: what it says of its length has become wrong.
  CHECK(sentence_of([&] { run.fit(source, {.steps_per_epoch = 8}); }) ==
        "The data ran out while training: a micro-batch has 32 samples, got 0. Repeat the data or "
        "ask for fewer steps.");
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
}

namespace {

/// Points whose labels are wrong from one micro-batch on: a feed promises what it cannot keep.
struct mislabelled_feed {
  dataset_feed<point_set> source;
  int wrong_from;
  std::int32_t wrong;
  int given = 0;

  std::int32_t next(const feed_rows& rows) {
    const std::int32_t valid = source.next(rows);
    if (given >= wrong_from && valid > 0) {
      rows.sources[1].integers(0)[0] = wrong;
    }
    ++given;
    return valid;
  }

  void restart() { source.restart(); }

  std::span<const source_form> sources() const { return source.sources(); }

  std::optional<std::int64_t> length() const { return source.length(); }
};

}  // namespace

TEST_CASE("a label that is no class ends training before the update") {
  const point_set data = labelled_points(256, 1);
  for (const std::int32_t wrong : {3, -1, 1'000'000}) {
    session<trained<net>> run(rates, {.threads = 2, .shared_from = 0});
    session<trained<net>> expected(rates);
    expected.fit(data | repeated(), {.steps_per_epoch = 4});
    mislabelled_feed source{.source = make_feed(data, 1), .wrong_from = 6, .wrong = wrong};
    const std::string said =
        "The data have the label " + std::to_string(wrong) + "; expected 0 to 2.";
    CHECK(sentence_of([&] { run.fit(source, {.steps_per_epoch = 8}); }) == said);
    CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
    mislabelled_feed evaluated{.source = make_feed(data, 1), .wrong_from = 0, .wrong = wrong};
    CHECK(refusal(run, [&] { run.evaluate(evaluated); }) == said);
  }
}

TEST_CASE("predictions into too little or too much room are refused before anything is written") {
  const point_set data = labelled_points(40, 1);
  session<trained<net>> run(rates);
  for (const std::size_t room : std::vector<std::size_t>{119, 121}) {
    std::vector<float> outputs(room, 7.0F);
    CHECK(refusal(run, [&] { run.predict(data.features(), outputs); }) ==
          "predict of 40 samples writes 120 values, got room for " + std::to_string(room) + ".");
    CHECK(outputs == std::vector<float>(room, 7.0F));
  }
  std::vector<float> outputs(120);
  CHECK(refusal(run, [&] { run.predict(data.features().first(319), outputs); }) ==
        "A batch of 319 values does not divide into samples of 8.");
  const tensor_view<const float, 2> batch{data.features(), {39, 8}};
  CHECK(refusal(run, [&] { run.predict(batch, outputs); }) ==
        "A batch of 39 samples has 312 values, got 320.");
}

TEST_CASE("a prediction may lie over its samples, and not over those to come") {
  struct same : model<input<8>, sequential<Dense<8>>> {};

  session<compile<same, micro_batch<4>>> run;
  std::vector<float> ring(10 * 8);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    ring[i] = uniform_unit(random_word(1, 0, i));
  }
  const std::vector<float> before = ring;
  std::vector<float> expected(9 * 8);
  const std::span<const float> samples = std::span(before).first(9 * 8);
  run.predict(samples, expected);
  CHECK(
      sentence_of([&] { run.predict(std::span(ring).first(9 * 8), std::span(ring).subspan(8)); }) ==
      "predict would write results over samples that it has yet to read. Hint: give it an output "
      "of its own, or one that begins where the samples do and is no longer");
  CHECK(ring == before);
  const std::span<float> here = std::span(ring).first(9 * 8);
  run.predict(here, here);
  CHECK(std::ranges::equal(here, expected));
}

TEST_CASE("a view of numbers that can be written to is read as any other") {
  const point_set data = labelled_points(40, 1);
  session<trained<net>> run(rates);
  std::vector<float> read(data.features().begin(), data.features().end());
  std::vector<float> expected(120);
  std::vector<float> outputs(120);
  run.predict(data.features(), expected);
  run.predict(tensor_view<float, 2>{read, {40, 8}}, outputs);
  CHECK(outputs == expected);
}

TEST_CASE("a session has at least one worker, and as many for each device") {
  CHECK(sentence_of([] { session<trained<net>>(rates, {.threads = 0}); }) ==
        "A session needs at least 1 thread, got 0.");
  CHECK(sentence_of([] { session<trained<net>>(rates, {.threads = -3}); }) ==
        "A session needs at least 1 thread, got -3.");
  CHECK(sentence_of([] { session<trained<net>>(rates, {.shared_from = -1}); }) ==
        "Workers share calls from 0 operations or more, got -1.");
  CHECK(sentence_of([] {
          session<trained<net>>(rates, {.threads = 2, .shared_from = 0, .pinned = {{0}}});
        }) == "Pinning takes one processor for each of 2 workers, got 1.");
  const point_set data = labelled_points(128, 1);
  session<trained<net>> run(rates, {.threads = 7, .shared_from = 0, .trace = true});
  run.fit(data | repeated(), {.steps_per_epoch = 4});
  CHECK(run.last_trace().workers() == 6);
}

TEST_CASE("a model without a loss predicts and does not train") {
  const point_set data = labelled_points(128, 1);
  session<predicting> run;
  CHECK(refusal(run, [&] { run.last_trace(); }) ==
        "A model that was compiled without a loss has no training run to trace.");

  session<trained<net>> with_loss;
  std::vector<float> outputs(3 * 128);
  std::vector<float> expected(3 * 128);
  run.predict(data.features(), outputs);
  with_loss.predict(data.features(), expected);
  CHECK(outputs == expected);
}
