// SPDX-License-Identifier: MIT
// Sentences at run time, joined of text and numbers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

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

  void append_to(std::string& made) const {
    if (words_ != nullptr) {
      made.append(words_, magnitude_);
      return;
    }
    // 20 digits and a sign, written from the end.
    char written[21];
    std::size_t begin = sizeof written;
    std::uint64_t rest = magnitude_;
    do {
      written[--begin] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (is_negative_) {
      written[--begin] = '-';
    }
    made.append(written + begin, sizeof written - begin);
  }

 private:
  const char* words_ = nullptr;  ///< null if it is a number
  std::uint64_t magnitude_ = 0;  ///< of a number, or the length of the text
  bool is_negative_ = false;
};

/// The parts, one after the other: `sentence_of({"axis ", 2, " of the batch"})`. It is compiled
/// once, where a chain of `+` is compiled wherever it stands.
[[gnu::cold, gnu::noinline]] inline std::string sentence_of(
    std::initializer_list<sentence_part> parts) {
  std::string made;
  for (const sentence_part& part : parts) {
    part.append_to(made);
  }
  return made;
}

}  // namespace ipu_dsl
