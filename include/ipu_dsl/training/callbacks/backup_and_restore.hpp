// SPDX-License-Identifier: MIT
// Training that goes on by itself after its program was killed.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/training/callbacks/no_options.hpp>
#include <ipu_dsl/training/callbacks/unnamed_options.hpp>
#include <ipu_dsl/training/saved_training.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// What `backup_and_restore` is told, as Keras is.
struct backup_and_restore_options {
  std::string filename;           ///< of this `fit` alone
  std::int64_t save_freq = 0;     ///< updates from one backup to the next; 0: epochs alone
  bool delete_checkpoint = true;  ///< when training has ended
};

/// Writes a backup behind every epoch and, with `save_freq`, behind so many updates, and removes it
/// when training has ended: `backup_and_restore({.filename = "backup.npz"})`. A program that was
/// killed is started again as it is: its fit finds the backup and goes on behind the update that it
/// was written at, with the bits of one that was never interrupted, the rate that callbacks set
/// included: an epoch that is begun again has the rate that it had, before its callbacks and behind
/// them. It stands behind them, so that what they did is in the backup; what they count begins
/// anew. Throws `error` before the first step for a feed that does not say where it stands, for a
/// name that ends as files of other formats do, and for a backup that cannot be read, is of another
/// model, seed, fit or data, or was written by anybody else; and behind an epoch or update if it
/// cannot be written: the one before is still there then.
class backup_and_restore {
 public:
  explicit backup_and_restore(backup_and_restore_options options) : options_(std::move(options)) {}

  /// A file is wanted.
  explicit backup_and_restore(filename_is_missing) = delete;

  /// Its options, as a compiler lists them where others are given.
  struct filename_or_save_freq_or_delete_checkpoint;

  /// Others, in as few lines as a compiler can tell of them.
  template <typename Expected = filename_or_save_freq_or_delete_checkpoint>
  explicit backup_and_restore(...) = delete;

  /// Refused with a sentence: options without their names.
  template <typename First, typename... More>
    requires no_options_of<First, backup_and_restore, backup_and_restore_options>
  explicit backup_and_restore(const First&, const More&...)
      : backup_and_restore(backup_and_restore_options()) {
    static_assert(
        diagnose<
            unnamed_options_fault_of<"backup_and_restore({.filename = \"backup.npz\"})", First>>());
  }

  void on_train_begin(training_run& run) {
    files::check_archive_path(options_.filename);
    files::check_writable(options_.filename);
    run.claim_file(options_.filename, "backup_and_restore");
    if (options_.save_freq < 0) {
      raise_error({"backup_and_restore expects a save_freq of 0 updates or more, got ",
                   options_.save_freq, "."});
    }
    if (options_.save_freq > 0 && run.is_asynchronous()) {
      raise_error(
          "backup_and_restore with a save_freq saves between updates, for which training does not "
          "wait within asynchronous(...). Give fit this callback beside it, or leave save_freq "
          "out.");
    }
    training_place place;
    if (!run.engine().tell_place(place)) {
      raise_error(
          "backup_and_restore cannot go on in this data: the feed does not say where it stands. "
          "Give fit a data set, or the feed position() and go_to(...); see placed_feed.");
    }
    updates_ = 0;
    restored_ = file_exists(options_.filename);
    begun_again_ = {};
    if (restored_) {
      load_training(
          run.engine(), options_.filename, non_finite::kept,
          {.rate = run.schedule(), .epoch = &begun_again_, .of_fit = true, .backup = true});
      begun_again_.known = begun_again_.known && sets_rate(run);
    }
    if (begun_again_.known) {
      rate_ = run.learning_rate();
      run.set_learning_rate(begun_again_.before);
    }
    note_beginning(run);
  }

  void on_epoch_begin(training_run& run) {
    if (!of_epoch_.known) {
      return;
    }
    of_epoch_.behind = run.learning_rate();
    // Callbacks of a program that was changed have set another.
    if (begun_again_.known && of_epoch_.behind == begun_again_.behind) {
      run.set_learning_rate(rate_);
    }
    begun_again_ = {};
  }

  void on_update_end(training_run& run) {
    ++updates_;
    if (updates_ == options_.save_freq) {
      save(run);
    }
  }

  void on_epoch_end(training_run& run) {
    of_epoch_ = {};
    save(run);
    note_beginning(run);
  }

  void on_train_end() {
    if (options_.delete_checkpoint && std::remove(options_.filename.c_str()) != 0 &&
        errno != ENOENT) {
      raise_error({"Cannot remove ", options_.filename, ": ", std::strerror(errno),
                   ". The next fit would go on with it."});
    }
  }

  /// Whether the last `fit` went on with a backup.
  bool restored() const { return restored_; }

 private:
  void save(training_run& run) {
    save_training(run.engine(), options_.filename, non_finite::kept,
                  {.rate = run.schedule(), .epoch = &of_epoch_, .backup = true});
    updates_ = 0;
  }

  /// Whether there is a rate that callbacks may set.
  static bool sets_rate(const training_run& run) {
    return run.schedule() != nullptr && run.schedule()->is_constant();
  }

  /// What comes next is an epoch.
  void note_beginning(const training_run& run) {
    of_epoch_.known = sets_rate(run);
    of_epoch_.before = of_epoch_.known ? run.learning_rate() : 0;
    of_epoch_.behind = of_epoch_.before;
  }

  backup_and_restore_options options_;
  std::int64_t updates_ = 0;  ///< since the last backup
  epoch_rates of_epoch_;      ///< of the epoch at hand, or of the next one
  epoch_rates begun_again_;   ///< of the one that a backup was written in, until it has begun
  float rate_ = 0;            ///< that of this backup
  bool restored_ = false;
};

}  // namespace ipu_dsl
