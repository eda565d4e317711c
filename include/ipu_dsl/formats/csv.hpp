// SPDX-License-Identifier: MIT
// CSV as RFC 4180 has it: rows of cells, all rows of one length. Opt-in. Of the parsers that are
// packaged, libcsv takes quotes amiss in silence and tells no place, fast-cpp-csv-parser has lines
// end within quotes: this one is as large as what either would need around it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/printable.hpp>

namespace ipu_dsl {

/// What is said of a file whose first row is one cell that holds what other files separate cells
/// by; otherwise nothing.
inline std::string hint_of_separator(std::string_view only_cell) {
  const std::size_t at = only_cell.find_first_of(";\t|");
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string letter(only_cell[at] == '\t' ? "\\t" : only_cell.substr(at, 1));
  return " Hint: {.separator = '" + letter + "'} reads it as several.";
}

/// The cells of a file, [rows, columns], and the lines that they begin in.
class csv_cells {
 public:
  /// How many rows there are.
  std::size_t rows() const { return columns_ == 0 ? 0 : places_.size() / columns_; }

  /// How many cells every row has.
  std::size_t columns() const { return columns_; }

  /// A cell without its quotes.
  std::string_view text(std::size_t row, std::size_t column) const {
    const place& found = places_[row * columns_ + column];
    return std::string_view(text_).substr(found.first, found.length);
  }

  /// The line that it begins in, counted from 1.
  std::int64_t line(std::size_t row, std::size_t column) const {
    return places_[row * columns_ + column].line;
  }

 private:
  friend class csv_parser;

  struct place {
    std::size_t first;
    std::uint32_t length;
    std::uint32_t line;
  };

  std::string text_;  // of all cells, one behind the other
  std::vector<place> places_;
  std::size_t columns_ = 0;
};

/// Reads the cells of a file; see `parse_csv`.
class csv_parser {
 public:
  csv_parser(std::span<const std::uint8_t> bytes, const std::string& name, char separator)
      : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        name_(name),
        separator_(separator) {}

  csv_cells parse() {
    check_separator();
    check_text();
    if (text_.starts_with("\xEF\xBB\xBF")) {
      at_ = 3;
    }
    while (at_ < text_.size()) {
      read_row();
    }
    return std::move(cells_);
  }

 private:
  void check_separator() const {
    const bool ends_other = separator_ == '"' || separator_ == '\n' || separator_ == '\r';
    const bool in_numbers =
        std::string_view("0123456789+-.").find(separator_) != std::string_view::npos;
    if (ends_other || in_numbers) {
      raise_error(
          {name_, " cannot be read with the separator ",
           printable(std::string_view(&separator_, 1)),
           ends_other ? ", which ends lines or begins quotes" : ", which numbers are made of",
           ". Hint: {.separator = ','}."});
    }
  }

  /// Throws `error` for what no CSV file can begin with, or has in it.
  void check_text() const {
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
      raise_error({name_, " is UTF-16; expected UTF-8."});
    }
    if (text_.size() > (std::numeric_limits<std::uint32_t>::max)()) {
      raise_error({name_, " has ", text_.size(), " bytes; expected fewer than 2^32."});
    }
    const std::size_t zero = text_.find('\0');
    if (zero != std::string_view::npos) {
      const auto lines =
          std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
      raise_error({name_, ", line ", lines + 1, " has a byte 0: it is no text."});
    }
  }

  /// The cells of a row, unless it is an empty line.
  void read_row() {
    const std::uint32_t line = line_;
    if (at_line_end()) {
      take_line_end();
      return;
    }
    std::size_t count = 0;
    bool more = true;
    while (more) {
      read_cell(++count);
      more = at_ < text_.size() && text_[at_] == separator_;
      at_ += more ? 1U : 0U;
    }
    take_line_end();
    if (cells_.columns_ == 0) {
      cells_.columns_ = count;
    }
    if (count != cells_.columns_) {
      raise_error({name_, ", line ", line, " has ", count, (count == 1 ? " cell" : " cells"),
                   "; expected ", cells_.columns_, ", as the first line has.",
                   (cells_.columns_ == 1 ? hint_of_separator(cells_.text(0, 0)) : "")});
    }
  }

  void read_cell(std::size_t column) {
    const std::size_t first = cells_.text_.size();
    const std::uint32_t line = line_;
    if (at_ < text_.size() && text_[at_] == '"') {
      read_quoted(column);
    } else {
      read_plain(column);
    }
    cells_.places_.push_back(
        {first, static_cast<std::uint32_t>(cells_.text_.size() - first), line});
  }

  void read_plain(std::size_t column) {
    while (at_ < text_.size() && text_[at_] != separator_ && !at_line_end()) {
      if (text_[at_] == '"') {
        raise_error({place(line_, column),
                     " has a quote in a cell that does not begin with one. Hint: \"5\"\"\" is 5\" "
                     "as a cell."});
      }
      cells_.text_ += text_[at_];
      ++at_;
    }
  }

  /// Two quotes are one; one is the end.
  void read_quoted(std::size_t column) {
    const std::uint32_t begin = line_;
    ++at_;
    while (at_ < text_.size()) {
      const char byte = text_[at_];
      ++at_;
      if (byte == '"' && (at_ == text_.size() || text_[at_] != '"')) {
        check_end_of_cell(column);
        return;
      }
      at_ += byte == '"' ? 1U : 0U;
      line_ += byte == '\n' ? 1U : 0U;
      cells_.text_ += byte;
    }
    raise_error({place(begin, column), " begins with a quote that never ends."});
  }

  void check_end_of_cell(std::size_t column) const {
    if (at_ < text_.size() && text_[at_] != separator_ && !at_line_end()) {
      raise_error({place(line_, column), " goes on behind its quotes: expected ",
                   printable(std::string_view(&separator_, 1)), " or the end of the line, got ",
                   printable(text_.substr(at_, 1)), "."});
    }
  }

  bool at_line_end() const {
    return at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r');
  }

  void take_line_end() {
    if (at_ < text_.size()) {
      at_ += text_.substr(at_, 2) == "\r\n" ? 2U : 1U;
      ++line_;
    }
  }

  std::string place(std::uint32_t line, std::size_t column) const {
    return name_ + ", line " + std::to_string(line) + ", column " + std::to_string(column);
  }

  std::string_view text_;
  const std::string& name_;
  char separator_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  csv_cells cells_;
};

/// Parses the bytes of a CSV file of UTF-8, with or without a mark of that at its beginning: cells
/// between separators, lines that end with a line feed, a carriage return or both; a cell in quotes
/// holds separators, lines and, twice each, quotes. Blanks belong to cells, empty lines are left
/// out. `name` is what sentences call the file. Throws `error` with line and column for a row of
/// another length than the first, a quote in the middle of a cell, one without end, what follows
/// one, for what is no text, and for a separator that ends lines or begins quotes.
inline csv_cells parse_csv(std::span<const std::uint8_t> bytes, const std::string& name,
                           char separator = ',') {
  return csv_parser(bytes, name, separator).parse();
}

}  // namespace ipu_dsl
