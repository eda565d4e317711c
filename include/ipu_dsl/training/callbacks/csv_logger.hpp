// SPDX-License-Identifier: MIT
// Writes what every epoch reports into a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/plan/reported_names.hpp>
#include <ipu_dsl/training/callbacks/log_file.hpp>
#include <ipu_dsl/training/callbacks/no_options.hpp>
#include <ipu_dsl/training/callbacks/record_line.hpp>
#include <ipu_dsl/training/callbacks/unnamed_options.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// What `csv_logger` is told, with Keras's names and defaults.
struct csv_logger_options {
  std::string filename;
  char separator = ',';
  bool append = false;  ///< goes on behind what is there, whose columns are the same
};

/// Writes a line an epoch: its number, counted from 0, the loss, the metrics of one number, and
/// those of the validation, "NA" where there was none. The first line says which they are.
/// `csv_logger({.filename = "training.csv"})`. Throws `error` before the first step if the file
/// cannot be written, or if it is to go on in one of other columns, and behind an epoch if a line
/// cannot; the weights are trained then.
class csv_logger {
 public:
  explicit csv_logger(csv_logger_options options) : options_(std::move(options)) {}

  /// A file is wanted.
  explicit csv_logger(filename_is_missing) = delete;

  /// Its options, as a compiler lists them where others are given.
  struct filename_or_separator_or_append;

  /// Others, in as few lines as a compiler can tell of them.
  template <typename Expected = filename_or_separator_or_append>
  explicit csv_logger(...) = delete;

  /// Refused with a sentence: options without their names.
  template <typename First, typename... More>
    requires no_options_of<First, csv_logger, csv_logger_options>
  explicit csv_logger(const First&, const More&...) : csv_logger(csv_logger_options()) {
    static_assert(
        diagnose<unnamed_options_fault_of<"csv_logger({.filename = \"training.csv\"})", First>>());
  }

  void on_train_begin(training_run& run) {
    if (!separates(options_.separator)) {
      raise_error(
          {"csv_logger expects a separator that stands in no number and no name, such as "
           "',', ';' or '\\t'; got ",
           printable(std::string_view(&options_.separator, 1)), "."});
    }
    std::size_t longest = 64;
    for (std::size_t i = 0; i < run.names(); ++i) {
      check_name(run.reported(i));
      longest += run.reported(i).size() + 32;
    }
    line_.reserve(longest);
    if (options_.append) {
      begin_names(run.metrics(), run.plan().validates);
      check_columns();
    }
    file_.open(options_.filename, options_.append);
    if (log_file::holds_lines(options_.filename)) {
      run.claim_file(options_.filename, "csv_logger");
    }
  }

  void on_epoch_end(const epoch_record& record, training_run& run) {
    if (file_.empty()) {
      begin_names(record.metrics, run.plan().validates);
      line_ << "\n";
      file_.write(line_);
    }
    line_.begin();
    line_ << std::int64_t{record.epoch};
    add_numbers(record.loss, record.metrics);
    if (record.validation.samples > 0) {
      add_numbers(record.validation.loss, record.validation.metrics);
    } else if (run.plan().validates) {
      add_missing(record.metrics);
    }
    line_ << "\n";
    file_.write(line_);
  }

  void on_train_end() { file_.close(); }

 private:
  /// What can stand between two numbers, "NA" or names.
  static constexpr bool separates(char letter) {
    constexpr std::string_view fitting = ",;\t| :!#$%&*/<=>?@^~";
    return fitting.find(letter) != std::string_view::npos;
  }

  /// The first line, without its end.
  void begin_names(const metric_values& metrics, bool validates) {
    line_.begin();
    line_ << "epoch";
    add_names("", metrics);
    if (validates) {
      add_names(validation_prefix, metrics);
    }
  }

  /// Throws `error` if a file that is there has another first line.
  void check_columns() const {
    const std::string there = log_file::first_line_of(options_.filename);
    if (!there.empty() && there != line_.view()) {
      raise_error({"csv_logger cannot go on in ", options_.filename, ": it has the columns ",
                   printable(there), ", this fit writes ", line_.view(),
                   ". Hint: give it a file of its own, or leave out .append."});
    }
  }

  /// Throws `error` for a name that would be two cells, or none that readers know.
  void check_name(std::string_view name) const {
    const char parted[] = {options_.separator, '"', '\n', '\r'};
    if (name.find_first_of(std::string_view(parted, sizeof parted)) != std::string_view::npos) {
      raise_error({"csv_logger cannot write ", printable(name),
                   " as the name of a column. Hint: "
                   "write metric_name<\"...\"> without quotes and without the separator."});
    }
  }

  void add_names(std::string_view prefix, const metric_values& metrics) {
    begin_cell() << prefix << "loss";
    for (const std::string_view name : metrics.names()) {
      if (metrics.numbers(name).size() == 1) {
        begin_cell() << prefix << name;
      }
    }
  }

  void add_numbers(double loss, const metric_values& metrics) {
    begin_cell() << loss;
    for (const std::string_view name : metrics.names()) {
      if (metrics.numbers(name).size() == 1) {
        begin_cell() << metrics[name];
      }
    }
  }

  void add_missing(const metric_values& metrics) {
    begin_cell() << "NA";
    for (const std::string_view name : metrics.names()) {
      if (metrics.numbers(name).size() == 1) {
        begin_cell() << "NA";
      }
    }
  }

  record_line& begin_cell() { return line_ << std::string_view(&options_.separator, 1); }

  csv_logger_options options_;
  log_file file_;
  record_line line_;
};

}  // namespace ipu_dsl
