// SPDX-License-Identifier: MIT
// The name of a type that knows nothing of us, for a message that speaks of it.
#pragma once

#include <string_view>

#include <ipu_dsl/core/spelled_number.hpp>
#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// What stands for a type that was not given; messages call it "nothing".
struct absent_type {};

/// The name of `T` as the compiler spells it, without our own namespace in front.
template <typename T>
consteval std::string_view spelled_name() {
  // Both compilers write "... spelled_name() [with T = int; ...]" or "... [T = int]".
  const std::string_view signature = __PRETTY_FUNCTION__;
  const std::string_view marker = "T = ";
  const std::size_t begin = signature.find(marker) + marker.size();
  const std::size_t separator = signature.find(';', begin);
  const std::size_t end = separator == std::string_view::npos ? signature.rfind(']') : separator;
  const std::string_view spelled = signature.substr(begin, end - begin);
  const std::string_view ours = "ipu_dsl::";
  const std::string_view name = spelled.starts_with(ours) ? spelled.substr(ours.size()) : spelled;
  return name == "absent_type" ? "nothing" : name;
}

/// What compilers spell in front of a text among template arguments, before its length.
inline constexpr std::string_view before_texts[] = {"fixed_string<", "name_argument<"};

/// How many letters stand in front of the quotes if a spelled name begins with a text:
/// `fixed_string<7>{`. 0 if it does not.
constexpr std::size_t letters_before_quotes(std::string_view spelled) {
  for (const std::string_view before : before_texts) {
    if (spelled.starts_with(before)) {
      const std::size_t quotes = spelled.find('"');
      const std::size_t other = spelled.find_first_not_of("0123456789>{", before.size());
      return quotes == other && quotes != std::string_view::npos ? quotes : 0;
    }
  }
  return 0;
}

/// What compilers spell in front of a shape among template arguments, before its rank.
inline constexpr std::string_view before_shape = "shape{";

/// Where the extents of a spelled shape stand.
struct spelled_extents {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t whole = 0;  ///< letters of the shape; 0: there is none
};

/// The extents if a spelled name begins with a shape: `shape{1, int32_t [6]{4}}`, or
/// `shape{1, {4, 0, 0, 0, 0, 0}}`.
constexpr spelled_extents extents_in(std::string_view spelled) {
  const std::size_t rank = before_shape.size();
  if (!spelled.starts_with(before_shape) || spelled.size() <= rank + 1 ||
      spelled[rank + 1] != ',') {
    return {};
  }
  const std::size_t opened = spelled.find_first_of("{(", rank);
  const std::size_t last = spelled.find_first_of("})", rank);
  if (opened == std::string_view::npos || last == std::string_view::npos || last < opened) {
    return {};
  }
  const std::size_t begin = opened + 1;
  std::size_t end = begin;
  for (char left = spelled[rank]; left > '0' && end < last; --left) {
    end = spelled.find_first_of(",}", end + 1);
  }
  return {begin, end - begin, last + 2};
}

/// Whether a name of ours may begin at a letter: not amid another's, as the end of `tile_shape`.
constexpr bool begins_name(std::string_view spelled, std::size_t letter) {
  constexpr std::string_view in_front = "<( ,";
  return letter == 0 || in_front.find(spelled[letter - 1]) != std::string_view::npos ||
         spelled.substr(0, letter).ends_with("ipu_dsl::");
}

/// Whether a number may begin at a letter: not amid a name or another number.
constexpr bool begins_number(std::string_view spelled, std::size_t letter) {
  constexpr std::string_view in_front = "<( ,-{";
  return letter > 0 && in_front.find(spelled[letter - 1]) != std::string_view::npos;
}

/// Writes letters; returns how many.
constexpr std::size_t write_letters(std::string_view letters, char* to) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    to[i] = letters[i];
  }
  return letters.size();
}

/// Writes a shape of these extents; returns the letters that it takes.
constexpr std::size_t write_shape(std::string_view extents, char* to) {
  std::size_t length = 0;
  for (const std::string_view part : {before_shape, extents, std::string_view("}")}) {
    length += write_letters(part, to + length);
  }
  return length;
}

/// Writes a name as a user writes it, `named<"logits", ...>`, `column<shape{4}>`, `l2<0.01>`, and
/// not as compilers spell it, `named<fixed_string<7>{"logits"}, ...>`, `l2<9.99999978e-3f>`.
/// Returns its length, which is no longer.
constexpr std::size_t write_as_written(std::string_view spelled, char* to) {
  std::size_t length = 0;
  bool within_text = false;
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    const std::size_t skipped = within_text ? 0 : letters_before_quotes(spelled.substr(i));
    within_text = within_text || skipped > 0;
    i += skipped;
    const bool begins = !within_text && begins_name(spelled, i);
    const spelled_extents shape = begins ? extents_in(spelled.substr(i)) : spelled_extents();
    const spelled_number number =
        !within_text && begins_number(spelled, i) ? number_in(spelled.substr(i)) : spelled_number();
    const label decimal = number.whole > 0 ? as_decimal(number) : label();
    if (!decimal.empty() && decimal.length <= number.whole) {
      length += write_letters(decimal.view(), to + length);
      i += number.whole - 1;
    } else if (shape.whole > 0) {
      length += write_shape(spelled.substr(i + shape.begin, shape.length), to + length);
      i += shape.whole - 1;
    } else if (within_text && spelled[i] == '}' && spelled[i - 1] == '"') {
      within_text = false;
    } else {
      to[length] = spelled[i];
      ++length;
    }
  }
  return length;
}

/// Whether a name is spelled otherwise than it is written: one with texts, shapes or numbers that
/// have an exponent.
constexpr bool is_spelled_otherwise(std::string_view spelled) {
  for (const std::string_view sign : {before_texts[0], before_texts[1], before_shape,
                                      std::string_view("e-"), std::string_view("e+")}) {
    if (spelled.find(sign) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// A name that is spelled otherwise, as a user writes it.
template <typename T>
struct name_as_written {
  char letters[spelled_name<T>().size()] = {};
  std::size_t length = write_as_written(spelled_name<T>(), letters);
};

template <typename T>
inline constexpr name_as_written<T> kept_name_as_written{};

/// The name of `T` as a user writes it: `type_name<int>()` is "int", `type_name<relu>()` is "relu",
/// `type_name<merge_mode<"sum">>()` is "merge_mode<\"sum\">".
template <typename T>
consteval std::string_view type_name() {
  constexpr std::string_view name = spelled_name<T>();
  if constexpr (is_spelled_otherwise(name)) {
    return {kept_name_as_written<T>.letters, kept_name_as_written<T>.length};
  } else {
    return name;
  }
}

/// The first of some types.
template <typename... Types>
struct first_type {
  using type = absent_type;
};

template <typename First, typename... Rest>
struct first_type<First, Rest...> {
  using type = First;
};

}  // namespace ipu_dsl
