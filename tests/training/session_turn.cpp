// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct net : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct trained : compile<net, micro_batch<8>, gradient_accumulation<4>,
                         loss<sparse_categorical_crossentropy>> {};

constexpr fit_options one_update{.steps_per_epoch = 4};

std::string refusal(const char* wanted, const char* before) {
  return std::string("A session does one thing at a time: it was asked to ") + wanted +
         " while it had to " + before +
         ", by its own feed or callback, or by another thread. Hint: use a session for each.";
}

/// Points in order, and something to do before a micro-batch.
template <typename Before>
class busy_feed {
 public:
  busy_feed(const point_set& data, Before before) : source_(make_feed(data, 1)), before_(before) {}

  std::int32_t next(const feed_rows& rows) {
    before_();
    return source_.next(rows);
  }

  void restart() { source_.restart(); }

  std::span<const source_form> sources() const { return source_.sources(); }

  std::optional<std::int64_t> length() const { return source_.length(); }

 private:
  dataset_feed<point_set> source_;
  Before before_;
};

/// Does something behind every update.
template <typename Does>
struct behind_updates {
  Does does;

  auto on_update_end() { return does(); }
};

/// Does something behind an evaluation.
template <typename Does>
struct behind_test {
  Does does;

  void on_test_end() { does(); }
};

}  // namespace

TEST_CASE("a feed that calls its own session is refused, and the session goes on") {
  const point_set data = labelled_points(32, 1);
  const std::vector<float> one(8, 0.5F);
  std::vector<float> output(3);
  for (const int threads : {1, 2}) {
    session<trained> run({}, {.threads = threads, .shared_from = 0});
    session<trained> expected;
    const std::uint64_t before = run.weights().fingerprint();
    const double loss = run.evaluate(data).loss;

    busy_feed predicts(data, [&] { run.predict(one, output); });
    CHECK(sentence_of([&] { run.fit(predicts, one_update); }) == refusal("predict", "fit"));
    CHECK(sentence_of([&] { run.evaluate(predicts); }) == refusal("predict", "evaluate"));
    busy_feed evaluates(data, [&] { run.evaluate(data); });
    CHECK(sentence_of([&] { run.fit(evaluates, one_update); }) == refusal("evaluate", "fit"));
    busy_feed trains(data, [&] { run.train_step(data.features(), data.labels()); });
    CHECK(sentence_of([&] { run.evaluate(trains); }) == refusal("train_step", "evaluate"));
    busy_feed fits(data, [&] { run.fit(data, one_update); });
    CHECK(sentence_of([&] { run.fit(fits, one_update); }) == refusal("fit", "fit"));

    CHECK(run.weights().fingerprint() == before);
    CHECK(run.evaluate(data).loss == loss);
    run.fit(data, one_update);
    expected.fit(data, one_update);
    CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
  }
}

TEST_CASE("a feed may call another session") {
  const point_set data = labelled_points(32, 1);
  session<trained> other;
  session<trained> run;
  double loss = 0;
  busy_feed evaluates(data, [&] { loss = other.evaluate(data).loss; });
  run.fit(evaluates, one_update);
  CHECK(loss > 0);
}

TEST_CASE("a callback may evaluate and predict with its session, but not begin another fit") {
  const point_set data = labelled_points(32, 1);
  session<trained> run;
  session<trained> expected;
  std::vector<double> losses;
  const fit_options two_epochs{.epochs = 2, .steps_per_epoch = 4};
  run.fit(data | repeated(), two_epochs,
          [&](const epoch_record&) { losses.push_back(run.evaluate(data).loss); });
  expected.fit(data | repeated(), two_epochs);
  CHECK(losses.size() == 2);
  CHECK(losses.back() == expected.evaluate(data).loss);
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
  CHECK(sentence_of([&] {
          run.fit(data, one_update, [&](const epoch_record&) { run.fit(data, one_update); });
        }) == refusal("fit", "fit"));
  CHECK(run.evaluate(data).samples == 32);
}

TEST_CASE("a callback may not train its session, nor one of an evaluation begin a fit") {
  const point_set data = labelled_points(32, 1);
  session<trained> run;
  session<trained> expected;
  int refused = 0;
  const auto trains = [&] { run.train_step(data.features(), data.labels()); };
  run.fit(data | repeated(), {.epochs = 2, .steps_per_epoch = 8}, behind_updates{[&] {
            refused += sentence_of(trains) == refusal("train_step", "fit") ? 1 : 0;
          }});
  CHECK(refused == 4);
  const history& passed = expected.fit(data | repeated(), {.epochs = 2, .steps_per_epoch = 8});
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
  CHECK(sentence_of([&] {
          expected.evaluate(data, behind_test{[&] { expected.fit(data, one_update); }});
        }) == refusal("fit", "evaluate"));
  CHECK(passed.epochs().size() == 2);
  trains();
  CHECK(run.weights().fingerprint() != expected.weights().fingerprint());
}

TEST_CASE("training is loaded between runs and at the beginning of a fit, nowhere else") {
  const char* const path = "session_turn.npz";
  const point_set data = labelled_points(32, 1);
  session<trained> run;
  run.fit(data | repeated(), one_update);
  run.save_training(path);
  const std::uint64_t saved = run.weights().fingerprint();
  std::vector<std::string> said;
  const auto loads = [&] { said.push_back(sentence_of([&] { run.load_training(path); })); };
  run.fit(
      data | repeated(), one_update, behind_updates{loads}, behind_test{loads},
      [&](const epoch_record&) { loads(); }, validation_data(data));
  CHECK(run.weights().fingerprint() != saved);
  CHECK(run.evaluate(data, behind_test{loads}).samples == 32);
  const std::string within =
      "load_training was called within a fit, which goes on in its own epoch and its own data. "
      "Hint: call it before a fit with .resume = true, or in on_train_begin; load and weights() "
      "change the weights alone.";
  const std::string evaluating = refusal("load_training", "evaluate");
  CHECK(said == std::vector<std::string>{within, evaluating, within, evaluating});
  busy_feed loads_amid(data, loads);
  run.evaluate(loads_amid);
  CHECK(said.back() == evaluating);
  run.load_training(path);
  CHECK(run.weights().fingerprint() == saved);
  std::remove(path);
}

TEST_CASE("a callback may give its session's optimizer other numbers, from the next update on") {
  const point_set data = labelled_points(32, 1);
  session<trained> run;
  session<trained> expected;
  const auto rests = [&] { run.set_optimizer({.learning_rate = 0.0F}); };
  run.fit(data | repeated(), {.epochs = 2, .steps_per_epoch = 8}, behind_updates{rests});
  expected.fit(data | repeated(), one_update);
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
}

TEST_CASE("a fit of another thread is refused while a session trains") {
  const point_set data = labelled_points(32, 1);
  session<trained> run;
  std::atomic<bool> training = false;
  std::atomic<bool> done = false;
  std::string said;
  std::thread other([&] {
    while (!training.load(std::memory_order_relaxed)) {
    }
    // Data, of which a feed is made that goes on behind the last fit.
    said = sentence_of([&] { run.fit(data, one_update); });
    done.store(true, std::memory_order_relaxed);
  });
  // Goes on until the other was refused, as often as it takes.
  run.fit(data | repeated(), {.epochs = 1'000'000, .steps_per_epoch = 4}, behind_updates{[&] {
            training.store(true, std::memory_order_relaxed);
            return done.load(std::memory_order_relaxed) ? stop_request::yes : stop_request::no;
          }});
  other.join();
  CHECK(said == refusal("fit", "fit"));
}

TEST_CASE("what another thread asks of a session that is at work is refused") {
  const point_set data = labelled_points(32, 1);
  session<trained> run({}, {.threads = 2, .shared_from = 0});
  std::string said;
  int micro_batches = 0;
  busy_feed asks(data, [&] {
    if (micro_batches++ == 2) {
      std::thread([&] { said = sentence_of([&] { run.evaluate(data); }); }).join();
    }
  });
  run.fit(asks, one_update);
  CHECK(said == refusal("evaluate", "fit"));
  CHECK(micro_batches == 4);
}

TEST_CASE("threads that share a session are served or refused, and it stays whole") {
  const point_set data = labelled_points(32, 1);
  session<trained> run;
  const double expected = run.evaluate(data).loss;
  std::atomic<int> served{0};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        try {
          served += run.evaluate(data).loss == expected ? 1 : 0;
        } catch (const error&) {
          ++refused;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(served > 0);
  CHECK(served + refused == 600);
  CHECK(run.evaluate(data).loss == expected);
}

TEST_CASE("a session that was moved from refuses its calls, and the one moved to goes on") {
  const point_set data = labelled_points(64, 1);
  session<trained> run;
  session<trained> taken(std::move(run));
  const std::string gone = "This session was moved from: it has neither weights nor workers.";
  CHECK(sentence_of([&] { run.evaluate(data); }) == gone);
  CHECK(sentence_of([&] { run.fit(data, one_update); }) == gone);
  CHECK(sentence_of([&] { run.weights(); }) == gone);
  CHECK(taken.evaluate(data).samples == 64);
}
