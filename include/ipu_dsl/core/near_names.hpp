// SPDX-License-Identifier: MIT
// Names that a person may have meant.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/core/list.hpp>

namespace ipu_dsl::near_names {

/// Small letters, and one kind of dash: "ZB_H1" and "zb-h1" are the same name.
constexpr char folded(char letter) {
  if (letter >= 'A' && letter <= 'Z') {
    return static_cast<char>(letter - 'A' + 'a');
  }
  return letter == '_' || letter == ' ' ? '-' : letter;
}

/// How many letters have to be put in, left out or replaced to make one name of the other
/// (Levenshtein's distance).
constexpr int edit_distance(std::string_view left, std::string_view right) {
  // The distances of the beginnings of `right` from the beginning of `left` up to a letter.
  list<int> row;
  for (std::size_t i = 0; i <= right.size(); ++i) {
    row.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i) + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const int replaced = diagonal + (folded(left[i]) == folded(right[j]) ? 0 : 1);
      diagonal = row[j + 1];
      const int shorter = row[j] < row[j + 1] ? row[j] : row[j + 1];
      row[j + 1] = replaced <= shorter ? replaced : shorter + 1;
    }
  }
  return row[right.size()];
}

/// Whether a name begins with these letters.
constexpr bool begins_with(std::string_view name, std::string_view letters) {
  return name.size() >= letters.size() &&
         edit_distance(name.substr(0, letters.size()), letters) == 0;
}

/// The distance of names that have nothing to do with each other.
inline constexpr int unrelated = 1 << 20;

/// How far `wanted` is from a name: its distance if that is at most a third of its letters, 1 if it
/// is the beginning of the name, `unrelated` otherwise. A single letter is near itself alone.
constexpr int distance(std::string_view wanted, std::string_view name) {
  // Nothing longer than any name is near one, however long it is.
  constexpr std::size_t longest = 64;
  if (wanted.empty() || wanted.size() > longest) {
    return unrelated;
  }
  if (wanted.size() == 1) {
    return edit_distance(wanted, name) == 0 ? 0 : unrelated;
  }
  const int edits = edit_distance(wanted, name);
  if (3 * edits <= static_cast<int>(wanted.size()) + 1) {
    return edits;
  }
  return begins_with(name, wanted) ? 1 : unrelated;
}

/// The least distance from any of several names with ", " between them.
constexpr int least_distance(std::string_view wanted, std::string_view names) {
  int least = unrelated;
  while (!names.empty()) {
    const std::size_t comma = names.find(", ");
    const int one = distance(wanted, names.substr(0, comma));
    least = one < least ? one : least;
    names = comma == std::string_view::npos ? std::string_view() : names.substr(comma + 2);
  }
  return least;
}

}  // namespace ipu_dsl::near_names
