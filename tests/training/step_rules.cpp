// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>
#include <ipu_dsl/training/checked_feed.hpp>
#include <ipu_dsl/training/step_rules.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct net : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct trained : compile<net, micro_batch<32>, gradient_accumulation<4>,
                         loss<sparse_categorical_crossentropy>> {};

struct predicting : compile<net> {};

template <compiled_model C>
epoch_steps steps_for(feed_reference source, const fit_options& wanted) {
  using compiled = typename C::compiled;
  return steps_of_epoch(interface_of(planned_graph_of<compiled>.view()), compiled::settings, source,
                        wanted);
}

/// What is said of a wish for steps from so many samples; "" if it is granted.
std::string refusal(std::int64_t samples, const fit_options& wanted) {
  const point_set data = labelled_points(samples, 1);
  auto source = make_feed(data, 1);
  return sentence_of([&] { steps_for<trained>(source, wanted); });
}

/// The same of data without an end.
std::string refusal_of_endless(const fit_options& wanted) {
  const point_set data = labelled_points(10, 1);
  auto source = make_feed(data | repeated(), 1);
  return sentence_of([&] { steps_for<trained>(source, wanted); });
}

}  // namespace

TEST_CASE("an epoch has the steps asked for, or those of one pass over the data") {
  const point_set data = labelled_points(287, 1);
  auto finite = make_feed(data, 1);
  auto endless = make_feed(data | repeated(), 1);
  CHECK(steps_for<trained>(finite, {}).steps == 8);
  CHECK(steps_for<trained>(endless, {.epochs = 3, .steps_per_epoch = 20}).steps == 20);
  CHECK(steps_for<trained>(finite, {.epochs = 2, .steps_per_epoch = 4}).steps == 4);
}

TEST_CASE("passes begin the data anew, however many there are") {
  CHECK(refusal(256, {.epochs = 100}).empty());
  CHECK(refusal(256, {.epochs = 1, .steps_per_epoch = 8}).empty());
}

TEST_CASE("epochs and steps are at least one") {
  CHECK(refusal(256, {.epochs = 0}) == "fit needs at least 1 epoch, got 0.");
  CHECK(refusal(256, {.epochs = -2}) == "fit needs at least 1 epoch, got -2.");
  CHECK(refusal(256, {.steps_per_epoch = -4}) ==
        "An epoch needs at least 1 step, or 0 for a pass over the data, got -4.");
  CHECK(refusal(256, {.steps_per_epoch = 8, .steps_per_execution = -4}) ==
        "steps_per_execution is a number of steps of at least 1, got -4.");
}

TEST_CASE("an epoch holds whole updates") {
  const std::string end = " micro-batches that make an update (gradient_accumulation).";
  CHECK(refusal_of_endless({.steps_per_epoch = 10}) ==
        "An epoch of 10 steps is no multiple of the 4" + end + " Use 8 or 12 steps.");
  CHECK(refusal_of_endless({.steps_per_epoch = 3}) ==
        "An epoch of 3 steps is no multiple of the 4" + end + " Use 4 steps.");
  CHECK(refusal(192, {}) == "One pass over 192 samples is 6 steps, no multiple of the 4" + end +
                                " Say steps_per_epoch = 4.");
  CHECK(refusal(96, {}) == "One pass over 96 samples is 3 steps, no multiple of the 4" + end +
                               " Repeat the data, and say steps_per_epoch = 4.");
  CHECK(refusal(32, {}) == "One pass over 32 samples is 1 step, no multiple of the 4" + end +
                               " Repeat the data, and say steps_per_epoch = 4.");
}

TEST_CASE("steps that are updates are told as updates") {
  constexpr step_unit update = step_unit::update;
  CHECK(refusal_of_endless({.steps_per_epoch = 3, .steps_per_execution = 2, .step = update}) ==
        "An epoch of 3 steps does not divide into executions of 2 steps. Use 1 or 3 steps.");
  CHECK(refusal_of_endless({.steps_per_epoch = -1, .step = update}) ==
        "An epoch needs at least 1 step, or 0 for a pass over the data, got -1.");
  CHECK(
      refusal(192, {.step = update}) ==
      "One pass over 192 samples is 6 micro-batches, no multiple of the 4 micro-batches that make "
      "an update (gradient_accumulation). Say steps_per_epoch = 1.");
  CHECK(refusal(256, {.steps_per_epoch = 3, .step = update}) ==
        "The data have 256 samples, 1 epoch of 3 steps of 128 samples need 384. Repeat the data: "
        "data | repeated().");
}

TEST_CASE("executions divide an epoch and hold whole updates") {
  CHECK(refusal_of_endless({.steps_per_epoch = 24, .steps_per_execution = 16}) ==
        "An epoch of 24 steps does not divide into executions of 16 steps. Use 12 or 24 steps.");
  CHECK(refusal_of_endless({.steps_per_epoch = 24, .steps_per_execution = 6}) ==
        "An execution of 6 steps is no multiple of the 4 micro-batches that make an update "
        "(gradient_accumulation). Use 4 or 8 steps.");
  CHECK(refusal_of_endless({.steps_per_epoch = 24, .steps_per_execution = 2}) ==
        "An execution of 2 steps is no multiple of the 4 micro-batches that make an update "
        "(gradient_accumulation). Use 4 steps.");
}

TEST_CASE("an execution longer than an epoch is an epoch") {
  const point_set data = labelled_points(10, 1);
  auto endless = make_feed(data | repeated(), 1);
  const auto execution = [&endless](std::int64_t wanted) {
    return steps_for<trained>(endless, {.steps_per_epoch = 24, .steps_per_execution = wanted})
        .of_execution;
  };
  CHECK(execution(100) == 24);
  CHECK(execution(0) == 24);
  CHECK(execution(8) == 8);
}

TEST_CASE("what is refused is exactly what the rules refuse") {
  int granted = 0;
  int checked = 0;
  for (std::int64_t steps = 1; steps <= 32; ++steps) {
    for (std::int64_t execution = 1; execution <= 40; ++execution) {
      const std::int64_t used = execution < steps ? execution : steps;
      const bool legal = steps % used == 0 && used % 4 == 0;
      const std::string said =
          refusal_of_endless({.steps_per_epoch = steps, .steps_per_execution = execution});
      CHECK(said.empty() == legal);
      granted += legal ? 1 : 0;
      ++checked;
    }
  }
  CHECK(granted > 0);
  CHECK(checked == 1280);
  std::printf("checked %d pairs of steps, %d granted\n", checked, granted);
}

TEST_CASE("data have to be long enough") {
  CHECK(refusal(31, {}) ==
        "The data have 31 samples, a micro-batch has 32: compile with a smaller micro_batch, or "
        "repeat the data and say steps_per_epoch.");
  CHECK(refusal(255, {.epochs = 2, .steps_per_epoch = 4}) ==
        "The data have 255 samples, 2 epochs of 4 steps of 32 samples need 256. Repeat the data: "
        "data | repeated().");
  CHECK(refusal_of_endless({}) ==
        "Data without an end have no length of an epoch: say steps_per_epoch.");
}

TEST_CASE("samples and classes have to fit the model") {
  const std::vector<float> features(56, 0.5F);
  const std::vector<std::int32_t> labels(8, 2);
  batch_feed short_samples({features, 7}, {labels, 1, 3});
  CHECK(sentence_of([&] { steps_for<trained>(short_samples, {}); }) ==
        "A sample of the model's input (8) has 8 values, the data's has 7.");
  const std::vector<std::int32_t> of_seven(7, 2);
  batch_feed many_classes({features, 8}, {of_seven, 1, 4});
  CHECK(sentence_of([&] { steps_for<trained>(many_classes, {}); }) ==
        "The model knows 3 classes of its target, that of the data has 4.");
  const std::vector<float> no_features;
  const std::vector<std::int32_t> no_labels;
  batch_feed no_classes({no_features, 8}, {no_labels, 1, 0});
  CHECK(sentence_of([&] { steps_for<trained>(no_classes, {}); }) ==
        "The model knows 3 classes of its target, the data's source says none. Hint: that of a "
        "feed of one's own is {dtype::int32, 1, 3}.");
  batch_feed unlabelled({features, 8});
  CHECK(sentence_of([&] { steps_for<trained>(unlabelled, {}); }) ==
        "A feed gives 1 source, the model wants 2: its input, then its target.");
  const batch_source inputs[] = {{features, 8}, {features, 8}};
  const batch_source target(of_seven, 1, 3);
  batch_feed of_two_inputs(inputs, {&target, 1});
  CHECK(sentence_of([&] { steps_for<trained>(of_two_inputs, {}); }) ==
        "A feed gives 3 sources, the model wants 2: its input, then its target.");
}

TEST_CASE("a model without a loss does not train") {
  const point_set data = labelled_points(256, 1);
  auto source = make_feed(data, 1);
  CHECK(sentence_of([&] { steps_for<predicting>(source, {}); }) ==
        "This model was compiled without a loss: it can predict, not train or evaluate.");
}

TEST_CASE("only data with an end can be evaluated") {
  const point_set data = labelled_points(10, 1);
  auto endless = make_feed(data | repeated(), 1);
  auto finite = make_feed(data, 1);
  CHECK(sentence_of([&] { require_end(endless, "evaluate"); }) ==
        "evaluate needs data with an end; these have none, as behind repeated() and of "
        "from_generator without a count of samples.");
  CHECK(sentence_of([&] { require_end(finite, "evaluate"); }).empty());
}

TEST_CASE("a batch has the extents of the input") {
  model_interface drawn;
  drawn.sources[0].extents = {4, 6};
  const auto said = [&](std::vector<std::int64_t> extents, std::size_t values) {
    return sentence_of([&] { check_batch(drawn, extents, values); });
  };
  CHECK(said({5, 4, 6}, 120).empty());
  CHECK(said({5, 6, 4}, 120) ==
        "A sample of the model's input is (4, 6), axis 1 of the batch has 6 instead of 4.");
  CHECK(said({5, 4, 7}, 140) ==
        "A sample of the model's input is (4, 6), axis 2 of the batch has 7 instead of 6.");
  CHECK(said({5, 4, 6}, 119) == "A batch of 5 samples has 120 values, got 119.");
}

TEST_CASE("a micro-batch of training is full") {
  const point_set data = labelled_points(10, 1);
  auto source = make_feed(data, 1);
  feed_reference reference(source);
  checked_feed full = checked_feed::of_training(reference);
  std::vector<float> features(64);
  std::vector<std::int32_t> labels(8);
  const source_rows sources[] = {{dtype::float32, features.data(), 8, 8},
                                 {dtype::int32, labels.data(), 1, 1}};
  const feed_rows rows{.sources = sources, .micro_batch = 8};
  CHECK(full.next(rows) == 8);
  CHECK(sentence_of([&] { full.next(rows); }) ==
        "The data ran out while training: a micro-batch has 8 samples, got 2. Repeat the data or "
        "ask for fewer steps.");
  full.restart();
  CHECK(full.next(rows) == 8);
  CHECK(full.length() == 10);
  CHECK(full.sources()[0].elements == 8);
  CHECK(full.sources()[1].classes == 3);
}

TEST_CASE("steps that no number can count are refused") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t large = std::int64_t{1} << 60;
  const std::string end = " samples are more samples than 64 bits can count.";
  CHECK(refusal_of_endless({.steps_per_epoch = large}) ==
        "1 epoch of 1152921504606846976 steps of 32" + end);
  // 2^31 x 2^28 x 2^5 is 2^64, which wraps to 0: fewer than any data have.
  CHECK(refusal(256, {.epochs = 2'147'483'647, .steps_per_epoch = std::int64_t{1} << 28}) ==
        "2147483647 epochs of 268435456 steps of 32" + end);
  CHECK(refusal(256, {.epochs = 64, .steps_per_epoch = std::int64_t{1} << 53}) ==
        "64 epochs of 9007199254740992 steps of 32" + end);
  CHECK(refusal_of_endless({.steps_per_epoch = most}) ==
        "An epoch of 9223372036854775807 steps is no multiple of the 4 micro-batches that make an "
        "update (gradient_accumulation). Use 9223372036854775804 steps.");
}

TEST_CASE("steps to use instead are found at once, however many there are") {
  const auto begin = std::chrono::steady_clock::now();
  constexpr std::int64_t large = std::int64_t{1} << 57;
  CHECK(refusal_of_endless({.steps_per_epoch = large, .steps_per_execution = 5'000}) ==
        "An epoch of 144115188075855872 steps does not divide into executions of 5000 steps. Use "
        "4096 or 8192 steps.");
  // 4 x 1,000,000,007: updates come one by one or all together.
  CHECK(refusal_of_endless({.steps_per_epoch = 4'000'000'028, .steps_per_execution = 40}) ==
        "An epoch of 4000000028 steps does not divide into executions of 40 steps. Use 4 or "
        "4000000028 steps.");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("a batch view with more values than can be counted is refused") {
  model_interface drawn;
  drawn.sources[0].extents = {4, 6};
  const auto said = [&](std::vector<std::int64_t> extents, std::size_t values) {
    return sentence_of([&] { check_batch(drawn, extents, values); });
  };
  // 2^61 x 24 wraps to 0.
  CHECK(said({std::int64_t{1} << 61, 4, 6}, 0) ==
        "A batch of 2305843009213693952 samples (4, 6) has more values than 64 bits can count.");
  CHECK(said({-1, 4, 6}, 0) == "A batch has 0 samples or more, got -1.");
  CHECK(said({0, 4, 6}, 0).empty());
}
