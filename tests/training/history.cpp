// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/training/history.hpp>
#include <ipu_dsl/training/session.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"
#include "support/sanitized.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct net : model<input<8>, sequential<Dense<3>>> {};

template <typename Reduction>
struct trained : compile<net, micro_batch<8>, gradient_accumulation<4>, Reduction,
                         loss<sparse_categorical_crossentropy>, metrics<accuracy>> {};

/// The epochs' means are those of their losses. Returns how many losses there were.
template <compiled_model C>
int check_means(const point_set& data) {
  session<C> run({.learning_rate = 0.1F});
  const history& done = run.fit(data | repeated(), {.epochs = 3, .steps_per_epoch = 20});
  REQUIRE(done.epochs().size() == 3);
  REQUIRE(done.losses().size() == 60);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    double sum = 0;
    for (const float loss : done.losses().subspan(20 * epoch, 20)) {
      sum += static_cast<double>(loss);
    }
    const epoch_record& record = done.epochs()[epoch];
    CHECK(record.epoch == static_cast<int>(epoch));
    CHECK(record.loss == Approx(sum / 20).epsilon(1e-7));
    CHECK(record.samples == 160);
    CHECK(record.seconds > 0);
    CHECK(record.metrics["accuracy"] >= 0);
    CHECK(record.metrics["accuracy"] <= 1);
  }
  CHECK(done.epochs()[2].loss < done.epochs()[0].loss);
  return static_cast<int>(done.losses().size());
}

}  // namespace

TEST_CASE("a history keeps what it is given and forgets it when told") {
  history kept;
  CHECK(kept.epochs().empty());
  CHECK(kept.losses().empty());
  kept.reserve(2, 3);
  kept.add_loss(1.5F);
  const float* const memory = kept.losses().data();
  kept.add_loss(0.5F);
  epoch_record seventh;
  seventh.epoch = 7;
  seventh.loss = 1.0;
  kept.add_epoch(seventh);
  REQUIRE(kept.losses().size() == 2);
  CHECK(kept.losses()[1] == 0.5F);
  REQUIRE(kept.epochs().size() == 1);
  CHECK(kept.epochs()[0].epoch == 7);
  kept.clear();
  CHECK(kept.losses().empty());
  kept.add_loss(2.0F);
  CHECK(kept.losses().data() == memory);
}

TEST_CASE("epochs report the means of their micro-batches") {
  const point_set data = labelled_points(96, 1);
  int losses = check_means<trained<sum_gradients>>(data);
  losses += check_means<trained<mean_gradients>>(data);
  CHECK(losses == 120);
  std::printf("checked %d losses\n", losses);
}

TEST_CASE("the loss of a micro-batch does not depend on how gradients are reduced") {
  const point_set data = labelled_points(96, 1);
  session<trained<sum_gradients>> sum({.learning_rate = 0.025F});
  session<trained<mean_gradients>> mean({.learning_rate = 0.1F});
  const auto of_sum = sum.fit(data | repeated(), {.steps_per_epoch = 40}).losses();
  const auto of_mean = mean.fit(data | repeated(), {.steps_per_epoch = 40}).losses();
  REQUIRE(of_sum.size() == of_mean.size());
  int compared = 0;
  for (std::size_t i = 0; i < of_sum.size(); ++i) {
    CHECK(of_sum[i] == Approx(of_mean[i]).epsilon(1e-5));
    ++compared;
  }
  CHECK(compared == 40);
}

TEST_CASE("a callback sees every epoch as the history keeps it") {
  const point_set data = labelled_points(96, 1);
  session<trained<sum_gradients>> run;
  std::vector<epoch_record> seen;
  const history& done = run.fit(data | repeated(), {.epochs = 5, .steps_per_epoch = 4},
                                [&seen](const epoch_record& record) { seen.push_back(record); });
  REQUIRE(seen.size() == 5);
  CHECK(std::equal(seen.begin(), seen.end(), done.epochs().begin(),
                   [](const epoch_record& left, const epoch_record& right) {
                     return left.epoch == right.epoch && left.loss == right.loss;
                   }));
}

TEST_CASE("an epoch has what its fit reports, and of a validation what that found") {
  const point_set data = labelled_points(96, 1);
  session<trained<sum_gradients>> run;
  const epoch_record alone = run.fit(data | repeated(), {.steps_per_epoch = 4}).epochs()[0];
  CHECK((alone.has("loss") && alone.has("accuracy")));
  CHECK(!(alone.has("val_loss") || alone.has("nonsense") || alone.has("val_nonsense")));
  const epoch_record validated =
      run.fit(data | repeated(), {.steps_per_epoch = 4}, validation_data(data)).epochs()[0];
  CHECK((validated.has("val_loss") && validated.has("val_accuracy")));
  CHECK(!(validated.has("nonsense") || validated.has("val_nonsense")));
}

TEST_CASE("a callback that hears of executions is called after each of them") {
  struct listener {
    std::vector<execution_record>* executions;
    int* epochs;

    void on_train_batch_end(const execution_record& record) const { executions->push_back(record); }

    void on_epoch_end() const { ++*epochs; }
  };

  const point_set data = labelled_points(96, 1);
  session<trained<sum_gradients>> run;
  std::vector<execution_record> executions;
  int epochs = 0;
  const fit_options wanted{.epochs = 2, .steps_per_epoch = 96, .steps_per_execution = 16};
  const auto losses = run.fit(data | repeated(), wanted, listener{&executions, &epochs}).losses();
  CHECK(epochs == 2);
  REQUIRE(executions.size() == 12);
  for (std::size_t i = 0; i < executions.size(); ++i) {
    double sum = 0;
    for (const float loss : losses.subspan(16 * i, 16)) {
      sum += static_cast<double>(loss);
    }
    CHECK(executions[i].epoch == static_cast<int>(i / 6));
    CHECK(executions[i].steps == static_cast<int>(i % 6 + 1) * 16);
    CHECK(executions[i].loss == Approx(sum / 16).epsilon(1e-7));
  }
}

TEST_CASE("fits that stay within the reserve share its memory") {
  const point_set data = labelled_points(96, 1);
  session<trained<sum_gradients>> run({}, {.history_epochs = 4, .history_micro_batches = 80});
  const history& first = run.fit(data | repeated(), {.epochs = 1, .steps_per_epoch = 8});
  const float* const losses = first.losses().data();
  const epoch_record* const epochs = first.epochs().data();
  const history& second = run.fit(data | repeated(), {.epochs = 4, .steps_per_epoch = 20});
  CHECK(&second == &first);
  CHECK(second.losses().size() == 80);
  CHECK(second.losses().data() == losses);
  CHECK(second.epochs().data() == epochs);
  CHECK(run.fit(data | repeated(), {.epochs = 5, .steps_per_epoch = 20}).losses().size() == 100);
}

TEST_CASE("as many epochs as there can be are begun at once, and memory is taken by the epoch") {
  struct enough {};

  const point_set data = labelled_points(96, 1);
  session<trained<sum_gradients>> run({}, {.history_epochs = 1, .history_micro_batches = 4});
  const fit_options endless{.epochs = 2'147'483'647, .steps_per_epoch = 4};
  int epochs = 0;
  CHECK_THROWS_AS(run.fit(data | repeated(), endless,
                          [&](const epoch_record&) {
                            if (++epochs == 40) {
                              throw enough{};
                            }
                          }),
                  enough);
  CHECK(epochs == 40);
  CHECK(run.fit(data | repeated(), {.epochs = 2, .steps_per_epoch = 4}).losses().size() == 8);
}

TEST_CASE("a history grows by doubling, and not within an epoch") {
  history grown;
  int moves = 0;
  int within = 0;
  for (int epoch = 0; epoch < 1'000; ++epoch) {
    const float* const before = grown.losses().data();
    grown.reserve_epoch(16);
    const float* const begun = grown.losses().data();
    for (int step = 0; step < 16; ++step) {
      grown.add_loss(static_cast<float>(step));
    }
    epoch_record record;
    record.epoch = epoch;
    grown.add_epoch(record);
    moves += begun != before ? 1 : 0;
    within += grown.losses().data() != begun ? 1 : 0;
  }
  CHECK(grown.losses().size() == 16'000);
  CHECK(grown.epochs().size() == 1'000);
  CHECK(within == 0);
  CHECK(moves <= 11);
}

// A sanitizer ends a program that asks for so much.
#if !IPU_DSL_SANITIZED

TEST_CASE("an epoch with more losses than memory is refused before anything is changed") {
  const point_set data = labelled_points(96, 1);
  session<trained<sum_gradients>> run;
  const std::uint64_t weights = run.weights().fingerprint();
  const history& kept = run.fit(data | repeated(), {.steps_per_epoch = 4});
  const std::uint64_t before = run.weights().fingerprint();
  CHECK(before != weights);
  CHECK(sentence_of(
            [&] { run.fit(data | repeated(), {.steps_per_epoch = std::int64_t{1} << 58}); }) ==
        "There is no memory for a history of 1 epoch and 288230376151711744 losses, one a step.");
  CHECK(run.weights().fingerprint() == before);
  CHECK(kept.losses().size() == 4);
  const session_options large{.history_micro_batches = std::size_t{1} << 62};
  CHECK(sentence_of([&] { session<trained<sum_gradients>>({}, large); }) ==
        "There is no memory for a history of 1024 epochs and 4611686018427387904 losses, one a "
        "step.");
}

#endif
