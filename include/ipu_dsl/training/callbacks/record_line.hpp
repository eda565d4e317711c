// SPDX-License-Identifier: MIT
// A line of text with numbers, in memory that was taken before.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace ipu_dsl {

/// A line that grows by `<<`. It takes memory where it becomes longer than `reserve` said, and no
/// more when it is begun again. Numbers have a point, whatever the locale.
class record_line {
 public:
  void reserve(std::size_t characters) { words_.reserve(characters); }

  void begin() { words_.clear(); }

  std::string_view view() const { return words_; }

  const char* data() const { return words_.data(); }

  std::size_t size() const { return words_.size(); }

  record_line& operator<<(std::string_view words) {
    words_ += words;
    return *this;
  }

  record_line& operator<<(std::int64_t number) {
    char written[24];
    const auto end = std::to_chars(written, written + sizeof written, number).ptr;
    words_.append(written, end);
    return *this;
  }

  /// The shortest digits that are this number and no other: "0.1", "nan", "inf".
  record_line& operator<<(double number) {
    char written[32];
    const auto end = std::to_chars(written, written + sizeof written, number).ptr;
    words_.append(written, end);
    return *this;
  }

  /// With so many digits behind the point; "1.2e-05" where `scientific`.
  record_line& fixed(double number, int digits, bool scientific = false) {
    char written[400];
    const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
    const auto end = std::to_chars(written, written + sizeof written, number, format, digits).ptr;
    words_.append(written, end);
    return *this;
  }

  record_line& repeat(char letter, std::int64_t count) {
    words_.append(count > 0 ? static_cast<std::size_t>(count) : 0, letter);
    return *this;
  }

 private:
  std::string words_;
};

}  // namespace ipu_dsl
