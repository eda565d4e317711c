// SPDX-License-Identifier: MIT
// JSON (RFC 8259) read from front to back, for formats that know what comes next.
// Over 300 lines: one small strict reader of texts, numbers and what is passed over.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/formats/printable.hpp>

namespace ipu_dsl {

/// Reads JSON from front to back, what comes next being asked for: strict, and with no more memory
/// than what it hands out.
class json_text {
 public:
  /// `what` and `name` begin every sentence, "The safetensors header of " and "w.safetensors", and
  /// outlive it.
  json_text(std::string_view text, std::string_view what, std::string_view name)
      : text_(text), what_(what), name_(name) {}

  /// What sentences say of the place from here on, "layer 2"; nothing if it is empty.
  void enter(std::string place) { place_ = std::move(place); }

  /// True, and stepped over, if `mark` comes next; blanks before it do not count.
  bool accept(char mark) {
    skip_blanks();
    if (text_.empty() || text_[0] != mark) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }

  /// Throws `error` unless `mark` comes next; steps over it.
  void expect(char mark) {
    if (!accept(mark)) {
      refuse(sentence_of({"expected ", std::string_view(&mark, 1), " before: ", next_words()}));
    }
  }

  /// A text in quotes, its escapes as the characters that they stand for.
  std::string quoted() {
    expect('"');
    std::string words;
    while (true) {
      const std::size_t plain = text_.find_first_of("\"\\");
      if (plain == std::string_view::npos) {
        refuse("a text does not end");
      }
      append_plain(words, text_.substr(0, plain));
      const char mark = text_[plain];
      text_.remove_prefix(plain + 1);
      if (mark == '"') {
        return words;
      }
      append_escaped(words);
    }
  }

  /// A whole number without a sign.
  std::uint64_t number() {
    skip_blanks();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    while (digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9') {
      const auto digit = static_cast<std::uint64_t>(text_[digits] - '0');
      if (value > ((std::numeric_limits<std::int64_t>::max)() - digit) / 10) {
        refuse("a number is too large");
      }
      value = value * 10 + digit;
      ++digits;
    }
    if (digits == 0) {
      refuse(sentence_of({"expected a whole number before: ", next_words()}));
    }
    if (digits > 1 && text_[0] == '0') {
      refuse(sentence_of({"a number begins with 0: ", next_words()}));
    }
    text_.remove_prefix(digits);
    return value;
  }

  /// The float32 that is nearest to a number. Throws `error` if that would be infinite, or if it is
  /// smaller than any float64.
  float real() {
    skip_blanks();
    const std::size_t length = length_of_number();
    const char* const begin = text_.data();
    float value = 0;
    if (std::from_chars(begin, begin + length, value).ec != std::errc()) {
      // What is too large and what is too small are told apart by a wider type, if it has either.
      double wide = 0;
      const bool known = std::from_chars(begin, begin + length, wide).ec == std::errc();
      if (!known || wide > 1 || wide < -1) {
        refuse(
            sentence_of({"a number is beyond float32: ", printable(text_.substr(0, length), 20)}));
      }
      value = static_cast<float>(wide);
    }
    text_.remove_prefix(length);
    return value;
  }

  /// Steps over a value, whatever it is. Throws `error` if it is none, or deeper than 32 lists.
  void skip_value() { skip_value(32); }

  /// True, and stepped over, if the word comes next: `null`, `true`, `false`.
  bool accept_word(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) {
      return false;
    }
    text_.remove_prefix(word.size());
    return true;
  }

  /// True if `mark` comes next.
  bool sees(char mark) {
    skip_blanks();
    return !text_.empty() && text_[0] == mark;
  }

  /// Throws `error` unless only blanks are left.
  void expect_end() {
    skip_blanks();
    if (!text_.empty()) {
      refuse(sentence_of({"something follows it: ", next_words()}));
    }
  }

  /// Throws `error`.
  [[noreturn]] void refuse(std::string_view reason) const {
    raise_error(
        {what_, name_, " makes no sense: ", place_, place_.empty() ? "" : ": ", reason, "."});
  }

 private:
  void skip_blanks() {
    const std::size_t begin = (std::min)(text_.find_first_not_of(" \t\n\r"), text_.size());
    text_.remove_prefix(begin);
  }

  /// How many digits stand from `begin` on.
  std::size_t digits_from(std::size_t begin) const {
    const std::size_t end = (std::min)(text_.find_first_not_of("0123456789", begin), text_.size());
    return end - (std::min)(begin, end);
  }

  /// The letters of the number that comes next, which JSON writes with digits around a point.
  /// Throws `error` if none does.
  std::size_t length_of_number() const {
    std::size_t length = text_.starts_with('-') ? 1 : 0;
    const std::size_t whole = digits_from(length);
    bool fits = whole == 1 || (whole > 1 && text_[length] != '0');
    length += whole;
    if (fits && length < text_.size() && text_[length] == '.') {
      const std::size_t digits = digits_from(length + 1);
      fits = digits > 0;
      length += 1 + digits;
    }
    if (fits && length < text_.size() && (text_[length] == 'e' || text_[length] == 'E')) {
      ++length;
      const bool has_sign = length < text_.size() && (text_[length] == '+' || text_[length] == '-');
      length += has_sign ? 1U : 0U;
      const std::size_t digits = digits_from(length);
      fits = digits > 0;
      length += digits;
    }
    if (!fits) {
      refuse(sentence_of({"expected a number before: ", next_words()}));
    }
    return length;
  }

  /// The values of a list or an object, of which so many may stand in each other.
  void skip_list(char end, int depth) {
    if (depth == 0) {
      refuse("lists stand too deep in each other");
    }
    if (accept(end)) {
      return;
    }
    do {
      if (end == '}') {
        quoted();
        expect(':');
      }
      skip_value(depth - 1);
    } while (accept(','));
    expect(end);
  }

  void skip_value(int depth) {
    if (accept('{')) {
      skip_list('}', depth);
    } else if (accept('[')) {
      skip_list(']', depth);
    } else if (sees('"')) {
      quoted();
    } else if (!accept_word("null") && !accept_word("true") && !accept_word("false")) {
      text_.remove_prefix(length_of_number());
    }
  }

  std::string next_words() const { return text_.empty() ? "the end" : printable(text_, 20); }

  /// Throws `error` for what must be escaped in a text, and for bytes that are no UTF-8.
  void append_plain(std::string& words, std::string_view plain) const {
    const bool has_control = std::any_of(plain.begin(), plain.end(), [](char letter) {
      return static_cast<unsigned char>(letter) < 0x20;
    });
    if (has_control || !is_utf8(plain)) {
      refuse(sentence_of({"a text has ",
                          has_control ? "a control character" : "bytes that are no UTF-8", ": ",
                          printable(plain, 20)}));
    }
    words += plain;
  }

  /// Four hexadecimal digits.
  std::uint32_t code_unit() {
    std::uint32_t unit = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      constexpr std::string_view digits = "0123456789abcdef0123456789ABCDEF";
      const std::size_t digit = i < text_.size() ? digits.find(text_[i]) : std::string_view::npos;
      if (digit == std::string_view::npos) {
        refuse(sentence_of({"expected four hexadecimal digits before: ", next_words()}));
      }
      unit = unit << 4 | static_cast<std::uint32_t>(digit & 15);
    }
    text_.remove_prefix(4);
    return unit;
  }

  /// A character that is written as one code unit of UTF-16, or as two.
  std::uint32_t code_point() {
    const std::uint32_t first = code_unit();
    if (first < 0xD800 || first > 0xDFFF) {
      return first;
    }
    if (first > 0xDBFF || !text_.starts_with("\\u")) {
      refuse("a text has half of a UTF-16 pair");
    }
    text_.remove_prefix(2);
    const std::uint32_t second = code_unit();
    if (second < 0xDC00 || second > 0xDFFF) {
      refuse("a text has half of a UTF-16 pair");
    }
    return 0x1'0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  static void append_utf8(std::string& words, std::uint32_t point) {
    const auto append = [&](std::uint32_t lead, std::uint32_t shift) {
      words += static_cast<char>(lead | point >> shift);
      while (shift > 0) {
        shift -= 6;
        words += static_cast<char>(0x80 | (point >> shift & 0x3F));
      }
    };
    if (point < 0x80) {
      append(0, 0);
    } else if (point < 0x800) {
      append(0xC0, 6);
    } else if (point < 0x1'0000) {
      append(0xE0, 12);
    } else {
      append(0xF0, 18);
    }
  }

  void append_escaped(std::string& words) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    const char letter = text_.empty() ? '\0' : text_[0];
    const std::size_t known = letters.find(letter);
    if (letter != 'u' && known == std::string_view::npos) {
      refuse(sentence_of({"unknown escape before: ", next_words()}));
    }
    text_.remove_prefix(1);
    if (letter == 'u') {
      append_utf8(words, code_point());
    } else {
      words += meant[known];
    }
  }

  std::string_view text_;
  std::string_view what_;
  std::string_view name_;
  std::string place_;
};

}  // namespace ipu_dsl
