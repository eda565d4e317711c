// SPDX-License-Identifier: MIT
// Tables from CSV files, and data sets of their columns. Opt-in: included by no other header.
// Over 300 lines: one table, half of it sentences with line and column.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/data/column_checks.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/formats/csv.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/printable.hpp>

namespace ipu_dsl {

/// How a CSV file is read.
struct csv_options {
  char separator = ',';  ///< between cells
  bool header = true;    ///< the first line names the columns; else they are called 1, 2, ...
  /// What empty cells, NA and NaN are as numbers; without a value they are refused.
  std::optional<float> missing = std::nullopt;
  /// In columns of integers alone: those that float32 cannot hold, which are some beyond 2^24, are
  /// rounded as other numbers are; else they are refused, since two of them may become one.
  bool round_integers = false;
};

/// What all cells of a column are, those that are missing aside.
enum class csv_kind : std::uint8_t {
  integers,  ///< that 64 bits hold
  numbers,   ///< finite ones, integers among them or not
  words      ///< anything
};

constexpr std::string_view name_of(csv_kind kind) {
  return kind == csv_kind::integers ? "integers" : kind == csv_kind::numbers ? "numbers" : "words";
}

namespace csv {

/// Without blanks around it.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Whether a cell says that it has no value.
inline bool is_missing(std::string_view cell) {
  constexpr std::string_view words[] = {"", "NA", "N/A", "NaN", "nan", "NAN", "null", "NULL"};
  return std::find(std::begin(words), std::end(words), trimmed(cell)) != std::end(words);
}

/// The digits of an integer of any length, "-12" of " -0012"; empty of what is none.
inline std::string integer_digits(std::string_view cell) {
  std::string_view text = trimmed(cell);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) {
    return {};
  }
  const std::size_t first = (std::min)(text.find_first_not_of('0'), text.size() - 1);
  return (negative ? "-" : "") + std::string(text.substr(first));
}

/// What a cell is as a number of this type, if it is one; infinity for what no double can hold,
/// zero for what is nearer to it than any.
template <typename Number>
std::optional<Number> parse(std::string_view cell) {
  std::string_view text = trimmed(cell);
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  Number value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) {
    return std::nullopt;
  }
  if (std::numeric_limits<Number>::has_infinity && fault == std::errc::result_out_of_range) {
    return text.find("e-") == text.npos && text.find("E-") == text.npos
               ? std::numeric_limits<Number>::infinity()
               : Number{0};
  }
  return fault == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace csv

/// What is wrong with labels of a table whose classes nobody counts.
template <typename... Written>
struct csv_labels_fault_of {
  static constexpr problem find() {
    problem found = refuse("the number of classes", "none", "write table.labels<3>(\"species\")");
    found.where = "labels of a table";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with columns of a table whose names do not stand in a list.
template <typename... Written>
struct csv_names_fault_of {
  static constexpr problem find() {
    problem found = refuse(
        "names of columns between braces",
        label() << sizeof...(Written) << (sizeof...(Written) == 1 ? " argument" : " arguments"),
        "write table.features({\"size\", \"rooms\"})");
    found.where = "features and targets of a table";
    return found;
  }

  static constexpr problem value = find();
};

/// The columns of a CSV file with their names, and what each holds. Rows and columns are those of
/// the file; every sentence about a cell names its line and its column.
class csv_table {
 public:
  /// See `parse_csv_table`.
  csv_table(csv_cells cells, std::string name, const csv_options& options)
      : cells_(std::move(cells)), name_(std::move(name)), options_(options) {
    read_header();
    for (std::size_t column = 0; column < columns(); ++column) {
      kinds_.push_back(find_kind(column));
    }
  }

  /// How many rows there are below the header.
  std::int64_t rows() const { return static_cast<std::int64_t>(cells_.rows() - first_row()); }

  std::size_t columns() const { return cells_.columns(); }

  /// Its name in the header.
  const std::string& name(std::size_t column) const { return names_[column]; }

  csv_kind kind(std::size_t column) const { return kinds_[column]; }

  /// The number of a column. Throws `error` if there is none of that name, with those there are.
  std::size_t find(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      std::string all;
      for (const std::string& each : names_) {
        all += (all.empty() ? "" : ", ") + printable(each);
      }
      raise_error(
          {name_, " has no column ", printable(name), "; it has ", all, ".", hint_of_names()});
    }
    return static_cast<std::size_t>(found - names_.begin());
  }

  /// Columns of numbers side by side, [rows, names]. Throws `error` for the first cell that is
  /// none, is missing or that a float cannot hold; of a column of integers for one that it would
  /// round, unless `round_integers` asks for that.
  std::vector<float> numbers(std::span<const std::string_view> names) const {
    datasets::check_distinct(names, name_);
    std::vector<std::size_t> asked;
    for (const std::string_view each : names) {
      asked.push_back(find(each));
    }
    std::vector<float> values;
    values.reserve(asked.size() * static_cast<std::size_t>(rows()));
    for (std::size_t row = first_row(); row < cells_.rows(); ++row) {
      for (const std::size_t column : asked) {
        values.push_back(number(row, column));
      }
    }
    return values;
  }

  /// The texts of a column, [rows].
  std::vector<std::string> words(std::string_view name) const {
    const std::size_t column = find(name);
    std::vector<std::string> found;
    for (std::size_t row = first_row(); row < cells_.rows(); ++row) {
      found.emplace_back(cells_.text(row, column));
    }
    return found;
  }

  /// The different values of a column in ascending order: words by their bytes, integers by their
  /// size. Throws `error` for a cell that is empty.
  std::vector<std::string> classes(std::string_view name) const {
    const std::size_t column = find(name);
    std::vector<std::string> found;
    for (std::size_t row = first_row(); row < cells_.rows(); ++row) {
      found.emplace_back(word(row, column));
    }
    const bool by_size = kinds_[column] == csv_kind::integers;
    // Words for a value that is missing, "nan" among them, stand before all integers.
    const auto order_of = [by_size](const std::string& each) {
      const bool has_size = by_size && !csv::is_missing(each);
      const double size = has_size ? csv::parse<double>(each).value_or(0)
                                   : -std::numeric_limits<double>::infinity();
      return std::pair(size, std::string_view(each));
    };
    std::sort(found.begin(), found.end(), [&](const std::string& left, const std::string& right) {
      return order_of(left) < order_of(right);
    });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  /// Columns of numbers as one input of a model, `table.features({"size", "rooms"})`. Throws as
  /// `numbers` does.
  template <std::size_t Count>
  feature_column<shape{static_cast<std::int32_t>(Count)}> features(
      const std::string_view (&names)[Count]) const {
    return feature_column<shape{static_cast<std::int32_t>(Count)}>(numbers(names));
  }

  /// The same as a target.
  template <std::size_t Count>
  target_column<shape{static_cast<std::int32_t>(Count)}> targets(
      const std::string_view (&names)[Count]) const {
    return target_column<shape{static_cast<std::int32_t>(Count)}>(numbers(names));
  }

  /// Refused with a sentence: names without braces around them.
  template <typename... Names>
  feature_column<shape{static_cast<std::int32_t>(sizeof...(Names))}> features(
      const Names&...) const {
    static_assert(diagnose<csv_names_fault_of<Names...>>());
    return feature_column<shape{static_cast<std::int32_t>(sizeof...(Names))}>(std::vector<float>());
  }

  /// The same.
  template <typename... Names>
  target_column<shape{static_cast<std::int32_t>(sizeof...(Names))}> targets(const Names&...) const {
    static_assert(diagnose<csv_names_fault_of<Names...>>());
    return target_column<shape{static_cast<std::int32_t>(sizeof...(Names))}>(std::vector<float>());
  }

  /// A column as labels, `table.labels<3>("species")`. Words have their places among
  /// `classes(name)`; where any cell is a number, all must be classes as they stand, integers from
  /// 0 to Classes - 1: of two files of integers none is numbered anew. Throws `error` for another
  /// cell, and unless there are exactly so many different words.
  template <std::int32_t Classes>
  label_column<Classes> labels(std::string_view name) const {
    const std::size_t column = find(name);
    if (!holds_words_alone(column)) {
      return label_column<Classes>(plain_labels(column, Classes));
    }
    const std::vector<std::string> found = classes(name);
    if (found.size() != static_cast<std::size_t>(Classes)) {
      raise_error({place(column), " has ", found.size(), " classes, ", list(found), "; expected ",
                   Classes, "."});
    }
    return label_column<Classes>(places_among(column, found));
  }

  /// The same of any values, in a file that need not have all classes: label i is `classes[i]`.
  /// Throws `error` for the first cell that is none of them.
  ///
  ///   const auto test = read_csv("test.csv").labels<3>("species", train.classes("species"));
  template <std::int32_t Classes>
  label_column<Classes> labels(std::string_view name,
                               const std::vector<std::string>& classes) const {
    if (classes.size() != static_cast<std::size_t>(Classes)) {
      raise_error({"A column of ", Classes, " classes got ", classes.size(), " names of classes."});
    }
    return label_column<Classes>(places_among(find(name), classes));
  }

  /// Refused with a sentence: labels without the number of their classes.
  template <typename Name, typename... Known>
  label_column<1> labels(const Name&, const Known&...) const {
    static_assert(diagnose<csv_labels_fault_of<Name, Known...>>());
    return label_column<1>(std::vector<std::int32_t>());
  }

 private:
  std::size_t first_row() const { return options_.header ? 1 : 0; }

  void read_header() {
    if (cells_.rows() == 0) {
      raise_error({name_, " is empty."});
    }
    for (std::size_t column = 0; column < columns(); ++column) {
      names_.push_back(options_.header ? std::string(csv::trimmed(cells_.text(0, column)))
                                       : std::to_string(column + 1));
    }
    if (options_.header) {
      check_header();
    }
  }

  static constexpr const char* hint_of_header = " Hint: {.header = false} calls them 1, 2, ...";

  static bool is_number(const std::string& name) { return csv::parse<double>(name).has_value(); }

  /// What is said where a column is not among the names.
  std::string hint_of_names() const {
    const bool numbers = options_.header && std::any_of(names_.begin(), names_.end(), is_number);
    return numbers ? hint_of_header : hint_of_separator(columns() == 1 ? names_[0] : "");
  }

  void check_header() const {
    for (std::size_t column = 0; column < columns(); ++column) {
      const std::string at = name_ + ", line " + std::to_string(cells_.line(0, column)) +
                             ", column " + std::to_string(column + 1);
      if (names_[column].empty()) {
        raise_error({at, " is the name of a column and empty."});
      }
      const auto before = std::find(names_.begin(), names_.end(), names_[column]);
      if (before != names_.begin() + static_cast<std::ptrdiff_t>(column)) {
        raise_error({at, ": a column is called ", printable(names_[column]), ", as column ",
                     before - names_.begin() + 1, " is."});
      }
    }
    if (std::all_of(names_.begin(), names_.end(), is_number)) {
      raise_error({name_, ", line ", cells_.line(0, 0),
                   " holds numbers; expected the names of columns.", hint_of_header});
    }
  }

  csv_kind find_kind(std::size_t column) const {
    csv_kind kind = csv_kind::integers;
    for (std::size_t row = first_row(); row < cells_.rows(); ++row) {
      const std::string_view cell = cells_.text(row, column);
      if (csv::is_missing(cell)) {
        continue;
      }
      if (!csv::parse<double>(cell)) {
        return csv_kind::words;
      }
      if (csv::integer_digits(cell).empty()) {
        kind = csv_kind::numbers;
      }
    }
    return kind;
  }

  /// "houses.csv, column 3 (price)".
  std::string place(std::size_t column) const {
    return name_ + ", column " + std::to_string(column + 1) + " (" + printable(names_[column]) +
           ")";
  }

  /// "houses.csv, line 7, column 3 (price)".
  std::string place(std::size_t row, std::size_t column) const {
    return name_ + ", line " + std::to_string(cells_.line(row, column)) + ", column " +
           std::to_string(column + 1) + " (" + printable(names_[column]) + ")";
  }

  float number(std::size_t row, std::size_t column) const {
    const std::string_view cell = cells_.text(row, column);
    if (csv::is_missing(cell)) {
      if (options_.missing) {
        return *options_.missing;
      }
      raise_error({place(row, column), (csv::trimmed(cell).empty() ? " is empty" : " is missing, "),
                   printable(csv::trimmed(cell)),
                   "; expected a number. Hint: {.missing = 0.0F} takes one in its place."});
    }
    const std::optional<double> value = csv::parse<double>(cell);
    if (!value) {
      raise_error({place(row, column), " is ", printable(cell), "; expected a number."});
    }
    const auto found = static_cast<float>(*value);
    if (is_non_finite(found)) {
      raise_error({place(row, column), " is ", printable(cell),
                   "; expected a finite number that float32 can hold."});
    }
    if (kinds_[column] == csv_kind::integers && !options_.round_integers) {
      check_integer(row, column, found);
    }
    return found;
  }

  /// Throws `error` unless the integer of a cell has become itself.
  void check_integer(std::size_t row, std::size_t column, float found) const {
    constexpr float all_held = 16777216.0F;
    if (std::abs(found) < all_held) {
      return;
    }
    const std::string_view cell = cells_.text(row, column);
    const std::string all_digits = std::to_string(static_cast<double>(found));
    const std::string rounded = all_digits.substr(0, all_digits.find('.'));
    if (csv::integer_digits(cell) == rounded) {
      return;
    }
    raise_error({place(row, column), " is ", printable(cell),
                 ", an integer that float32 cannot hold: it would become ", rounded,
                 ". Hint: {.round_integers = true} takes the nearest that it can."});
  }

  std::string_view word(std::size_t row, std::size_t column) const {
    const std::string_view cell = cells_.text(row, column);
    if (csv::trimmed(cell).empty()) {
      raise_error({place(row, column), " is empty; expected a class."});
    }
    return cell;
  }

  /// Whether no cell is a number: what is one in a file would be taken as it stands in another.
  bool holds_words_alone(std::size_t column) const {
    for (std::size_t row = first_row(); row < cells_.rows(); ++row) {
      const std::string_view cell = cells_.text(row, column);
      if (!csv::is_missing(cell) && csv::parse<double>(cell)) {
        return false;
      }
    }
    return kinds_[column] == csv_kind::words;
  }

  std::vector<std::int32_t> plain_labels(std::size_t column, std::int32_t classes) const {
    std::vector<std::int32_t> found;
    for (std::size_t row = first_row(); row < cells_.rows(); ++row) {
      const std::string_view cell = word(row, column);
      const std::optional<std::int64_t> value = csv::parse<std::int64_t>(cell);
      if (!value || *value < 0 || *value >= classes) {
        const std::string name = printable(names_[column]);
        raise_error({place(row, column), " is ", printable(cell),
                     "; expected an integer from 0 to ", classes - 1,
                     ", a class as it stands. Hint: labels<", classes, ">(\"", name,
                     "\", known) takes other values, where known = classes(\"", name,
                     "\") of the file that is trained on."});
      }
      found.push_back(static_cast<std::int32_t>(*value));
    }
    return found;
  }

  std::vector<std::int32_t> places_among(std::size_t column,
                                         const std::vector<std::string>& classes) const {
    std::vector<std::int32_t> found;
    for (std::size_t row = first_row(); row < cells_.rows(); ++row) {
      const auto at = std::find(classes.begin(), classes.end(), word(row, column));
      if (at == classes.end()) {
        raise_error({place(row, column), " is ", printable(cells_.text(row, column)),
                     "; expected one of ", list(classes), "."});
      }
      found.push_back(static_cast<std::int32_t>(at - classes.begin()));
    }
    return found;
  }

  /// "setosa, versicolor, virginica"; of many the first few.
  static std::string list(const std::vector<std::string>& words) {
    constexpr std::size_t most = 8;
    std::string all;
    for (std::size_t i = 0; i < words.size() && i < most; ++i) {
      all += (i == 0 ? "" : ", ") + printable(words[i]);
    }
    return words.size() > most ? all + ", ..." : all;
  }

  csv_cells cells_;
  std::string name_;
  csv_options options_;
  std::vector<std::string> names_;
  std::vector<csv_kind> kinds_;
};

/// The table of a CSV file's bytes. `name` is what sentences call the file. Throws `error` for what
/// `parse_csv` refuses, for a file without cells, for a header of numbers alone, for names of
/// columns that are empty or twice there, and for a `missing` that is not finite.
inline csv_table parse_csv_table(std::span<const std::uint8_t> bytes, const std::string& name,
                                 const csv_options& options = {}) {
  if (options.missing && is_non_finite(*options.missing)) {
    raise_error({"read_csv of ", name, " expects a finite number as .missing, got ",
                 std::to_string(*options.missing), ". Hint: {.missing = 0.0F}."});
  }
  return {parse_csv(bytes, name, options.separator), name, options};
}

/// The table of the CSV file at `path`:
///
///   const csv_table houses = read_csv("houses.csv");
///   const auto data = zipped(houses.features({"size", "rooms"}), houses.targets({"price"}));
///
/// Throws `error` if it is missing, and for what is wrong with it, by line and column.
inline csv_table read_csv(const std::string& path, const csv_options& options = {},
                          file_reader reader = read_file) {
  return parse_csv_table(reader(path), path, options);
}

}  // namespace ipu_dsl
