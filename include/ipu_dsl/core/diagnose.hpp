// SPDX-License-Identifier: MIT
// The one place that turns a problem into a compile error: exactly one error, one sentence.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/problem.hpp>

namespace ipu_dsl {

namespace diagnostics {

/// A sentence of exactly `Length` characters. The zero is written out: clang falls back to printing
/// numbers when the end of the array is mere filler.
template <std::size_t Length>
struct exact_text {
  char characters[Length + 1];

  constexpr explicit exact_text(std::string_view words) : characters{} {
    for (std::size_t i = 0; i < Length; ++i) {
      characters[i] = words[i];
    }
    characters[Length] = '\0';
  }

  constexpr const char* data() const { return characters; }

  constexpr std::size_t size() const { return Length; }
};

/// What is late is refused where code is made.
template <typename Found>
inline constexpr bool is_said = Found::value.found() && !Found::value.late;

template <typename Found>
inline constexpr sentence message_of = Found::value.message();

template <typename Found>
inline constexpr auto exact_message_of =
    exact_text<message_of<Found>.length>(message_of<Found>.view());

#if defined(__cpp_static_assert) && __cpp_static_assert >= 202306L

// C++26: the sentence is the error line itself.
template <typename Found>
struct report {
  static_assert(!is_said<Found>, exact_message_of<Found>);
};

#elif defined(__clang__)

// clang prints strings among template arguments, but cuts them at 36 characters: the sentence is
// handed over in chunks that end at words.
inline constexpr std::size_t longest_chunk = 34;

/// Where the chunk that starts at `begin` ends.
constexpr std::size_t chunk_end(std::string_view words, std::size_t begin) {
  if (words.size() - begin <= longest_chunk) {
    return words.size();
  }
  std::size_t end = begin + longest_chunk;
  while (end > begin && words[end - 1] != ' ') {
    --end;
  }
  return end == begin ? begin + longest_chunk : end;
}

constexpr std::size_t chunk_begin(std::string_view words, std::size_t index) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < index; ++i) {
    begin = chunk_end(words, begin);
  }
  return begin;
}

constexpr std::size_t chunk_count(std::string_view words) {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < words.size(); begin = chunk_end(words, begin)) {
    ++count;
  }
  return count;
}

template <typename Found, std::size_t Index>
inline constexpr std::size_t begin_of = chunk_begin(message_of<Found>.view(), Index);

template <typename Found, std::size_t Index>
inline constexpr auto chunk_of = exact_text<begin_of<Found, Index + 1> - begin_of<Found, Index>>(
    message_of<Found>.view().substr(begin_of<Found, Index>));

template <exact_text... Chunks>
struct says;

template <typename Sentence>
inline constexpr bool model_is_valid = false;

template <typename Found>
using chunk_indices = std::make_index_sequence<chunk_count(message_of<Found>.view())>;

template <typename Found, bool Wrong = is_said<Found>, typename Indices = chunk_indices<Found>>
struct report {};

template <typename Found, std::size_t... Indices>
struct report<Found, true, std::index_sequence<Indices...>> {
  static_assert(model_is_valid<says<chunk_of<Found, Indices>...>>);
};

#else

// g++ prints strings among template arguments in full; a member that does not exist makes exactly
// one error, and its line carries the sentence.
template <exact_text Sentence>
struct problem_is {};

template <exact_text Sentence>
struct model_error {
  using sentence = typename problem_is<Sentence>::see_the_text_in_quotes;
};

template <typename Found, bool Wrong = is_said<Found>>
struct report {};

template <typename Found>
struct report<Found, true> : model_error<exact_message_of<Found>> {};

#endif

}  // namespace diagnostics

/// Makes one compile error with the sentence of `Found::value` if a problem was found there.
/// Always true: the error has been made, and whatever asserts the answer adds none.
/// `Found` is a short type with a `static constexpr problem value`.
template <typename Found>
constexpr bool diagnose() {
  // Only the type of the expression is used: an error inside must not spread to the answer.
  using instantiated [[maybe_unused]] = decltype(sizeof(diagnostics::report<Found>));
  return true;
}

}  // namespace ipu_dsl
