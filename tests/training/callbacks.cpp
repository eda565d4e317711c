// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/training/callbacks.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "still_engine.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr double undefined_loss = std::numeric_limits<double>::quiet_NaN();

std::string text_of(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  return {bytes.begin(), bytes.end()};
}

/// How many epochs with these losses are trained; all if nothing stops them. The weight is the
/// number of the epoch.
int epochs_until_stop(early_stopping& stops, still_run& of, const std::vector<double>& losses) {
  stops.on_train_begin(of.run);
  int epochs = 0;
  for (const double loss : losses) {
    const std::array<float, 4> weights = {static_cast<float>(epochs), 0, 0, 0};
    of.engine.weights().set(0, weights);
    const stop_request asked =
        stops.on_epoch_end(still_run::record(epochs, loss, 1 - loss), of.run);
    ++epochs;
    if (asked == stop_request::yes) {
      break;
    }
  }
  stops.on_train_end(of.run);
  return epochs;
}

float first_weight(still_run& of) {
  std::array<float, 4> values{};
  of.engine.weights().get(0, values);
  return values[0];
}

}  // namespace

TEST_CASE("early stopping waits as long as it is told, and no longer") {
  still_run of(10);
  const std::vector<double> losses = {0.9, 0.7, 0.8, 0.6, 0.61, 0.62, 0.63, 0.1};
  early_stopping at_once({.monitor = "loss"});
  CHECK(epochs_until_stop(at_once, of, losses) == 3);
  CHECK(at_once.stopped_epoch() == 2);
  CHECK(at_once.best_epoch() == 1);
  CHECK(at_once.best() == 0.7);
  CHECK(first_weight(of) == 2);

  early_stopping patient({.monitor = "loss", .patience = 3});
  CHECK(epochs_until_stop(patient, of, losses) == 7);
  CHECK(patient.stopped_epoch() == 6);
  CHECK(patient.best_epoch() == 3);

  early_stopping restores({.monitor = "loss", .patience = 3, .restore_best_weights = true});
  CHECK(epochs_until_stop(restores, of, losses) == 7);
  CHECK(first_weight(of) == 3);

  early_stopping never({.monitor = "loss", .patience = 4, .restore_best_weights = true});
  CHECK(epochs_until_stop(never, of, losses) == 8);
  CHECK(never.stopped_epoch() == std::nullopt);
  CHECK(first_weight(of) == 7);

  // Again, from the beginning.
  CHECK(epochs_until_stop(at_once, of, losses) == 3);
}

TEST_CASE("what is better depends on the mode, the least difference and the baseline") {
  still_run of(10);
  // An accuracy of 1 - loss grows where the loss shrinks.
  early_stopping grows({.monitor = "accuracy"});
  CHECK(epochs_until_stop(grows, of, {0.9, 0.8, 0.7, 0.8, 0.1}) == 4);
  CHECK(grows.best() == Approx(0.3));
  early_stopping shrinks({.monitor = "accuracy", .mode = monitor_mode::smaller});
  CHECK(epochs_until_stop(shrinks, of, {0.1, 0.2, 0.1}) == 3);
  CHECK(shrinks.best_epoch() == 1);
  early_stopping by_far({.monitor = "loss", .min_delta = 0.25});
  CHECK(epochs_until_stop(by_far, of, {1.0, 0.7, 0.5, 0.1}) == 3);
  CHECK(by_far.best_epoch() == 1);
  early_stopping reaches({.monitor = "loss", .patience = 2, .baseline = 0.5});
  CHECK(epochs_until_stop(reaches, of, {0.9, 0.8, 0.85, 0.1}) == 3);
  CHECK(epochs_until_stop(reaches, of, {0.9, 0.4, 0.41, 0.42, 0.1}) == 4);
  early_stopping later({.monitor = "loss", .start_from_epoch = 3});
  CHECK(epochs_until_stop(later, of, {0.1, 0.2, 0.3, 0.4, 0.3, 0.5, 0.1}) == 6);
  early_stopping numbers({.monitor = "loss"});
  CHECK(epochs_until_stop(numbers, of, {0.9, undefined_loss, 0.1}) == 2);
}

TEST_CASE("of every metric of the library it is known which numbers are better") {
  using enum monitor_mode;
  // All kinds of vocabulary/metrics, and the losses that are metrics as well.
  const std::map<std::string_view, monitor_mode> known = {
      {accuracy_family.name, greater},
      {auc_family.name, greater},
      {binary_accuracy_family.name, greater},
      {categorical_accuracy_family.name, greater},
      {f1_score_family.name, greater},
      {precision_family.name, greater},
      {recall_family.name, greater},
      {top_k_categorical_accuracy_family.name, greater},
      {sparse_top_k_categorical_accuracy_family.name, greater},
      {cosine_similarity_family.name, greater},
      {root_mean_squared_error_family.name, smaller},
      {binary_crossentropy_family.name, smaller},
      {categorical_crossentropy_family.name, smaller},
      {categorical_hinge_family.name, smaller},
      {hinge_family.name, smaller},
      {huber_family.name, smaller},
      {kl_divergence_family.name, smaller},
      {log_cosh_family.name, smaller},
      {mean_absolute_error_family.name, smaller},
      {mean_absolute_percentage_error_family.name, smaller},
      {mean_squared_error_family.name, smaller},
      {mean_squared_logarithmic_error_family.name, smaller},
      {poisson_family.name, smaller},
      {squared_hinge_family.name, smaller},
      {"loss", smaller},
      // That of the output alone is neither good nor bad; the others are several numbers.
      {mean_family.name, automatic},
      {confusion_matrix_family.name, automatic},
      {precision_per_class_family.name, automatic},
      {recall_per_class_family.name, automatic},
      {f1_score_per_class_family.name, automatic}};
  REQUIRE(known.size() == 30);
  int decided = 0;
  for (const auto& [name, mode] : known) {
    INFO(name);
    const std::string of_output = "account_" + std::string(name);
    decided += mode_of_name(name) == mode ? 1 : 0;
    decided += mode_of_name("val_" + std::string(name)) == mode ? 1 : 0;
    decided += mode_of_name(of_output) == mode ? 1 : 0;
    decided += mode_of_name("val_" + of_output) == mode ? 1 : 0;
    CHECK(mode_of_name(name) == mode);
  }
  CHECK(decided == 4 * 30);
  CHECK(mode_of_name("inaccuracy") == automatic);
  CHECK(mode_of_name("precision_at_7") == automatic);
}

TEST_CASE("an early stop keeps the epoch that is the best one of its metric") {
  constexpr std::array<std::string_view, 3> names = {"cosine_similarity", "account_loss", "strict"};
  still_run of(3);
  of.run.set_plan({.epochs = 3, .steps = 10, .micro_batch = 8, .metrics = names});
  early_stopping by_cosine({.monitor = "cosine_similarity", .patience = 9});
  early_stopping by_loss({.monitor = "account_loss", .patience = 9});
  by_cosine.on_train_begin(of.run);
  by_loss.on_train_begin(of.run);
  int epochs = 0;
  for (const double value : {0.25, 0.75, 0.5}) {
    epoch_record record;
    record.epoch = epochs++;
    record.metrics.add(names[0], value);
    record.metrics.add(names[1], value);
    by_cosine.on_epoch_end(record, of.run);
    by_loss.on_epoch_end(record, of.run);
  }
  CHECK(epochs == 3);
  CHECK(by_cosine.best_epoch() == 1);
  CHECK(by_loss.best_epoch() == 0);

  early_stopping unclear({.monitor = "strict"});
  CHECK(sentence_of([&] { unclear.on_train_begin(of.run); }) ==
        "early_stopping looks at strict, whose name does not say whether more of it is better. "
        "Give it .mode = monitor_mode::greater or monitor_mode::smaller.");
  early_stopping clear({.monitor = "strict", .mode = monitor_mode::greater});
  CHECK(sentence_of([&] { clear.on_train_begin(of.run); }) == "");
}

TEST_CASE("callbacks whose options all have defaults take none, and none in braces") {
  CHECK_FALSE(early_stopping({}).best_epoch());
  CHECK_FALSE(early_stopping().best_epoch());
  CHECK(reduce_lr_on_plateau({}).reductions() == 0);
  CHECK(reduce_lr_on_plateau().reductions() == 0);
  still_run of(2);
  progress_bar bar({});
  progress_bar same;
  CHECK(sentence_of([&] { bar.on_train_begin(of.run); }) == "");
  CHECK(sentence_of([&] { same.on_train_begin(of.run); }) == "");
}

TEST_CASE("epochs that were not validated are passed over by who looks at their validation") {
  still_run of(10, true);
  early_stopping stops({.patience = 1});
  stops.on_train_begin(of.run);
  CHECK(stops.on_epoch_end(still_run::record(0, 1, 0, {0.5}), of.run) == stop_request::no);
  CHECK(stops.on_epoch_end(still_run::record(1, 1, 0), of.run) == stop_request::no);
  CHECK(stops.on_epoch_end(still_run::record(2, 1, 0), of.run) == stop_request::no);
  CHECK(stops.on_epoch_end(still_run::record(3, 1, 0, {0.6}), of.run) == stop_request::yes);
}

TEST_CASE("ready callbacks refuse what no epoch reports and what they cannot do") {
  still_run of(2);
  early_stopping unknown({.monitor = "val_loss"});
  CHECK(sentence_of([&] { unknown.on_train_begin(of.run); }) ==
        "early_stopping looks at val_loss, and nothing is validated. Give fit "
        "validation_data(...) behind its options, or let it look at loss.");
  early_stopping hurried({.monitor = "loss", .patience = -1});
  CHECK(sentence_of([&] { hurried.on_train_begin(of.run); }) ==
        "early_stopping expects a patience of 0 epochs or more, got -1.");
  early_stopping backwards({.monitor = "loss", .min_delta = -1});
  CHECK(sentence_of([&] { backwards.on_train_begin(of.run); }) ==
        "early_stopping expects a min_delta of at least 0, got -1.000000.");
  early_stopping nameless({.monitor = ""});
  CHECK(sentence_of([&] {
          nameless.on_train_begin(of.run);
        }).starts_with("early_stopping looks at a number without a name, which no epoch"));
  reduce_lr_on_plateau raises({.monitor = "loss", .factor = 1});
  CHECK(sentence_of([&] { raises.on_train_begin(of.run); }) ==
        "reduce_lr_on_plateau expects a factor of at least 0 and below 1, got 1.000000.");
  const std::string archive =
      "Expected a path such as weights.npz for an NPZ archive, got best.h5, "
      "which ends as files of another format do.";
  model_checkpoint keras({.filepath = "best.h5"});
  CHECK(sentence_of([&] { keras.on_train_begin(of.run); }) == archive);
  backup_and_restore backup({.filename = "best.h5"});
  CHECK(sentence_of([&] { backup.on_train_begin(of.run); }) == archive);
  training_run without_rate(of.engine, nullptr);
  without_rate.set_plan(of.run.plan());
  reduce_lr_on_plateau rateless({.monitor = "loss"});
  CHECK(sentence_of([&] { rateless.on_train_begin(without_rate); }) ==
        "The settings of this optimizer have no learning_rate_schedule learning_rate that could be "
        "set.");
}

TEST_CASE("ready callbacks refuse numbers that would make them do nothing, or act once") {
  still_run of(2);
  const auto refusal = [&of](auto made) {
    return sentence_of([&] { made.on_train_begin(of.run); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(
      refusal(reduce_lr_on_plateau({.monitor = "loss", .patience = -1})) ==
      "reduce_lr_on_plateau expects a patience and a cooldown of 0 epochs or more, got -1 and 0.");
  CHECK(
      refusal(reduce_lr_on_plateau({.monitor = "loss", .patience = 1, .cooldown = -3})) ==
      "reduce_lr_on_plateau expects a patience and a cooldown of 0 epochs or more, got 1 and -3.");
  CHECK(refusal(reduce_lr_on_plateau({.monitor = "loss", .min_lr = -5})) ==
        "reduce_lr_on_plateau expects a min_lr of at least 0, got -5.000000.");
  CHECK(refusal(reduce_lr_on_plateau({.monitor = "loss", .min_lr = static_cast<float>(nan)}))
            .starts_with("reduce_lr_on_plateau expects a min_lr of at least 0, got "));
  CHECK(refusal(early_stopping({.monitor = "loss", .start_from_epoch = -4})) ==
        "early_stopping expects a start_from_epoch of 0 or more, got -4.");
  CHECK(refusal(early_stopping({.monitor = "loss", .baseline = nan})) ==
        "early_stopping expects a baseline that is a number, got NaN.");
  CHECK(refusal(model_checkpoint({.filepath = "c.npz", .initial_value_threshold = nan})) ==
        "model_checkpoint expects an initial_value_threshold that is a number, got NaN.");
  CHECK(refusal(progress_bar({.verbose = verbosity::line, .file = nullptr})) ==
        "progress_bar expects a file that is open, got a null pointer.");
  CHECK(refusal(progress_bar({.verbose = verbosity::line, .width = -1})) ==
        "progress_bar expects a width and an interval of at least 0, got -1 and 0.050000.");
  CHECK(refusal(progress_bar({.verbose = verbosity::line, .interval = -1})) ==
        "progress_bar expects a width and an interval of at least 0, got 30 and -1.000000.");
  for (const char letter : {'1', 'e', '"', '\n', '.', '-', '_'}) {
    CHECK(refusal(csv_logger({.filename = "c.csv", .separator = letter}))
              .starts_with("csv_logger expects a separator that stands in no number and no name, "
                           "such as ',', ';' or '\\t'; got "));
  }
}

TEST_CASE("logs go on behind a line that a killed program left without its end") {
  const temporary_directory directory;
  const std::string table = directory.path() + "/log.csv";
  const std::string_view torn = "epoch,loss,accuracy\n0,1";
  write_file_atomically(table, {reinterpret_cast<const std::uint8_t*>(torn.data()), torn.size()});
  still_run of(4);
  csv_logger goes_on({.filename = table, .append = true});
  goes_on.on_train_begin(of.run);
  goes_on.on_epoch_end(still_run::record(0, 0.5, 1), of.run);
  goes_on.on_epoch_end(still_run::record(1, 0.25, 1), of.run);
  goes_on.on_train_end();
  CHECK(text_of(table) == "epoch,loss,accuracy\n0,1\n0,0.5,1\n1,0.25,1\n");
}

TEST_CASE("two callbacks of a fit write no file together") {
  const temporary_directory directory;
  const std::string path = directory.path() + "/log.csv";
  still_run of(4);
  csv_logger first({.filename = path});
  first.on_train_begin(of.run);
  json_lines second({.filename = path});
  CHECK(sentence_of([&] { second.on_train_begin(of.run); }) ==
        "csv_logger and json_lines would both write " + path +
            ". Hint: give each a file of its own.");
  model_checkpoint third({.filepath = path, .monitor = "loss"});
  CHECK(sentence_of([&] { third.on_train_begin(of.run); }) ==
        "csv_logger and model_checkpoint would both write " + path +
            ". Hint: give each a file of its own.");
  // In a device nothing stays that could be lost.
  csv_logger nowhere({.filename = "/dev/null"});
  json_lines nowhere_else({.filename = "/dev/null"});
  CHECK(sentence_of([&] { nowhere.on_train_begin(of.run); }).empty());
  CHECK(sentence_of([&] { nowhere_else.on_train_begin(of.run); }).empty());
  // Another fit, or another file.
  csv_logger beside({.filename = path + "2"});
  CHECK(sentence_of([&] { beside.on_train_begin(of.run); }).empty());
  of.begin();
  CHECK(sentence_of([&] { second.on_train_begin(of.run); }).empty());
}

TEST_CASE("callbacks that set the rate refuse to end a schedule of the session") {
  still_run of(2);
  learning_rate_scheduler halves([](std::int32_t, float rate) { return rate / 2; });
  reduce_lr_on_plateau lowers({.monitor = "loss"});
  const auto said = [](auto& callback, training_run& run) {
    return sentence_of([&] { callback.on_train_begin(run); });
  };
  CHECK(said(halves, of.run) == "");
  CHECK(said(lowers, of.run) == "");
  of.rate = cosine_decay{.initial_learning_rate = 0.5F, .decay_steps = 10};
  CHECK(said(halves, of.run) ==
        "learning_rate_scheduler sets the learning rate, and that of this session is a schedule, "
        "which would be gone. Give the session a number as learning_rate, or fit without "
        "learning_rate_scheduler.");
  CHECK(said(lowers, of.run).starts_with("reduce_lr_on_plateau sets the learning rate, and "));
  of.rate = warm_up{.warmup_steps = 4, .schedule = 0.5F};
  CHECK(said(lowers, of.run).starts_with("reduce_lr_on_plateau sets the learning rate, and "));
  CHECK_FALSE(of.rate.is_constant());
}

TEST_CASE("the rate is lowered on a plateau, and rests then") {
  still_run of(20);
  reduce_lr_on_plateau lowers({.monitor = "loss",
                               .factor = 0.5F,
                               .patience = 2,
                               .min_delta = 0,
                               .cooldown = 2,
                               .min_lr = 0.1F});
  lowers.on_train_begin(of.run);
  // Behind the second epoch without better the rate falls; two epochs are not counted, as in Keras
  // the second of them is again.
  const std::vector<float> expected = {0.5F,   0.5F,   0.25F,  0.25F, 0.25F,
                                       0.125F, 0.125F, 0.125F, 0.1F,  0.1F};
  std::vector<float> found;
  for (std::int32_t epoch = 0; epoch < 10; ++epoch) {
    lowers.on_epoch_end(still_run::record(epoch, 1, 0), of.run);
    found.push_back(of.run.learning_rate());
  }
  CHECK(found == expected);
  CHECK(lowers.reductions() == 3);
  for (std::int32_t epoch = 10; epoch < 20; ++epoch) {
    lowers.on_epoch_end(still_run::record(epoch, 1, 0), of.run);
  }
  CHECK(lowers.reductions() == 3);
}

TEST_CASE("a scheduler sets the rate of every epoch") {
  still_run of(3);
  learning_rate_scheduler schedule(
      [](std::int32_t epoch, float rate) { return epoch == 0 ? 0.25F : rate / 2; });
  std::vector<float> found;
  for (std::int32_t epoch = 0; epoch < 3; ++epoch) {
    schedule.on_epoch_begin(epoch, of.run);
    found.push_back(of.run.learning_rate());
  }
  CHECK(found == std::vector<float>{0.25F, 0.125F, 0.0625F});
}

TEST_CASE("training ends where the loss is no number") {
  terminate_on_nan ends;
  ends.on_train_begin();
  execution_record passed;
  passed.loss = 1;
  CHECK(ends.on_train_batch_end(passed) == stop_request::no);
  CHECK(ends.stopped_epoch() == std::nullopt);
  passed.loss = std::numeric_limits<double>::infinity();
  passed.epoch = 3;
  CHECK(ends.on_train_batch_end(passed) == stop_request::yes);
  passed.loss = undefined_loss;
  CHECK(ends.on_train_batch_end(passed) == stop_request::yes);
  CHECK(ends.stopped_epoch() == 3);
}

/// A callback made of one that is there, and of its options with a field more.
struct patient_options : early_stopping_options {
  int longest = 0;
};

struct patient : early_stopping {
  explicit patient(const patient_options& options) : early_stopping(options) {}

  patient(const patient& other) : early_stopping(other), copies(other.copies + 1) {}

  int copies = 0;
};

TEST_CASE("a callback can be made of another one of its kind") {
  patient_options options;
  options.patience = 2;
  const patient first(options);
  const patient second(first);
  CHECK(second.copies == 1);
}

TEST_CASE("what holds no lines has no first one") {
  CHECK(log_file::first_line_of("/dev/zero").empty());
  CHECK(log_file::first_line_of("/nowhere/log.csv").empty());
}

TEST_CASE("a table has a line an epoch, and goes on behind what is there") {
  const temporary_directory directory;
  const std::string path = directory.path() + "/log.csv";
  still_run of(4, true);
  csv_logger writes({.filename = path});
  writes.on_train_begin(of.run);
  writes.on_epoch_end(still_run::record(0, 0.1, 0.5, {2}), of.run);
  CHECK(text_of(path) ==
        "epoch,loss,accuracy,val_loss,val_accuracy\n"
        "0,0.1,0.5,2,0.5\n");
  writes.on_epoch_end(still_run::record(1, undefined_loss, 1e-9), of.run);
  writes.on_train_end();
  csv_logger goes_on({.filename = path, .append = true});
  of.begin();
  goes_on.on_train_begin(of.run);
  goes_on.on_epoch_end(still_run::record(2, 1.0 / 3, 1, {2}), of.run);
  goes_on.on_train_end();
  CHECK(text_of(path) ==
        "epoch,loss,accuracy,val_loss,val_accuracy\n"
        "0,0.1,0.5,2,0.5\n"
        "1,nan,1e-09,NA,NA\n"
        "2,0.3333333333333333,1,2,0.5\n");

  still_run plain(4);
  csv_logger narrower({.filename = path, .append = true});
  const std::string before = text_of(path);
  CHECK(sentence_of([&] { narrower.on_train_begin(plain.run); }) ==
        "csv_logger cannot go on in " + path +
            ": it has the columns epoch,loss,accuracy,val_loss,val_accuracy, this fit writes "
            "epoch,loss,accuracy. Hint: give it a file of its own, or leave out .append.");
  CHECK(text_of(path) == before);
  csv_logger other({.filename = path, .separator = ';'});
  other.on_train_begin(plain.run);
  // Until there is something else: the callback behind it may refuse to begin.
  CHECK(text_of(path) == before);
  other.on_epoch_end(still_run::record(0, 1, 0.5), plain.run);
  other.on_train_end();
  CHECK(text_of(path) == "epoch;loss;accuracy\n0;1;0.5\n");
}

TEST_CASE("lines of JSON have what an epoch reports") {
  const temporary_directory directory;
  const std::string path = directory.path() + "/log.jsonl";
  still_run of(4, true);
  json_lines writes({.filename = path});
  writes.on_train_begin(of.run);
  epoch_record first = still_run::record(0, 0.1, undefined_loss, {2});
  const std::array<double, 2> several = {1, 2.5};
  first.metrics.add_several("of \"two\"", 0, 2);
  first.metrics.see(several);
  writes.on_epoch_end(first);
  writes.on_epoch_end(still_run::record(1, 0.25, 1));
  writes.on_train_end();
  CHECK(text_of(path) ==
        "{\"epoch\":0,\"samples\":80,\"seconds\":0.5,\"loss\":0.1,\"accuracy\":null,"
        "\"of \\\"two\\\"\":[1,2.5],\"val_loss\":2,\"val_accuracy\":0.5}\n"
        "{\"epoch\":1,\"samples\":80,\"seconds\":0.5,\"loss\":0.25,\"accuracy\":1}\n");
}

TEST_CASE("logs that cannot be written are refused") {
  still_run of(4);
  csv_logger nowhere({.filename = "/nowhere/log.csv"});
  CHECK(sentence_of([&] { nowhere.on_train_begin(of.run); }) ==
        "Cannot write /nowhere/log.csv: No such file or directory.");
  csv_logger unnamed({.filename = ""});
  CHECK(sentence_of([&] { unnamed.on_train_begin(of.run); }) ==
        "Expected the path of a file, got an empty one.");
  // A disk that is always full.
  if (file_exists("/dev/full")) {
    csv_logger full({.filename = "/dev/full"});
    full.on_train_begin(of.run);
    CHECK(sentence_of([&] { full.on_epoch_end(still_run::record(0, 1, 1), of.run); }) ==
          "Cannot write /dev/full: No space left on device.");
  }
}

TEST_CASE("names of files have numbers of the epoch in them") {
  still_run of(4, true);
  const epoch_record passed = still_run::record(6, 0.123456, 0.5, {12.5});
  CHECK(path_pattern("plain").of(passed) == "plain");
  CHECK(path_pattern("w.{epoch:03d}-{val_loss:.2f}.npz").of(passed) == "w.007-12.50.npz");
  CHECK(path_pattern("{epoch}{{x}}{accuracy}{loss:.1e}").of(passed) == "7{x}0.51.2e-01");
  CHECK(path_pattern("{epoch:4d}{loss:08.3f}").of(passed) == "   70000.123");
  CHECK(path_pattern("{val_loss}").is_in(passed));
  CHECK_FALSE(path_pattern("{val_loss}").is_in(still_run::record(0, 1, 1)));
  const auto said = [&](const char* words) {
    return sentence_of([&] { path_pattern(words).check(of.run, "it"); });
  };
  CHECK(said("{epoch:02d}-{val_accuracy:.2f}") == "");
  CHECK(said("{epoch") == "The name {epoch of a file has a brace that is not closed.");
  CHECK(said("epoch}") == "The name epoch} of a file has a brace that is not opened.");
  CHECK(said("{epoch:.2f}") ==
        "The name {epoch:.2f} of a file has an epoch that is not written as {epoch} or "
        "{epoch:02d}.");
  CHECK(said("{loss:d}") ==
        "The name {loss:d} of a file has a number that is not written as {loss}, {loss:.2f} or "
        "{loss:.2e}.");
  CHECK(said("w.{epochs:02d}") ==
        "The name w.{epochs:02d} of a file has {epochs} in it, and there are {epoch}, {loss}, "
        "{accuracy}, {val_loss}, {val_accuracy}.");
  CHECK(said("{los}") ==
        "The name {los} of a file has {los} in it, and there are {epoch}, {loss}, {accuracy}, "
        "{val_loss}, {val_accuracy}.");
  CHECK(said("w.{epohc}") ==
        "The name w.{epohc} of a file has {epohc} in it, and there are {epoch}, {loss}, "
        "{accuracy}, {val_loss}, {val_accuracy}.");
  CHECK(said("{val_los}") ==
        "it looks at val_los, which no epoch reports. Did you mean val_loss? There are loss, "
        "accuracy, val_loss, val_accuracy.");
}

TEST_CASE("a checkpoint is written behind every epoch, or behind the best alone") {
  const temporary_directory directory;
  still_run of(4);
  model_checkpoint every(
      {.filepath = directory.path() + "/w.{epoch:02d}.npz", .save_weights_only = true});
  every.on_train_begin(of.run);
  for (std::int32_t epoch = 0; epoch < 2; ++epoch) {
    every.on_epoch_end(still_run::record(epoch, 1, 1), of.run);
  }
  CHECK(file_exists(directory.path() + "/w.01.npz"));
  CHECK(file_exists(directory.path() + "/w.02.npz"));
  CHECK(every.saved() == directory.path() + "/w.02.npz");

  model_checkpoint best({.filepath = directory.path() + "/best.npz",
                         .monitor = "loss",
                         .save_best_only = true,
                         .save_weights_only = true,
                         .initial_value_threshold = 0.95});
  best.on_train_begin(of.run);
  const std::vector<double> losses = {1.0, 0.9, 0.95, 0.5};
  std::vector<std::int32_t> saved;
  for (std::int32_t epoch = 0; epoch < 4; ++epoch) {
    std::remove((directory.path() + "/best.npz").c_str());
    const double loss = losses[static_cast<std::size_t>(epoch)];
    best.on_epoch_end(still_run::record(epoch, loss, 1), of.run);
    if (file_exists(directory.path() + "/best.npz")) {
      saved.push_back(epoch);
    }
  }
  CHECK(saved == std::vector<std::int32_t>{1, 3});
  CHECK(best.best() == 0.5);

  for (const std::string name : {"/nowhere/best.npz", "/nowhere/w.{epoch:02d}.npz"}) {
    model_checkpoint nowhere({.filepath = name});
    CHECK(sentence_of([&] { nowhere.on_train_begin(of.run); }) ==
          "Cannot write " + name + ": No such file or directory.");
  }
  model_checkpoint later({.filepath = "/nowhere.{epoch}/w.npz"});
  CHECK(sentence_of([&] { later.on_train_begin(of.run); }).empty());

  model_checkpoint unnamed({.filepath = ""});
  CHECK(sentence_of([&] { unnamed.on_train_begin(of.run); }) ==
        "Expected the path of a file, got an empty one.");
}

namespace {

/// What a progress bar writes while an epoch of 10 steps is trained.
std::string shown(verbosity verbose, bool validates) {
  const temporary_directory directory;
  const std::string path = directory.path() + "/shown";
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  still_run of(3, validates);
  progress_bar bar({.verbose = verbose, .file = file, .interval = 0});
  bar.on_train_begin(of.run);
  bar.on_epoch_begin(1, of.run);
  execution_record half;
  half.epoch = 1;
  half.steps = 5;
  half.epoch_loss = 0.75;
  bar.on_update_end(half, of.run);
  epoch_record passed = still_run::record(1, 0.5, 0.0005);
  if (validates) {
    passed = still_run::record(1, 0.5, 0.0005, {0.625});
  }
  bar.on_epoch_end(passed, of.run);
  std::fclose(file);
  return text_of(path);
}

}  // namespace

TEST_CASE("a progress bar is Keras's, a line where there is no terminal, or nothing") {
  CHECK(shown(verbosity::silent, true).empty());
  const std::string bar = shown(verbosity::bar, false);
  CHECK(
      bar.starts_with("Epoch 2/3\n\r 5/10 [==============>...............] - ETA: 0s - loss: "
                      "0.7500 - accuracy: 0.2500\r10/10 [==============================] - 0s "));
  CHECK(bar.find("s/step - loss: 0.5000 - accuracy: 5.0000e-04") != bar.npos);
  CHECK(bar.ends_with("\n"));
  const std::string line = shown(verbosity::line, true);
  CHECK(line.starts_with("Epoch 2/3 - 0s "));
  CHECK(
      line.ends_with("s/step - loss: 0.5000 - accuracy: 5.0000e-04 - val_loss: 0.6250 - "
                     "val_accuracy: 0.5000\n"));
  // No terminal looks at a file.
  CHECK(shown(verbosity::automatic, false).starts_with("Epoch 2/3 - 0s "));
}
