// SPDX-License-Identifier: MIT
// Numbers and paragraphs for a terminal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace schedule_study {

/// Characters of a line.
inline constexpr std::size_t page_width = 100;

/// "33", "28.5" or "9.333": `parts` of which `whole` make one, to the third decimal.
inline std::string fraction(std::int64_t parts, std::int64_t whole) {
  if (parts % whole == 0) {
    return std::to_string(parts / whole);
  }
  char words[40];
  std::snprintf(words, sizeof words, "%.3f",
                static_cast<double>(parts) / static_cast<double>(whole));
  std::string text = words;
  text.resize(text.find_last_not_of('0') + 1);
  return text;
}

/// "1 stage", "4 stages", "2 micro-batches"
inline std::string counted(std::int64_t count, const std::string& what) {
  const std::string ending = what.ends_with("ch") ? "es" : "s";
  return std::to_string(count) + " " + what + (count == 1 ? "" : ending);
}

/// "sequential   "
inline std::string padded(std::string words, std::size_t width) {
  words.resize(std::max(width, words.size()), ' ');
  return words;
}

/// Appends words to a page whose last line they continue. A line that would be too long ends before
/// a word, and goes on below the column `indent`.
inline void append_wrapped(std::string& page, std::string_view words, std::size_t indent) {
  const std::size_t line_end = page.rfind('\n');
  std::size_t column = page.size() - (line_end == std::string::npos ? 0 : line_end + 1);
  bool first = true;
  while (!words.empty()) {
    const std::size_t length = std::min(words.find(' '), words.size());
    if (!first && column + 1 + length > page_width) {
      page += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      page += ' ';
      ++column;
    }
    page += words.substr(0, length);
    column += length;
    words.remove_prefix(std::min(length + 1, words.size()));
    first = false;
  }
  page += '\n';
}

/// Rows of words, of which the first column stands left and the others right.
class table {
 public:
  void add_row(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const std::vector<std::string>& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths[i] = std::max(widths[i], row[i].size());
      }
    }
    std::string page;
    for (const std::vector<std::string>& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        page += i == 0 ? padded(row[i], widths[i])
                       : std::string(widths[i] - row[i].size() + 2, ' ') + row[i];
      }
      page.resize(page.find_last_not_of(' ') + 1);
      page += '\n';
    }
    return page;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Gives all numbers of a column as many decimals as the one with most of them: 33 and 28.5 become
/// 33.0 and 28.5, so that they can be compared at a glance.
inline void align_decimals(std::vector<std::string>& numbers) {
  std::size_t most = 0;
  for (const std::string& number : numbers) {
    const std::size_t point = number.find('.');
    most = std::max(most, point == std::string::npos ? 0 : number.size() - point - 1);
  }
  for (std::string& number : numbers) {
    const std::size_t point = number.find('.');
    const std::size_t decimals = point == std::string::npos ? 0 : number.size() - point - 1;
    number += most > 0 && point == std::string::npos ? "." : "";
    number += std::string(most - decimals, '0');
  }
}

}  // namespace schedule_study
