// SPDX-License-Identifier: MIT
// Text during constant evaluation: names as template arguments, sentences built word by word.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// A string that can be a template argument: `named<"logits", Dense<10>>`.
/// The terminating zero is part of `characters`, so `Length` counts one more than the text.
template <std::size_t Length>
struct fixed_string {
  char characters[Length] = {};

  consteval fixed_string(const char (&text)[Length]) {
    for (std::size_t i = 0; i < Length; ++i) {
      characters[i] = text[i];
    }
  }

  constexpr std::string_view view() const { return {characters, Length - 1}; }
};

/// A name as a template argument of models. A number is none, and has no letters:
/// `name_argument<1>`, which whoever takes names refuses with a sentence.
template <std::size_t Length>
struct name_argument {
  char characters[Length] = {};

  consteval name_argument(const fixed_string<Length>& text) {
    for (std::size_t i = 0; i < Length; ++i) {
      characters[i] = text.characters[i];
    }
  }

  consteval name_argument(const char (&text)[Length]) : name_argument(fixed_string(text)) {}

  template <std::integral Number>
    requires(Length == 1)
  consteval name_argument(Number) {}

  constexpr std::string_view view() const { return {characters, Length - 1}; }
};

template <std::integral Number>
name_argument(Number) -> name_argument<1>;

/// Text of at most `Capacity` characters that grows by `<<`, at compile time and at run time.
/// What does not fit is cut off, with dots at the end: a sentence is for people, and a cut one
/// still says where.
/// At run time it says what is refused: functions of more than a line are not copied into who calls
/// them, which would be compiled wherever something can be wrong.
template <std::size_t Capacity>
struct text {
  static constexpr std::size_t capacity = Capacity;

  char characters[Capacity + 1] = {};
  std::size_t length = 0;

  constexpr text() = default;

  [[gnu::cold, gnu::noinline]] constexpr text(std::string_view words) { *this << words; }

  [[gnu::cold, gnu::noinline]] constexpr text(const char* words) {
    *this << std::string_view(words);
  }

  constexpr text& operator<<(char letter) {
    if (length < Capacity) {
      characters[length] = letter;
      ++length;
    } else {
      // What is full shall not look as if it were whole.
      for (std::size_t back = 1; back <= 3 && back <= Capacity; ++back) {
        characters[Capacity - back] = '.';
      }
    }
    return *this;
  }

  [[gnu::cold, gnu::noinline]] constexpr text& operator<<(std::string_view words) {
    for (const char letter : words) {
      *this << letter;
    }
    return *this;
  }

  [[gnu::cold, gnu::noinline]] constexpr text& operator<<(const char* words) {
    return *this << std::string_view(words);
  }

  template <std::size_t OtherCapacity>
  constexpr text& operator<<(const text<OtherCapacity>& other) {
    return *this << other.view();
  }

  [[gnu::cold, gnu::noinline]] constexpr text& operator<<(std::int64_t number) {
    if (number < 0) {
      *this << '-';
    }
    // The magnitude is taken as unsigned so that the smallest number has one too.
    std::uint64_t magnitude =
        number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
    char digits[20] = {};
    int count = 0;
    do {
      digits[count] = static_cast<char>('0' + magnitude % 10);
      magnitude /= 10;
      ++count;
    } while (magnitude != 0);
    while (count > 0) {
      --count;
      *this << digits[count];
    }
    return *this;
  }

  constexpr text& operator<<(std::int32_t number) {
    return *this << static_cast<std::int64_t>(number);
  }

  constexpr text& operator<<(std::size_t number) {
    return *this << static_cast<std::int64_t>(number);
  }

  /// To the sixth decimal, without zeros at the end: `0.2F` is "0.2". What is no number, or takes
  /// more digits before the point than a float is exact for, is told by a word.
  [[gnu::cold, gnu::noinline]] constexpr text& operator<<(float number) {
    if (number != number) {
      return *this << "not a number";
    }
    constexpr double largest = 1e12;
    const auto exact = static_cast<double>(number);
    const double magnitude = exact < 0 ? -exact : exact;
    if (magnitude >= largest) {
      return *this << (number < 0 ? "below -10^12" : "above 10^12");
    }
    const auto millionths = static_cast<std::int64_t>(magnitude * 1e6 + 0.5);
    if (number < 0 && millionths > 0) {
      *this << '-';
    }
    *this << millionths / 1000000;
    std::int64_t rest = millionths % 1000000;
    if (rest > 0) {
      *this << '.';
    }
    for (std::int64_t place = 100000; rest > 0; place /= 10) {
      *this << static_cast<char>('0' + rest / place);
      rest %= place;
    }
    return *this;
  }

  constexpr bool empty() const { return length == 0; }

  constexpr std::string_view view() const { return {characters, length}; }

  friend constexpr bool operator==(const text& left, const text& right) {
    return left.view() == right.view();
  }
};

/// A word or two: the name of a layer, of an option.
using label = text<95>;

/// One sentence for a person.
using sentence = text<383>;

/// How many there are of what a word names: "1 stage", "2 stages", "2 micro-batches".
template <std::integral Number>
[[gnu::cold, gnu::noinline]] constexpr label how_many(Number count, std::string_view word) {
  label words;
  words << static_cast<std::int64_t>(count) << ' ' << word;
  if (count != 1) {
    words << (word.ends_with("batch") ? "es" : "s");
  }
  return words;
}

}  // namespace ipu_dsl
