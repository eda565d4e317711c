// SPDX-License-Identifier: MIT
// File names with numbers of an epoch in them, as Keras writes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/formats/file_replacement.hpp>
#include <ipu_dsl/training/callbacks/record_line.hpp>
#include <ipu_dsl/training/history.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// "weights.{epoch:02d}-{val_loss:.2f}.npz": in braces the number of the epoch, counted from 1, or
/// a number that it reports, by Keras's name; behind a colon how it is written: `3d` or `03d` with
/// so many places, `.2f` or `.2e` with so many digits behind the point. `{{` and `}}` are braces.
class path_pattern {
 public:
  explicit path_pattern(std::string words) : words_(std::move(words)) {}

  /// Throws `error` for braces that do not close, for numbers that no epoch reports, and for what
  /// is no way to write a number.
  void check(const training_run& run, std::string_view who) const {
    walk([&](const field& found) {
      const bool is_epoch = found.name == "epoch";
      if (!is_epoch && !run.reports(found.name) && !found.name.starts_with("val_")) {
        refuse_pattern(sentence_of({"{", found.name, "} in it, and there are ", known_in(run)}));
      }
      check_form(found);
      if (!is_epoch) {
        run.check_reported(found.name, who);
      }
    });
  }

  /// Throws `error` if no such file can be written as things are, unless epochs have directories of
  /// their own.
  void check_writable() const {
    const std::string_view folder = std::string_view(words_).substr(0, words_.rfind('/') + 1);
    if (folder.find_first_of("{}") == std::string_view::npos) {
      files::check_writable(words_);
    }
  }

  std::string of(const epoch_record& record) const {
    return walk([&](const field& found) {
      const bool is_epoch = found.name == "epoch";
      return written(found, is_epoch ? record.epoch + 1.0 : record[found.name], is_epoch);
    });
  }

  /// Whether the epoch has all of the numbers: not every one is validated.
  bool is_in(const epoch_record& record) const {
    bool found = true;
    walk([&](const field& each) {
      found = found && (each.name == "epoch" || record.has(each.name));
    });
    return found;
  }

 private:
  /// What stands in braces: "{val_loss:.2f}".
  struct field {
    std::string_view name;
    bool filled = false;     ///< with zeros in front
    std::size_t places = 0;  ///< at least
    int digits = -1;         ///< behind the point; -1: as many as it takes
    char kind = 0;           ///< d, f or e; 0 if it is not said
    std::string_view rest;   ///< what could not be read
  };

  /// Puts the text together, with what `each` makes of a field, if it makes anything.
  template <typename Each>
  std::string walk(const Each& each) const {
    std::string made;
    for (std::size_t at = 0; at < words_.size(); ++at) {
      const char letter = words_[at];
      if ((letter == '{' || letter == '}') && at + 1 < words_.size() && words_[at + 1] == letter) {
        made += letter;
        ++at;
      } else if (letter == '{') {
        const std::size_t end = words_.find('}', at);
        if (end == std::string::npos) {
          refuse_pattern("a brace that is not closed");
        }
        const field found = read(std::string_view(words_).substr(at + 1, end - at - 1));
        if constexpr (std::is_void_v<decltype(each(found))>) {
          each(found);
        } else {
          made += each(found);
        }
        at = end;
      } else if (letter == '}') {
        refuse_pattern("a brace that is not opened");
      } else {
        made += letter;
      }
    }
    return made;
  }

  static field read(std::string_view words) {
    field found;
    const std::size_t colon = words.find(':');
    found.name = words.substr(0, colon);
    std::string_view form = colon == words.npos ? std::string_view() : words.substr(colon + 1);
    found.filled = form.starts_with('0');
    found.places = take_number(form);
    if (form.starts_with('.')) {
      form.remove_prefix(1);
      found.digits = static_cast<int>(take_number(form));
    }
    if (!form.empty() && (form[0] == 'd' || form[0] == 'f' || form[0] == 'e')) {
      found.kind = form[0];
      form.remove_prefix(1);
    }
    found.rest = form;
    return found;
  }

  /// At most three digits.
  static std::size_t take_number(std::string_view& form) {
    std::size_t number = 0;
    for (int i = 0; i < 3 && !form.empty() && form[0] >= '0' && form[0] <= '9'; ++i) {
      number = 10 * number + static_cast<std::size_t>(form[0] - '0');
      form.remove_prefix(1);
    }
    return number;
  }

  void check_form(const field& found) const {
    const bool is_epoch = found.name == "epoch";
    const bool of_whole = found.kind == 'd' || found.kind == 0;
    if (!found.rest.empty() || (is_epoch ? !of_whole || found.digits >= 0 : found.kind == 'd') ||
        found.places > 64 || found.digits > 64) {
      refuse_pattern(is_epoch ? "an epoch that is not written as {epoch} or {epoch:02d}"
                              : "a number that is not written as {loss}, {loss:.2f} or {loss:.2e}");
    }
  }

  /// "{epoch}, {loss}, {accuracy}"
  static std::string known_in(const training_run& run) {
    std::string known = "{epoch}";
    for (std::size_t i = 0; i < run.names(); ++i) {
      known += sentence_of({", {", run.reported(i), "}"});
    }
    return known;
  }

  [[noreturn]] void refuse_pattern(std::string_view got) const {
    raise_error({"The name ", words_, " of a file has ", got, "."});
  }

  static std::string written(const field& found, double number, bool whole) {
    record_line line;
    if (whole) {
      line << static_cast<std::int64_t>(number);
    } else if (found.kind == 0 && found.digits < 0) {
      line << number;
    } else {
      line.fixed(number, found.digits < 0 ? 6 : found.digits, found.kind == 'e');
    }
    const std::size_t missing = found.places > line.size() ? found.places - line.size() : 0;
    return std::string(missing, found.filled ? '0' : ' ') + std::string(line.view());
  }

  std::string words_;
};

}  // namespace ipu_dsl
