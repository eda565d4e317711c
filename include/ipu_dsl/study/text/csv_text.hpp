// SPDX-License-Identifier: MIT
// The words of schedules as text, and the place in a text where reading goes on.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/schedule/action.hpp>

namespace ipu_dsl::csv {

/// A word for what an action does. Communication is passed over: here edges communicate, not rows.
struct word {
  std::string_view characters;
  action_kind kind = action_kind::forward;
  bool communicates = false;
};

/// By kind of action: the letters of PyTorch's grammar (torch/distributed/pipelining/schedules.py)
/// and, for what it has no words for, words of this library. Behind them PyTorch's words of
/// communication.
inline constexpr word vocabulary[] = {
    {"F", action_kind::forward},
    {"B", action_kind::backward},
    {"I", action_kind::input_gradient},
    {"W", action_kind::weight_gradient},
    {"RECOMPUTE", action_kind::recompute},
    {"UPDATE", action_kind::update},
    {"OFFLOAD", action_kind::offload},
    {"FETCH", action_kind::fetch},
    {"SEND_F", action_kind::forward, true},
    {"RECV_F", action_kind::forward, true},
    {"SEND_B", action_kind::backward, true},
    {"RECV_B", action_kind::backward, true},
    {"UNSHARD", action_kind::update, true},
    {"RESHARD", action_kind::update, true},
    {"REDUCE_GRAD", action_kind::update, true},
};

/// What stands behind the parentheses of actions that are one step.
inline constexpr std::string_view joined_word = "OVERLAP_F_B";

/// The word of a kind.
constexpr std::string_view word_of(action_kind kind) {
  return vocabulary[static_cast<int>(kind)].characters;
}

inline constexpr int vocabulary_size = sizeof(vocabulary) / sizeof(word);

/// The entry of a word in the vocabulary, or its size if there is none.
constexpr int find_word(std::string_view characters) {
  int entry = 0;
  while (entry < vocabulary_size && vocabulary[entry].characters != characters) {
    ++entry;
  }
  return entry;
}

/// Line ends of Windows are a carriage return more, which is read as a space.
constexpr bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r';
}

constexpr bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

constexpr bool is_word_letter(char letter) {
  return (letter >= 'A' && letter <= 'Z') || letter == '_';
}

/// A piece of the text in quotation marks, for a sentence: cut where it gets long, and with a
/// question mark for what is not printable.
constexpr label quote(std::string_view piece) {
  constexpr std::size_t longest = 32;
  label words_of_piece = "\"";
  for (const char letter : piece.substr(0, longest)) {
    words_of_piece << (letter >= ' ' && letter <= '~' ? letter : '?');
  }
  return words_of_piece << (piece.size() > longest ? "...\"" : "\"");
}

/// The longest text: what counts characters and lines is an int.
inline constexpr std::size_t most_characters = std::size_t{1} << 28;

/// Why a text is not read at all.
constexpr problem fault_of_characters(std::string_view text) {
  problem found;
  if (text.size() > most_characters) {
    found.expected << "at most " << most_characters << " characters";
    found.got << text.size();
  } else if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    found = refuse("a text in UTF-8", "one in UTF-16", "save it as CSV in UTF-8");
  }
  return found;
}

/// The text behind the byte-order mark of UTF-8, if it begins with one.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

/// Where in a text reading goes on. Nothing is read at or behind `end`.
struct cursor {
  /// What a number is at most; a larger one is read as this, so that none overflows.
  static constexpr int most = 1'000'000;

  const char* at = nullptr;
  const char* end = nullptr;
  const char* line_begin = nullptr;
  int line = 1;

  constexpr explicit cursor(std::string_view text)
      : at(text.data()), end(text.data() + text.size()), line_begin(text.data()) {}

  constexpr bool ends_text() const { return at == end; }

  constexpr bool ends_line() const { return at == end || *at == '\n'; }

  constexpr bool ends_cell() const { return at == end || *at == ',' || *at == '\n'; }

  constexpr bool stands_at(char letter) const { return at != end && *at == letter; }

  constexpr void skip_blanks() {
    while (at != end && is_blank(*at)) {
      ++at;
    }
  }

  /// From the end of a line to the next line.
  constexpr void next_line() {
    if (at != end) {
      ++at;
      ++line;
      line_begin = at;
    }
  }

  /// To the first line that is not blank, or to a blank one that nothing follows.
  constexpr void skip_blank_lines() {
    cursor ahead = *this;
    ahead.skip_blanks();
    while (ahead.stands_at('\n')) {
      ahead.next_line();
      *this = ahead;
      ahead.skip_blanks();
    }
  }

  /// A number of digits, or -1 if there are none.
  constexpr int read_number() {
    int number = -1;
    while (at != end && is_digit(*at)) {
      number = (number < 0 ? 0 : number) * 10 + (*at - '0');
      number = number < most ? number : most;
      ++at;
    }
    return number;
  }

  /// Capital letters and underscores.
  constexpr std::string_view read_word() {
    const char* const begin = at;
    while (at != end && is_word_letter(*at)) {
      ++at;
    }
    return {begin, static_cast<std::size_t>(at - begin)};
  }

  /// What stands between `begin` and the end of its cell, without the blanks at its end.
  constexpr std::string_view cell_from(const char* begin) const {
    cursor ahead = *this;
    ahead.at = begin;
    const char* last = begin;
    while (!ahead.ends_cell()) {
      last = is_blank(*ahead.at) ? last : ahead.at + 1;
      ++ahead.at;
    }
    return {begin, static_cast<std::size_t>(last - begin)};
  }
};

}  // namespace ipu_dsl::csv
