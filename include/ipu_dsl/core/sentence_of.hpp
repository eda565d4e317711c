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

/// A part of a sentence: text, which has to outlive it, or a whole number.
class sentence_part {
 public:
  constexpr sentence_part(std::string_view words) : words_(words) {}

  constexpr sentence_part(const char* words) : words_(words) {}

  sentence_part(const std::string& words) : words_(words) {}

  template <std::size_t Capacity>
  constexpr sentence_part(const text<Capacity>& words) : words_(words.view()) {}

  template <std::integral Number>
    requires(!std::same_as<Number, char> && !std::same_as<Number, bool>)
  constexpr sentence_part(Number number)
      : magnitude_(static_cast<std::uint64_t>(number)), is_number_(true) {
    if constexpr (std::signed_integral<Number>) {
      is_negative_ = number < 0;
      magnitude_ = is_negative_ ? 0 - magnitude_ : magnitude_;
    }
  }

  void append_to(std::string& made) const {
    if (is_number_) {
      made += is_negative_ ? "-" : "";
      made += std::to_string(magnitude_);
    } else {
      made += words_;
    }
  }

 private:
  std::string_view words_;
  std::uint64_t magnitude_ = 0;
  bool is_negative_ = false;
  bool is_number_ = false;
};

/// The parts, one after the other: `sentence_of({"axis ", 2, " of the batch"})`. It is compiled
/// once, where a chain of `+` is compiled wherever it stands.
[[gnu::noinline]] inline std::string sentence_of(std::initializer_list<sentence_part> parts) {
  std::string made;
  for (const sentence_part& part : parts) {
    part.append_to(made);
  }
  return made;
}

}  // namespace ipu_dsl
