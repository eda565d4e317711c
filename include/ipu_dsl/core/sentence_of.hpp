// SPDX-License-Identifier: MIT
// Sentences at run time, joined of text and numbers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/text.hpp>

namespace ipu_dsl {

/// A part of a sentence: text, which has to outlive it, or a whole number. Three words, because
/// every place that refuses something writes several of them.
class sentence_part {
 public:
  constexpr sentence_part(std::string_view words)
      : words_(words.empty() ? "" : words.data()), magnitude_(words.size()) {}

  constexpr sentence_part(const char* words) : sentence_part(std::string_view(words)) {}

  sentence_part(const std::string& words) : words_(words.data()), magnitude_(words.size()) {}

  template <std::size_t Capacity>
  constexpr sentence_part(const text<Capacity>& words) : sentence_part(words.view()) {}

  template <std::integral Number>
    requires(!std::same_as<Number, char> && !std::same_as<Number, bool>)
  constexpr sentence_part(Number number) : magnitude_(static_cast<std::uint64_t>(number)) {
    if constexpr (std::signed_integral<Number>) {
      is_negative_ = number < 0;
      magnitude_ = is_negative_ ? 0 - magnitude_ : magnitude_;
    }
  }

  /// The characters of a number: 20 digits and a sign.
  using number_room = char[21];

  /// Its text; that of a number is written into `room`, from the end.
  std::string_view text_in(number_room& room) const {
    if (words_ != nullptr) {
      return {words_, magnitude_};
    }
    std::size_t begin = sizeof room;
    std::uint64_t rest = magnitude_;
    do {
      room[--begin] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (is_negative_) {
      room[--begin] = '-';
    }
    return {room + begin, sizeof room - begin};
  }

 private:
  const char* words_ = nullptr;  ///< null if it is a number
  std::uint64_t magnitude_ = 0;  ///< of a number, or the length of the text
  bool is_negative_ = false;
};

/// The parts, one after the other, and a zero behind them. Not of a `std::string`, whose growth is
/// compiled anew in every source that can refuse something.
[[gnu::cold, gnu::noinline]] inline list<char> joined_parts(
    std::initializer_list<sentence_part> parts) {
  sentence_part::number_room room;
  std::size_t length = 0;
  for (const sentence_part& part : parts) {
    length += part.text_in(room).size();
  }
  list<char> made(length + 1);
  char* to = made.data();
  for (const sentence_part& part : parts) {
    for (const char letter : part.text_in(room)) {
      *to = letter;
      ++to;
    }
  }
  return made;
}

/// The parts, one after the other: `sentence_of({"axis ", 2, " of the batch"})`. It is compiled
/// once, where a chain of `+` is compiled wherever it stands.
[[gnu::cold, gnu::noinline]] inline std::string sentence_of(
    std::initializer_list<sentence_part> parts) {
  const list<char> made = joined_parts(parts);
  return std::string(made.data(), made.size() - 1);
}

}  // namespace ipu_dsl
