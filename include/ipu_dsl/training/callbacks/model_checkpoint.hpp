// SPDX-License-Identifier: MIT
// Saves the model behind epochs.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/training/callbacks/monitor.hpp>
#include <ipu_dsl/training/callbacks/no_options.hpp>
#include <ipu_dsl/training/callbacks/path_pattern.hpp>
#include <ipu_dsl/training/callbacks/unnamed_options.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/saved_training.hpp>

namespace ipu_dsl {

/// What `model_checkpoint` is told, with Keras's names and defaults.
struct model_checkpoint_options {
  std::string filepath;              ///< may have numbers in braces: see `path_pattern`
  std::string monitor = "val_loss";  ///< which epoch is the best; not asked for otherwise
  bool save_best_only = false;
  bool save_weights_only = false;  ///< what `load` reads; otherwise what `load_training` reads
  monitor_mode_option mode = monitor_mode::automatic;
  std::optional<double> initial_value_threshold = {};  ///< what the first one has to be better than
};

/// Writes a file behind every epoch, or behind those that are better than all before:
/// `model_checkpoint({.filepath = "best.npz", .save_best_only = true})`. A file is replaced as a
/// whole, so that there is always the old one or the new one. Epochs that lack a number that is
/// asked for are passed over. Throws `error` before the first step for a name that cannot be made
/// or ends as files of other formats do, a directory that is not there or takes no files, and a
/// number that no epoch reports; and behind an epoch if the file cannot be written, or the weights
/// are infinite or NaN: they are trained then.
class model_checkpoint {
 public:
  explicit model_checkpoint(model_checkpoint_options options)
      : options_(std::move(options)),
        path_(options_.filepath),
        watched_(options_.monitor, options_.mode, 0) {}

  /// A file is wanted.
  explicit model_checkpoint(filepath_is_missing) = delete;

  /// Its options, as a compiler lists them where others are given.
  struct
      filepath_or_monitor_or_save_best_only_or_save_weights_only_or_mode_or_initial_value_threshold;

  /// Others, in as few lines as a compiler can tell of them.
  template <
      typename Expected =
          filepath_or_monitor_or_save_best_only_or_save_weights_only_or_mode_or_initial_value_threshold>
  explicit model_checkpoint(...) = delete;

  /// Refused with a sentence: options without their names.
  template <typename First, typename... More>
    requires no_options_of<First, model_checkpoint, model_checkpoint_options>
  explicit model_checkpoint(const First&, const More&...)
      : model_checkpoint(model_checkpoint_options()) {
    static_assert(
        diagnose<unnamed_options_fault_of<
            "model_checkpoint({.filepath = \"best.npz\", .save_best_only = true})", First>>());
  }

  void on_train_begin(training_run& run) {
    if (options_.initial_value_threshold && std::isnan(*options_.initial_value_threshold)) {
      raise_error("model_checkpoint expects an initial_value_threshold that is a number, got NaN.");
    }
    files::check_archive_path(options_.filepath);
    path_.check(run, "model_checkpoint");
    path_.check_writable();
    run.claim_file(options_.filepath, "model_checkpoint");
    if (options_.save_best_only) {
      watched_.check(run, "model_checkpoint");
    }
    watched_.forget();
    if (options_.initial_value_threshold) {
      watched_.improve(*options_.initial_value_threshold);
    }
    saved_.clear();
  }

  void on_epoch_end(const epoch_record& record, training_run& run) {
    if (!path_.is_in(record) || !is_wanted(record)) {
      return;
    }
    const std::string path = path_.of(record);
    if (options_.save_weights_only) {
      save_weights(run.weights(), path);
    } else {
      save_training(run.engine(), path);
    }
    saved_ = path;
  }

  /// The file that was written last; empty if none was.
  const std::string& saved() const { return saved_; }

  /// The best number so far, where the best alone are saved.
  double best() const { return watched_.best(); }

 private:
  bool is_wanted(const epoch_record& record) {
    return !options_.save_best_only ||
           (watched_.is_in(record) && watched_.improve(watched_.value_in(record)));
  }

  model_checkpoint_options options_;
  path_pattern path_;
  monitor watched_;
  std::string saved_;
};

}  // namespace ipu_dsl
