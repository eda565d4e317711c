// SPDX-License-Identifier: MIT
// Text that stands in a file, made fit for a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

namespace texts {

/// A character of UTF-8 at the front of a text.
struct character {
  std::uint32_t code_point = 0;
  std::size_t bytes = 0;  ///< 0: the text does not begin with a character
};

/// How many bytes the character has that begins with `lead`, or 0 if none does.
constexpr std::size_t length_by_lead(std::uint32_t lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xC2 || lead > 0xF4) {
    return 0;
  }
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/// The first character of `words`, which is not empty. What has a shorter form, what is half of a
/// UTF-16 pair and what lies above U+10FFFF is no character.
constexpr character first_character(std::string_view words) {
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x1'0000};
  constexpr std::uint32_t lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  const std::uint32_t lead = static_cast<unsigned char>(words[0]);
  const std::size_t length = length_by_lead(lead);
  if (length == 0 || length > words.size()) {
    return {};
  }
  std::uint32_t code_point = lead & lead_bits[length];
  for (const char byte : words.substr(1, length - 1)) {
    const std::uint32_t bits = static_cast<unsigned char>(byte);
    if ((bits & 0xC0) != 0x80) {
      return {};
    }
    code_point = code_point << 6 | (bits & 0x3F);
  }
  const bool half_a_pair = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < least[length] || half_a_pair || code_point > 0x10'FFFF) {
    return {};
  }
  return {code_point, length};
}

/// True for what a terminal obeys rather than shows, or shows as nothing: controls, marks of the
/// writing direction, ends of lines and paragraphs, characters without width.
constexpr bool is_control(std::uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) ||
         (code_point >= 0x200B && code_point <= 0x200F) ||
         (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2060 && code_point <= 0x206F) || code_point == 0xFEFF;
}

/// Appends `\x1B` for each byte.
inline void append_numbers(std::string& words, std::string_view bytes) {
  constexpr char digits[] = "0123456789ABCDEF";
  for (const char byte : bytes) {
    const unsigned number = static_cast<unsigned char>(byte);
    const char escaped[] = {'\\', 'x', digits[number >> 4], digits[number & 15]};
    words.append(escaped, sizeof escaped);
  }
}

}  // namespace texts

/// True if `words` are whole characters of UTF-8.
constexpr bool is_utf8(std::string_view words) {
  while (!words.empty()) {
    const texts::character next = texts::first_character(words);
    if (next.bytes == 0) {
      return false;
    }
    words.remove_prefix(next.bytes);
  }
  return true;
}

/// True if every byte is below 128.
constexpr bool is_ascii(std::string_view words) {
  for (const char byte : words) {
    if (static_cast<unsigned char>(byte) >= 0x80) {
      return false;
    }
  }
  return true;
}

/// The same text with a question mark for every byte that is no UTF-8: what XML and JSON can hold.
inline std::string whole_characters(std::string_view words) {
  std::string whole;
  while (!words.empty()) {
    const texts::character next = texts::first_character(words);
    whole += next.bytes == 0 ? std::string_view("?") : words.substr(0, next.bytes);
    words.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return whole;
}

/// Text from a file as a sentence may show it: characters of UTF-8 as they are, control characters
/// and bytes that are no UTF-8 as `\x1B`, and an ellipsis from the first character that does not
/// fit `most` bytes. Every text of a file passes through here before a person sees it.
[[gnu::cold]] inline std::string printable(std::string_view words, std::size_t most = 80) {
  std::string shown;
  while (!words.empty()) {
    const texts::character next = texts::first_character(words);
    const std::string_view bytes = words.substr(0, next.bytes == 0 ? 1 : next.bytes);
    const bool as_it_is = next.bytes > 0 && !texts::is_control(next.code_point);
    const std::size_t before = shown.size();
    if (as_it_is) {
      shown.append(bytes.data(), bytes.size());
    } else {
      texts::append_numbers(shown, bytes);
    }
    if (shown.size() > most) {
      shown.resize(before);
      return shown += "...";
    }
    words.remove_prefix(bytes.size());
  }
  return shown;
}

}  // namespace ipu_dsl
