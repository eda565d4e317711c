// SPDX-License-Identifier: MIT
// Shows how far training has come, as Keras does.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/terminal.hpp>
#include <ipu_dsl/plan/reported_names.hpp>
#include <ipu_dsl/runtime/host_clock.hpp>
#include <ipu_dsl/training/callbacks/no_options.hpp>
#include <ipu_dsl/training/callbacks/record_line.hpp>
#include <ipu_dsl/training/callbacks/unnamed_options.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// How much is shown.
enum class verbosity {
  automatic,  ///< the bar on a terminal, lines elsewhere
  silent,     ///< nothing: Keras's 0
  bar,        ///< Keras's 1
  line        ///< a line an epoch: Keras's 2
};

/// What `progress_bar` is told.
struct progress_bar_options {
  verbosity verbose = verbosity::automatic;
  std::FILE* file = stderr;
  std::int32_t width = 30;  ///< of the bar
  double interval = 0.05;   ///< seconds from one picture of the bar to the next, at least
};

/// Shows the epoch, its steps, the time of a step and the time left, the loss and the metrics of
/// the epoch so far, on stderr; behind the epoch those of its validation as well. Metrics of
/// several numbers are left out. Takes no memory within an epoch. What cannot be shown is lost
/// without a word.
class progress_bar {
 public:
  explicit progress_bar(no_options = {}) : progress_bar(progress_bar_options()) {}

  explicit progress_bar(const progress_bar_options& options) : options_(options) {}

  /// Its options, as a compiler lists them where others are given.
  struct verbose_or_file_or_width_or_interval;

  /// Others, in as few lines as a compiler can tell of them.
  template <typename Expected = verbose_or_file_or_width_or_interval>
  explicit progress_bar(...) = delete;

  /// Refused with a sentence: options without their names.
  template <typename First, typename... More>
    requires no_options_of<First, progress_bar, progress_bar_options>
  explicit progress_bar(const First&, const More&...) : progress_bar(progress_bar_options()) {
    static_assert(
        diagnose<unnamed_options_fault_of<"progress_bar({.verbose = verbosity::line})", First>>());
  }

  void on_train_begin(training_run& run) {
    if (options_.file == nullptr) {
      raise_error("progress_bar expects a file that is open, got a null pointer.");
    }
    if (options_.width < 0 || !(options_.interval >= 0)) {
      raise_error({"progress_bar expects a width and an interval of at least 0, got ",
                   options_.width, " and ", std::to_string(options_.interval), "."});
    }
    shown_ = options_.verbose;
    if (shown_ == verbosity::automatic) {
      shown_ = is_terminal(options_.file) ? verbosity::bar : verbosity::line;
    }
    std::size_t longest = 256 + static_cast<std::size_t>(options_.width);
    for (std::size_t i = 0; i < run.names(); ++i) {
      longest += run.reported(i).size() + 32;
    }
    line_.reserve(longest);
  }

  void on_epoch_begin(std::int32_t epoch, const training_run& run) {
    begun_ = steady_nanoseconds();
    drawn_ = begun_;
    length_ = 0;
    if (shown_ == verbosity::bar) {
      line_.begin();
      line_ << "Epoch " << std::int64_t{epoch + 1} << "/" << std::int64_t{run.plan().epochs}
            << "\n";
      put();
    }
  }

  void on_update_end(const execution_record& record, training_run& run) {
    const std::int64_t now = steady_nanoseconds();
    const bool due = static_cast<double>(now - drawn_) * 1e-9 >= options_.interval;
    if (shown_ == verbosity::bar && due && record.steps < run.plan().steps) {
      drawn_ = now;
      const std::size_t begin = begin_bar(record.steps, run.plan().steps);
      const double step = seconds(now) / static_cast<double>(record.steps);
      line_ << " - ETA: ";
      add_time_left(step * static_cast<double>(run.plan().steps - record.steps));
      add_number("", "loss", record.epoch_loss);
      add_metrics("", run.metrics());
      end_bar(begin, "");
    }
  }

  void on_epoch_end(const epoch_record& record, const training_run& run) {
    if (shown_ == verbosity::silent) {
      return;
    }
    const std::int64_t steps = record.samples / run.plan().micro_batch;
    std::size_t begin = 0;
    if (shown_ == verbosity::bar) {
      begin = begin_bar(steps, run.plan().steps);
    } else {
      line_.begin();
      line_ << "Epoch " << std::int64_t{record.epoch + 1} << "/" << std::int64_t{run.plan().epochs};
    }
    const double taken = seconds(steady_nanoseconds());
    line_ << " - ";
    line_.fixed(taken, 0) << "s ";
    add_time_of_step(taken / static_cast<double>(steps));
    add_number("", "loss", record.loss);
    add_metrics("", record.metrics);
    if (record.validation.samples > 0) {
      add_number(validation_prefix, "loss", record.validation.loss);
      add_metrics(validation_prefix, record.validation.metrics);
    }
    end_bar(begin, "\n");
  }

  /// Whatever is said next begins a line.
  void on_train_failed() {
    if (shown_ == verbosity::bar && length_ > 0) {
      line_.begin();
      line_ << "\n";
      put();
    }
  }

 private:
  double seconds(std::int64_t now) const { return static_cast<double>(now - begun_) * 1e-9; }

  /// "\r 96/100 [=====>....]"; returns where what is seen begins.
  std::size_t begin_bar(std::int64_t done, std::int64_t steps) {
    line_.begin();
    line_ << "\r";
    record_digits(steps, done);
    line_ << done << "/" << steps << " [";
    const std::int64_t filled = static_cast<std::int64_t>(
        static_cast<double>(done) / static_cast<double>(steps) * options_.width);
    const bool whole = done >= steps;
    line_.repeat('=', whole ? filled : filled - 1);
    line_ << (whole || filled == 0 ? "" : ">");
    line_.repeat('.', options_.width - filled);
    line_ << "]";
    return 1;
  }

  /// As many spaces as the number of steps has more digits.
  void record_digits(std::int64_t steps, std::int64_t done) {
    std::int64_t missing = 0;
    for (std::int64_t left = steps; left >= 10; left /= 10) {
      ++missing;
    }
    for (std::int64_t left = done; left >= 10; left /= 10) {
      --missing;
    }
    line_.repeat(' ', missing);
  }

  /// What was longer before is painted over.
  void end_bar(std::size_t begin, std::string_view ending) {
    const std::size_t seen = line_.size() - begin;
    if (shown_ == verbosity::bar && length_ > seen) {
      line_.repeat(' ', static_cast<std::int64_t>(length_ - seen));
    }
    length_ = ending.empty() ? seen : 0;
    line_ << ending;
    put();
  }

  void add_time_left(double left) {
    const auto whole = static_cast<std::int64_t>(left);
    if (whole >= 3600) {
      line_ << whole / 3600 << (whole / 60 % 60 < 10 ? ":0" : ":") << whole / 60 % 60;
    } else if (whole >= 60) {
      line_ << whole / 60;
    }
    if (whole >= 60) {
      line_ << (whole % 60 < 10 ? ":0" : ":") << whole % 60;
    } else {
      line_ << whole << "s";
    }
  }

  void add_time_of_step(double step) {
    if (step >= 1) {
      line_.fixed(step, 0) << "s/step";
    } else if (step >= 1e-3) {
      line_.fixed(step * 1e3, 0) << "ms/step";
    } else {
      line_.fixed(step * 1e6, 0) << "us/step";
    }
  }

  void add_metrics(std::string_view prefix, const metric_values& metrics) {
    for (const std::string_view name : metrics.names()) {
      if (metrics.numbers(name).size() == 1) {
        add_number(prefix, name, metrics[name]);
      }
    }
  }

  void add_number(std::string_view prefix, std::string_view name, double value) {
    line_ << " - " << prefix << name << ": ";
    line_.fixed(value, 4, std::abs(value) <= 1e-3);
  }

  void put() const {
    std::fwrite(line_.data(), 1, line_.size(), options_.file);
    std::fflush(options_.file);
  }

  progress_bar_options options_;
  verbosity shown_ = verbosity::silent;
  std::int64_t begun_ = 0;  ///< nanoseconds
  std::int64_t drawn_ = 0;  ///< nanoseconds
  std::size_t length_ = 0;  ///< characters of the bar that stands there
  record_line line_;
};

}  // namespace ipu_dsl
