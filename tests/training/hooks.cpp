// SPDX-License-Identifier: MIT
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ipu_dsl/training/callbacks/asynchronous.hpp>
#include <ipu_dsl/training/hooks.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct net : model<input<8>, sequential<Dense<8, relu>, Dense<3>>> {};

struct trained : compile<net, micro_batch<8>, gradient_accumulation<2>, replicas<2>,
                         loss<sparse_categorical_crossentropy>, metrics<accuracy, confusion_matrix>,
                         optimizer<sgd<momentum>>> {};

/// Every hook that there is, noted by its name.
struct scribe {
  std::vector<std::string>* heard;

  void note(const std::string& words) const { heard->push_back(words); }

  void on_train_begin() const { note("train_begin"); }

  void on_train_end() const { note("train_end"); }

  void on_train_failed() const { note("train_failed"); }

  void on_epoch_begin(std::int32_t epoch) const { note("epoch_begin " + std::to_string(epoch)); }

  void on_epoch_end(const epoch_record& record) const {
    note("epoch_end " + std::to_string(record.epoch));
  }

  void on_train_batch_begin(const execution_record& record) const {
    note("train_batch_begin " + std::to_string(record.steps));
  }

  void on_train_batch_end(const execution_record& record) const {
    note("train_batch_end " + std::to_string(record.steps));
  }

  void on_update_end(const execution_record& record) const {
    note("update_end " + std::to_string(record.steps));
  }

  void on_test_begin() const { note("test_begin"); }

  void on_test_batch_begin(std::int64_t samples) const {
    note("test_batch_begin " + std::to_string(samples));
  }

  void on_test_batch_end(const evaluation& found) const {
    note("test_batch_end " + std::to_string(found.samples));
  }

  void on_test_end(const evaluation& found) const {
    note("test_end " + std::to_string(found.samples));
  }

  void on_predict_begin() const { note("predict_begin"); }

  void on_predict_batch_begin(std::int64_t samples) const {
    note("predict_batch_begin " + std::to_string(samples));
  }

  void on_predict_batch_end(std::int64_t samples) const {
    note("predict_batch_end " + std::to_string(samples));
  }

  void on_predict_end() const { note("predict_end"); }
};

struct ends_misspelt {
  void on_epoch_ends(const epoch_record&) {}
};

struct misspelt_beside_another {
  void on_train_begin() {}

  void on_batch_end(const execution_record&) {}
};

struct written_as_elsewhere {
  void on_epoch_end(const epoch_record&) {}

  void onEpochBegin() {}
};

struct told_too_much {
  void on_epoch_end(const epoch_record&, int) {}
};

struct returns_truth {
  bool on_epoch_end(const epoch_record& record) { return record.loss < 1; }
};

struct stops_a_test {
  stop_request on_test_end(const evaluation&) { return stop_request::yes; }
};

struct without_hooks {
  int epochs = 0;
};

struct not_const {
  void on_epoch_end() {}
};

template <typename T>
std::string sentence_about() {
  return std::string(problem(callback_fault_of<T>::value).message().view());
}

constexpr bool has_hook(const hook_table& hooks, hook when) {
  return hooks.of[static_cast<std::size_t>(when)] != nullptr;
}

constexpr checks test_concept() {
  checks done;
  done.that(callback<scribe>);
  done.that(callback<const scribe>);
  done.that(!callback<ends_misspelt>);
  done.that(callback<returns_truth>);
  done.that(callback<not_const>);
  done.that(!callback<std::vector<int>>);
  done.that(!callback<without_hooks>);
  done.that(has_hook(hooks_of<scribe>, hook::predict_end));
  done.that(has_hook(hooks_of<not_const>, hook::epoch_end));
  done.that(!has_hook(hooks_of<not_const>, hook::epoch_begin));
  return done;
}

static_assert(test_concept());

constexpr double gone = 1e-12;

}  // namespace

TEST_CASE("what has hooks is a callback") {
  CHECK(test_concept());
  CHECK_FALSE(callback_fault_of<scribe>::value.found());
  CHECK_FALSE(callback_fault_of<const scribe>::value.found());
}

TEST_CASE("what is wrong with a callback is one sentence") {
  CHECK(sentence_about<ends_misspelt>() ==
        "fit: expected a hook on_epoch_end, got on_epoch_ends. Hint: write on_epoch_end for "
        "on_epoch_ends");
  CHECK(sentence_about<misspelt_beside_another>() ==
        "fit: expected a hook on_train_batch_end, got on_batch_end. Hint: write "
        "on_train_batch_end for on_batch_end");
  CHECK(sentence_about<written_as_elsewhere>() ==
        "fit: expected a hook on_epoch_begin, got onEpochBegin. Hint: write on_epoch_begin for "
        "onEpochBegin");
  CHECK(sentence_about<told_too_much>() ==
        "fit: expected on_epoch_end(const epoch_record&, training_run&), or less of it, got one "
        "that takes something else");
  CHECK(sentence_about<const not_const>() ==
        "fit: expected on_epoch_end(const epoch_record&, training_run&), or less of it, got "
        "another one, or one that is not const");
  CHECK(sentence_about<returns_truth>() ==
        "fit: expected on_epoch_end to return nothing or a stop_request, got bool. Hint: return "
        "stop_request::yes to end the training, stop_request::no otherwise");
  CHECK(sentence_about<stops_a_test>() ==
        "fit: expected on_test_end to return nothing, got stop_request. Hint: only hooks of "
        "training end it");
  CHECK(sentence_about<int>() ==
        "fit: expected a callable that takes an epoch_record, or an object with hooks, got int. "
        "Hint: write [](const epoch_record& passed) { ... }, or a struct with a public "
        "member on_epoch_end(const epoch_record&)");
  CHECK(sentence_about<point_set>() ==
        "fit: expected callbacks, or validation_data(...), got labelled_dataset<shape{8}, 3, "
        "float>. Hint: write validation_data(unseen) of data, validation_data(features, labels) of "
        "arrays");
  CHECK(sentence_about<std::pair<int, int>>().starts_with(
      "fit: expected callbacks, or validation_data(...), got std::pair<int, int>"));
}

TEST_CASE("hooks are called in Keras's order") {
  const point_set data = labelled_points(64, 1);
  const point_set unseen = labelled_points(40, 2);
  session<trained> run;
  std::vector<std::string> heard;
  run.fit(data,
          {.epochs = 3, .steps_per_execution = 4, .initial_epoch = 1, .validation_frequency = 2},
          scribe{&heard}, validation_data(unseen));
  CHECK(heard == std::vector<std::string>{
                     "train_begin", "epoch_begin 1",
                     // four micro-batches are an update
                     "train_batch_begin 0", "update_end 4", "train_batch_end 4",
                     "train_batch_begin 4", "update_end 8", "train_batch_end 8",
                     // the second epoch is validated, of 40 samples
                     "test_begin", "test_batch_begin 0", "test_batch_end 16", "test_batch_begin 16",
                     "test_batch_end 32", "test_batch_begin 32", "test_batch_end 40", "test_end 40",
                     "epoch_end 1", "epoch_begin 2", "train_batch_begin 0", "update_end 4",
                     "train_batch_end 4", "train_batch_begin 4", "update_end 8",
                     "train_batch_end 8", "epoch_end 2", "train_end"});
  heard.clear();
  run.evaluate(labelled_points(16, 2), scribe{&heard});
  CHECK(heard == std::vector<std::string>{"test_begin", "test_batch_begin 0", "test_batch_end 16",
                                          "test_end 16"});
  heard.clear();
  std::vector<float> output(20 * 3);
  run.predict(std::vector<float>(20 * 8), output, scribe{&heard});
  CHECK(heard == std::vector<std::string>{"predict_begin", "predict_batch_begin 0",
                                          "predict_batch_end 16", "predict_batch_begin 16",
                                          "predict_batch_end 20", "predict_end"});
}

TEST_CASE("callbacks change no bit, and an evaluation within an epoch no metric") {
  const point_set data = labelled_points(96, 1);
  const point_set unseen = labelled_points(40, 2);
  session<trained> plain;
  session<trained> watched;
  const fit_options wanted{.epochs = 3, .steps_per_execution = 4};
  const history& expected = plain.fit(data, wanted);

  struct evaluates {
    session<trained>* run;
    const point_set* data;
    int* calls;

    void on_train_batch_end() const {
      run->evaluate(*data);
      ++*calls;
    }
  };

  int calls = 0;
  const history& found =
      watched.fit(data, wanted, evaluates{&watched, &unseen, &calls}, validation_data(unseen));
  CHECK(calls == 9);
  CHECK(plain.weights().fingerprint() == watched.weights().fingerprint());
  REQUIRE(found.epochs().size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(found.epochs()[i].loss == expected.epochs()[i].loss);
    CHECK(found.epochs()[i]["accuracy"] == expected.epochs()[i]["accuracy"]);
    double counted = 0;
    for (const double count : found.epochs()[i].metrics.numbers("confusion_matrix")) {
      counted += count;
    }
    CHECK(counted == 96);
  }
  const evaluation last = watched.evaluate(unseen);
  CHECK(found.epochs()[2]["val_loss"] == last.loss);
  CHECK(found.epochs()[2]["val_accuracy"] == last.metrics["accuracy"]);
  double validated = 0;
  for (const double count : found.epochs()[0].validation.metrics.numbers("confusion_matrix")) {
    validated += count;
  }
  CHECK(validated == 40);
  CHECK(sentence_of([&] { static_cast<void>(expected.epochs()[0]["val_loss"]); }) ==
        "The epoch 0 has no \"val_loss\": nothing was validated behind it. Give fit "
        "validation_data(...) behind its options.");
  const history& seldom =
      plain.fit(data, {.epochs = 3, .validation_frequency = 2}, validation_data(unseen));
  CHECK(sentence_of([&] { static_cast<void>(seldom.epochs()[2]["val_accuracy"]); }) ==
        "The epoch 2 has no \"val_accuracy\": of every 2 epochs the last is validated, as "
        "validation_frequency says. Look at those whose validation.samples are not 0, or let "
        "validation_frequency be 1.");
  CHECK(seldom.epochs()[1]["val_loss"] == seldom.epochs()[1].validation.loss);
  CHECK(seldom.epochs()[1].validation.samples == 40);
  CHECK(sentence_of([&] { static_cast<void>(seldom.epochs()[0]["acuracy"]); }) ==
        "The epoch 0 has no \"acuracy\". It has loss, accuracy, confusion_matrix.");
  CHECK(sentence_of([&] { static_cast<void>(seldom.epochs()[1]["los"]); }) ==
        "The epoch 1 has no \"los\". It has loss, accuracy, confusion_matrix, and the same of the "
        "validation, as val_loss.");
}

TEST_CASE("an execution reports its own loss and those of the epoch so far") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;
  std::vector<double> own;
  double epoch_loss = 0;
  double epoch_accuracy = 0;

  struct listener {
    std::vector<double>* own;
    double* epoch_loss;
    double* epoch_accuracy;

    void on_train_batch_end(const execution_record& record) const {
      own->push_back(record.loss);
      *epoch_loss = record.epoch_loss;
      *epoch_accuracy = record.metrics["accuracy"];
    }
  };

  const history& found =
      run.fit(data, {.steps_per_execution = 4}, listener{&own, &epoch_loss, &epoch_accuracy});
  REQUIRE(own.size() == 3);
  CHECK(std::abs((own[0] + own[1] + own[2]) / 3 - found.epochs()[0].loss) < gone);
  CHECK(epoch_loss == found.epochs()[0].loss);
  CHECK(epoch_accuracy == found.epochs()[0]["accuracy"]);
}

TEST_CASE("training stops behind the execution in which a hook asks for it") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;

  struct stops {
    std::int64_t behind;

    stop_request on_train_batch_end(const execution_record& record) const {
      return record.epoch == 1 && record.steps == behind ? stop_request::yes : stop_request::no;
    }
  };

  const fit_options wanted{.epochs = 5, .steps_per_execution = 4};
  const history& found = run.fit(data, wanted, stops{8});
  REQUIRE(found.epochs().size() == 2);
  CHECK(found.epochs()[0].samples == 96);
  CHECK(found.epochs()[1].samples == 64);
  CHECK(found.losses().size() == 12 + 8);
  double sum = 0;
  for (const float loss : found.losses().subspan(12)) {
    sum += static_cast<double>(loss);
  }
  CHECK(found.epochs()[1].loss == Approx(sum / 8).epsilon(1e-6));

  int epochs = 0;
  run.fit(data, wanted, [&](const epoch_record& record) {
    ++epochs;
    return record.epoch == 2 ? stop_request::yes : stop_request::no;
  });
  CHECK(epochs == 3);
  run.fit(data, wanted, [&](const epoch_record&, training_run& of) {
    ++epochs;
    of.request_stop();
  });
  CHECK(epochs == 4);
}

TEST_CASE("a callback sets the rate, sees the plan, and reads the weights") {
  const point_set data = labelled_points(96, 1);
  session<trained> run({.learning_rate = 0.5F});
  session<trained> expected({.learning_rate = 0.5F});

  struct halves {
    void on_train_begin(training_run& of) {
      plan = of.plan();
      size = of.weights().size();
      for (std::size_t i = 0; i < of.names(); ++i) {
        names += of.reported(i) + " ";
      }
    }

    void on_epoch_begin(std::int32_t epoch, training_run& of) {
      if (epoch > 0) {
        of.set_learning_rate(of.learning_rate() / 2);
      }
    }

    fit_plan plan;
    std::size_t size = 0;
    std::string names;
  };

  halves each;
  run.fit(data, {.epochs = 2, .steps_per_execution = 4}, each, validation_data(data));
  CHECK(each.plan.epochs == 2);
  CHECK(each.plan.steps == 12);
  CHECK(each.plan.steps_of_execution == 4);
  CHECK(each.plan.steps_of_update == 4);
  CHECK(each.size == run.weights().size());
  CHECK(each.names == "loss accuracy confusion_matrix val_loss val_accuracy val_confusion_matrix ");
  expected.fit(data);
  expected.set_optimizer({.learning_rate = 0.25F});
  expected.fit(data);
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
  CHECK(sentence_of([&] {
          run.fit(data, {},
                  [](const epoch_record&, training_run& of) { of.set_learning_rate(-1); });
        }) != "");
}

TEST_CASE("names that no epoch reports are told with the nearest ones") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;

  struct asks {
    const char* name;

    void on_train_begin(training_run& of) const { of.check_reported(name, "asks"); }
  };

  const std::uint64_t before = run.weights().fingerprint();
  CHECK(sentence_of([&] { run.fit(data, {}, asks{"acuracy"}); }) ==
        "asks looks at acuracy, which no epoch reports. Did you mean accuracy? There are loss, "
        "accuracy, confusion_matrix.");
  CHECK(sentence_of([&] { run.fit(data, {}, asks{"val_loss"}); }) ==
        "asks looks at val_loss, and nothing is validated. Give fit validation_data(...) behind "
        "its options, or let it look at loss.");
  CHECK(sentence_of([&] { run.fit(data, {}, asks{"val_los"}, validation_data(data)); }) ==
        "asks looks at val_los, which no epoch reports. Did you mean val_loss? There are loss, "
        "accuracy, confusion_matrix, val_loss, val_accuracy, val_confusion_matrix.");
  CHECK(sentence_of([&] { run.fit(data, {}, asks{"x"}); }) ==
        "asks looks at x, which no epoch reports. There are loss, accuracy, confusion_matrix.");
  CHECK(run.weights().fingerprint() == before);
}

TEST_CASE("a hook that throws ends the fit, the others are told, and the session goes on") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;
  session<trained> expected;

  struct thrown {};

  struct throws {
    void on_train_batch_end(const execution_record& record) const {
      if (record.steps == 4) {
        throw thrown{};
      }
    }
  };

  std::vector<std::string> heard;
  CHECK_THROWS_AS(run.fit(data, {.steps_per_execution = 4}, scribe{&heard}, throws{}), thrown);
  REQUIRE(!heard.empty());
  CHECK(heard.back() == "train_failed");
  CHECK(run.evaluate(data).samples == 96);
  expected.fit(data, {.steps_per_epoch = 4});
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
}

TEST_CASE("asynchronous callbacks are told of every update, in order, before fit returns") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;
  session<trained> expected;

  struct slow {
    std::vector<std::string>* heard;
    std::vector<double>* losses;
    std::thread::id* thread;

    void on_train_batch_end(const execution_record& record) const {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      *thread = std::this_thread::get_id();
      losses->push_back(record.loss);
      heard->push_back("batch " + std::to_string(record.steps) +
                       (record.metrics["accuracy"] >= 0 ? "" : " without metrics"));
    }

    void on_epoch_end(const epoch_record& record, training_run& of) const {
      CHECK(std::this_thread::get_id() == *thread);
      heard->push_back("epoch " + std::to_string(record.epoch) +
                       (of.weights().size() > 0 ? "" : " without weights"));
    }

    void on_train_end() const { heard->push_back("end"); }
  };

  std::vector<std::string> heard;
  std::vector<double> told;
  std::thread::id thread;
  const slow listens{&heard, &told, &thread};
  const history& found =
      run.fit(data, {.epochs = 2, .steps_per_execution = 12}, asynchronous(listens));
  CHECK(heard == std::vector<std::string>{"batch 4", "batch 8", "batch 12", "epoch 0", "batch 4",
                                          "batch 8", "batch 12", "epoch 1", "end"});
  CHECK(thread != std::this_thread::get_id());
  REQUIRE(told.size() == 6);
  CHECK(std::abs((told[0] + told[1] + told[2]) / 3 - found.epochs()[0].loss) < gone);
  expected.fit(data, {.epochs = 2});
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
}

TEST_CASE("asynchronous callbacks are told what others are of evaluating and predicting") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;
  std::vector<std::string> plain;
  std::vector<std::string> beside;
  const scribe writes{&plain};
  const scribe writes_beside{&beside};
  static_cast<void>(run.evaluate(data, writes));
  static_cast<void>(run.evaluate(data, asynchronous(writes_beside)));
  std::vector<float> output(20 * 3);
  run.predict(std::vector<float>(20 * 8), output, writes);
  run.predict(std::vector<float>(20 * 8), output, asynchronous(writes_beside));
  run.fit(data, {.epochs = 1}, validation_data(data), writes);
  run.fit(data, {.epochs = 1}, validation_data(data), asynchronous(writes_beside));
  CHECK(plain.size() > 20);
  const auto of_tests = [](const std::vector<std::string>& heard) {
    return std::count_if(heard.begin(), heard.end(),
                         [](const std::string& words) { return words.starts_with("test_"); });
  };
  CHECK(of_tests(plain) > 8);
  CHECK(of_tests(beside) == of_tests(plain));
  const auto first_of_fit = std::find(plain.begin(), plain.end(), "train_begin");
  CHECK(std::equal(plain.begin(), first_of_fit, beside.begin()));
}

TEST_CASE("what an asynchronous callback throws, asks for or may not see reaches fit") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;

  struct thrown {};

  struct throws {
    void on_train_batch_end(const execution_record& record) const {
      if (record.steps == 8) {
        throw thrown{};
      }
    }
  };

  std::vector<std::string> heard;
  CHECK_THROWS_AS(run.fit(data, {}, asynchronous(throws{}, scribe{&heard})), thrown);
  REQUIRE(!heard.empty());
  CHECK(heard.back() == "train_failed");
  CHECK(run.evaluate(data).samples == 96);

  const auto looks = [&](const epoch_record&) {};
  CHECK(run.fit(data, {}, asynchronous(looks)).epochs().size() == 1);

  struct reads {
    void on_train_batch_end(const execution_record&, training_run& of) const {
      static_cast<void>(of.weights());
    }
  };

  CHECK(sentence_of([&] { run.fit(data, {}, asynchronous(reads{})); }) ==
        "An asynchronous callback was told of an update while training goes on: it may look at "
        "weights, rates and metrics, or ask the session for anything, in on_epoch_begin and "
        "on_epoch_end, when training waits.");

  struct stops {
    stop_request on_epoch_end(const epoch_record& record) const {
      return record.epoch == 1 ? stop_request::yes : stop_request::no;
    }
  };

  CHECK(run.fit(data, {.epochs = 5}, asynchronous(stops{})).epochs().size() == 2);
}

namespace {

int epochs_of_function = 0;

void hears_of_epochs(const epoch_record&) {
  ++epochs_of_function;
}

}  // namespace

TEST_CASE("a function is a callback, and one that calls nothing is refused before the first step") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;
  run.fit(data, {.epochs = 2}, hears_of_epochs);
  run.fit(data, {}, &hears_of_epochs);
  run.fit(data, {}, asynchronous(hears_of_epochs));
  CHECK(epochs_of_function == 4);

  const std::uint64_t before = run.weights().fingerprint();
  const std::string nothing =
      "A callback calls nothing: it is an empty std::function or a null pointer.";
  std::function<void(const epoch_record&)> empty;
  CHECK(sentence_of([&] { run.fit(data, {}, empty); }) == nothing);
  void (*null)(const epoch_record&) = nullptr;
  CHECK(sentence_of([&] { run.fit(data, {}, null); }) == nothing);
  CHECK(run.weights().fingerprint() == before);
  empty = hears_of_epochs;
  run.fit(data, {}, empty);
  CHECK(epochs_of_function == 5);
}

TEST_CASE("a session that trains on refuses whatever an asynchronous callback asks of it") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;
  const auto told = [&](auto asks) {
    struct asking {
      decltype(asks) ask;

      void on_update_end(const execution_record&) const { ask(); }
    };

    return sentence_of([&] { run.fit(data, {}, asynchronous(asking{asks})); });
  };
  const std::string refused =
      "An asynchronous callback was told of an update while training goes on: it may look at "
      "weights, rates and metrics, or ask the session for anything, in on_epoch_begin and "
      "on_epoch_end, when training waits.";
  CHECK(told([&] { run.save("beside_training.npz"); }) == refused);
  CHECK(told([&] { run.save_training("beside_training.npz"); }) == refused);
  CHECK(told([&] { run.load("beside_training.npz"); }) == refused);
  CHECK(told([&] { run.set_optimizer({.learning_rate = 5.0F}); }) == refused);
  CHECK(told([&] { static_cast<void>(run.weights()); }) == refused);
  CHECK(told([&] { static_cast<void>(run.evaluate(data)); }) == refused);
  CHECK(std::fopen("beside_training.npz", "rb") == nullptr);
  // Another session may be asked, on that thread as well.
  session<trained> other;
  CHECK(told([&] { static_cast<void>(other.evaluate(data)); }).empty());
}

TEST_CASE("a share that was written as a float is the decimal that it says") {
  const auto before = [](std::int64_t samples, float share) {
    return samples_before(samples, static_cast<double>(share));
  };
  CHECK(samples_before(160, 0.2) == 128);
  CHECK(before(160, 0.2F) == 128);
  CHECK(before(160, 0.1F) == 144);
  CHECK(before(160, 0.3F) == 112);
  CHECK(before(160, 0.25F) == 120);
  CHECK(before(10, 0.33F) == 6);
  CHECK(before(60'000, 0.15F) == 51'000);
  CHECK(before(3, 0.5F) == 1);
}

TEST_CASE("the end of a data set is validated on, in the order in which it lies") {
  const point_set data = labelled_points(100, 1);
  session<trained> run;
  session<trained> expected;
  const history& found =
      run.fit(data | shuffled(100), {.epochs = 2, .steps_per_epoch = 4, .validation_split = 0.25},
              [](const epoch_record& record) { CHECK(record.validation.samples == 25); });
  REQUIRE(found.epochs().size() == 2);
  const auto known = data | take(75);
  expected.fit(known | shuffled(100), {.epochs = 2, .steps_per_epoch = 4});
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
  CHECK(found.epochs()[1]["val_loss"] == run.evaluate(data | skip(75)).loss);
  // Of data that nobody else keeps as well.
  session<trained> owning;
  owning.fit(labelled_points(100, 1) | shuffled(100),
             {.epochs = 2, .steps_per_epoch = 4, .validation_split = 0.25});
  CHECK(owning.weights().fingerprint() == expected.weights().fingerprint());

  const std::string share =
      "validation_split is a share of the data that leaves samples to train on and to validate on, "
      "above 0 and below 1; got ";
  CHECK(sentence_of([&] { run.fit(data, {.validation_split = 1}); }) ==
        share + "1 of 100 samples.");
  CHECK(sentence_of([&] { run.fit(data, {.validation_split = -0.5}); }) ==
        share + "-0.5 of 100 samples.");
  CHECK(sentence_of([&] { run.fit(data, {.validation_split = 0.999}); }) ==
        share + "0.999 of 100 samples.");
  auto source = make_feed(data, 1);
  CHECK(sentence_of([&] { run.fit(source, {.validation_split = 0.5}); }) ==
        "validation_split divides a data set, and a feed cannot be divided. Give fit "
        "validation_data(...) behind its options alone.");
  CHECK(sentence_of([&] { run.fit(data, {.validation_split = 0.5}, validation_data(data)); }) ==
        "validation_split divides a data set, and there is validation_data as well. Give fit "
        "validation_data(...) behind its options alone.");
}

TEST_CASE("what cannot be validated is refused before anything runs") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;
  const std::uint64_t before = run.weights().fingerprint();
  CHECK(sentence_of([&] { run.fit(data, {}, validation_data(data | repeated())); }) ==
        "validation needs data with an end; these have none, as behind repeated() and of "
        "from_generator without a count of samples.");
  CHECK(sentence_of([&] { run.fit(data, {}, validation_data(data | take(0))); }) ==
        "The validation data of fit have no samples; expected at least 1.");
  CHECK(sentence_of([&] { run.fit(data, {.validation_frequency = 0}, validation_data(data)); }) ==
        "fit validates behind every epoch or behind every so many, validation_frequency is 0.");
  CHECK(sentence_of([&] {
          run.fit(data, {.epochs = 2, .validation_frequency = 3}, validation_data(data));
        }) == "validation_frequency is 3, and fit has 2 epochs: nothing would be validated.");
  CHECK(sentence_of([&] { run.fit(data, {.validation_frequency = 7}); }) ==
        "validation_frequency is 7, and nothing is validated. Give fit validation_data(...) behind "
        "its options.");
  CHECK(sentence_of([&] { run.fit(data, {.epochs = 2, .initial_epoch = 3}); }) ==
        "fit of 2 epochs begins with epoch 0 to 2, initial_epoch is 3.");
  CHECK(run.fit(data, {.epochs = 2, .initial_epoch = 2}).epochs().empty());
  CHECK(run.weights().fingerprint() == before);
}

TEST_CASE("steps may be updates, as they were before TensorFlow 2.4") {
  const point_set data = labelled_points(96, 1);
  session<trained> run;
  session<trained> expected;
  const history& found =
      run.fit(data, {.steps_per_epoch = 3, .steps_per_execution = 1, .step = step_unit::update});
  CHECK(found.losses().size() == 12);
  expected.fit(data, {.steps_per_epoch = 12});
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
  const std::int64_t beyond = std::int64_t{1} << 62;
  CHECK(
      sentence_of([&] { run.fit(data, {.steps_per_epoch = beyond, .step = step_unit::update}); }) ==
      "Steps of 4 micro-batches each: an epoch of 4611686018427387904 and an execution of "
      "0 are more than 64 bits can count.");
}
