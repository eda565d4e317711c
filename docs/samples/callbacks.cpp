// SPDX-License-Identifier: MIT
// Callbacks of one's own and ready ones. The output is docs/samples/callbacks.txt.
#include <cstdint>
#include <cstdio>
#include <string>

#include <ipu_dsl/training/callbacks.hpp>

#include "mnist_mlp.hpp"

using namespace samples;

namespace {

// [own]
/// Prints what an execution found, and ends training that is good enough.
struct good_enough {
  double loss;

  void on_train_begin(training_run& run) const {
    std::printf("%d epochs of %d steps\n", run.plan().epochs, static_cast<int>(run.plan().steps));
  }

  void on_train_batch_end(const execution_record& passed) const {
    std::printf("  %3d steps  loss %.2f  accuracy %.2f\n", static_cast<int>(passed.steps),
                passed.epoch_loss, passed.metrics["accuracy"]);
  }

  stop_request on_epoch_end(const epoch_record& passed) const {
    std::printf("epoch %d    loss %.2f  unseen %.2f\n", passed.epoch, passed["loss"],
                passed["val_loss"]);
    return passed["val_loss"] < loss ? stop_request::yes : stop_request::no;
  }
};

// [/own]

void print_table(const char* path) {
  std::FILE* const file = std::fopen(path, "r");
  int lines = 0;
  for (int letter = std::fgetc(file); letter != EOF; letter = std::fgetc(file)) {
    if (lines == 0) {
      std::putchar(letter);
    }
    lines += letter == '\n' ? 1 : 0;
  }
  std::fclose(file);
  std::printf("and %d epochs\n", lines - 1);
  std::remove(path);
}

template <typename Refused>
void print_refusal(const char* tag, Refused refused) {
  try {
    refused();
  } catch (const error& found) {
    std::printf("[%s]\n%s\n[/%s]\n\n", tag, found.what(), tag);
  }
}

}  // namespace

int main() {
  const auto digits = synthetic_digits(6'400, 1);
  const auto unseen = synthetic_digits(640, 2);
  session<training<grouped>> run{{.learning_rate = 0.01F, .momentum = 0.9F}};

  std::printf("[own]\n");
  // [fit]
  run.fit(digits | shuffled(6'400), {.epochs = 20, .steps_per_execution = 100},
          validation_data(unseen), good_enough{.loss = 1.5});
  // [/fit]
  std::printf("[/own]\n\n[ready]\n");

  // [ready]
  early_stopping stops({.monitor = "val_loss", .patience = 2, .restore_best_weights = true});
  run.fit(digits | shuffled(6'400), {.epochs = 4}, validation_data(unseen), stops,
          reduce_lr_on_plateau({.patience = 1}),
          model_checkpoint({.filepath = "best.npz", .save_best_only = true}),
          csv_logger({.filename = "training.csv"}), terminate_on_nan());
  std::printf("the best epoch has a number: %s\n", stops.best_epoch() ? "yes" : "no");
  // [/ready]
  print_table("training.csv");
  std::printf("[/ready]\n\n");

  // [backup]
  run.fit(digits | shuffled(6'400), {.epochs = 2}, validation_data(unseen),
          backup_and_restore({.filename = "backup.npz", .save_freq = 50}));
  // [/backup]

  {
    // [resume]
    session<training<grouped>> later{{.learning_rate = 0.01F, .momentum = 0.9F}};
    later.load_training("best.npz");
    later.fit(digits | shuffled(6'400), {.epochs = 4, .resume = true}, validation_data(unseen));
    // [/resume]
  }

  // [asynchronous]
  run.fit(digits | shuffled(6'400), {.epochs = 1},
          asynchronous(json_lines({.filename = "training.jsonl"}),
                       progress_bar({.verbose = verbosity::silent})));
  // [/asynchronous]

  print_refusal("unknown", [&] {
    run.fit(digits, {}, validation_data(unseen), early_stopping({.monitor = "val_acuracy"}));
  });
  print_refusal("unvalidated", [&] { run.fit(digits, {}, early_stopping()); });
  print_refusal("seed", [&] {
    session<training<grouped>> other{{}, {.seed = 7}};
    other.load_training("best.npz");
  });
  std::remove("best.npz");
  std::remove("training.jsonl");
  return 0;
}
