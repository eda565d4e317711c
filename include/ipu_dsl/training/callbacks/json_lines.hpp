// SPDX-License-Identifier: MIT
// Writes what every epoch reports as an object of JSON.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/training/callbacks/epoch_columns.hpp>
#include <ipu_dsl/training/callbacks/log_file.hpp>
#include <ipu_dsl/training/callbacks/no_options.hpp>
#include <ipu_dsl/training/callbacks/record_line.hpp>
#include <ipu_dsl/training/callbacks/unnamed_options.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// What `json_lines` is told.
struct json_lines_options {
  std::string filename;
  bool append = false;  ///< goes on behind what is there
};

/// Writes a line an epoch:
/// `{"epoch":0,"samples":320,"seconds":0.01,"loss":2.1,"accuracy":0.2,"val_loss":2.0}`. Metrics of
/// several numbers are arrays; NaN and infinities, which JSON has not, are null. Throws `error` as
/// `csv_logger` does.
class json_lines {
 public:
  explicit json_lines(json_lines_options options) : options_(std::move(options)) {}

  /// A file is wanted.
  explicit json_lines(filename_is_missing) = delete;

  /// Its options, as a compiler lists them where others are given.
  struct filename_or_append;

  /// Others, in as few lines as a compiler can tell of them.
  template <typename Expected = filename_or_append>
  explicit json_lines(...) = delete;

  /// Refused with a sentence: options without their names.
  template <typename First, typename... More>
    requires no_options_of<First, json_lines, json_lines_options>
  explicit json_lines(const First&, const More&...) : json_lines(json_lines_options()) {
    static_assert(
        diagnose<
            unnamed_options_fault_of<"json_lines({.filename = \"training.jsonl\"})", First>>());
  }

  void on_train_begin(training_run& run) {
    file_.open(options_.filename, options_.append);
    if (log_file::holds_lines(options_.filename)) {
      run.claim_file(options_.filename, "json_lines");
    }
    std::size_t longest = 128;
    for (std::size_t i = 0; i < run.names(); ++i) {
      longest += 2 * run.reported(i).size() + 32;
    }
    line_.reserve(longest);
  }

  void on_epoch_end(const epoch_record& record) {
    line_.begin();
    line_ << "{\"epoch\":" << std::int64_t{record.epoch};
    line_ << ",\"samples\":" << record.samples << ",\"seconds\":" << record.seconds;
    for_each_number(record, [this](std::string_view prefix, std::string_view name,
                                   std::span<const double> numbers) {
      line_ << ",\"" << prefix;
      add_escaped(name);
      line_ << "\":";
      add_numbers(numbers);
    });
    line_ << "}\n";
    file_.write(line_);
  }

  void on_train_end() { file_.close(); }

 private:
  void add_escaped(std::string_view words) {
    for (const char& letter : words) {
      if (letter == '"' || letter == '\\') {
        line_ << "\\";
      }
      // Letters that no text may have in JSON are none that a name needs.
      line_ << (static_cast<unsigned char>(letter) < 0x20 ? std::string_view(" ")
                                                          : std::string_view(&letter, 1));
    }
  }

  void add_numbers(std::span<const double> numbers) {
    if (numbers.size() == 1) {
      return add_number(numbers[0]);
    }
    line_ << "[";
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      line_ << (i == 0 ? "" : ",");
      add_number(numbers[i]);
    }
    line_ << "]";
  }

  void add_number(double number) {
    if (std::isfinite(number)) {
      line_ << number;
    } else {
      line_ << "null";
    }
  }

  json_lines_options options_;
  log_file file_;
  record_line line_;
};

}  // namespace ipu_dsl
