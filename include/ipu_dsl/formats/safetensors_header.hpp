// SPDX-License-Identifier: MIT
// The header of a safetensors file: one JSON object, of which no more is understood than the format
// has. Format as documented in huggingface/safetensors.
// Over 300 lines: one small strict reader, and every rule of the format with its sentence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/npy_header.hpp>
#include <ipu_dsl/formats/printable.hpp>

namespace ipu_dsl {

namespace safetensors {

/// What an element is in a file.
enum class element_kind : std::uint8_t { float16, bfloat16, float32, float64, other };

/// A type of elements by the name that files have for it.
struct stored_type {
  std::string_view name;
  std::size_t bytes;
  element_kind kind = element_kind::other;
};

/// All that the format knows of whole bytes. Those of the kind `other` are found and not converted.
inline constexpr stored_type stored_types[] = {
    {"F32", 4, element_kind::float32},
    {"F16", 2, element_kind::float16},
    {"BF16", 2, element_kind::bfloat16},
    {"F64", 8, element_kind::float64},
    {"BOOL", 1},
    {"U8", 1},
    {"I8", 1},
    {"F8_E5M2", 1},
    {"F8_E4M3", 1},
    {"F8_E8M0", 1},
    {"U16", 2},
    {"I16", 2},
    {"U32", 4},
    {"I32", 4},
    {"U64", 8},
    {"I64", 8},
    {"C64", 8},
};

/// The longest header that is read, as of the format's own reader.
inline constexpr std::size_t longest_header = 100'000'000;

/// What the header says of one array.
struct array_record {
  std::string name;
  stored_type stored = stored_types[0];
  std::vector<std::int64_t> extents;
  std::size_t begin = 0;  ///< in bytes, behind the header
  std::size_t end = 0;
};

/// All that a header says.
struct header {
  std::vector<array_record> arrays;                           ///< in the order of the file's bytes
  std::vector<std::pair<std::string, std::string>> metadata;  ///< words by key
};

/// Reads JSON from front to back: as much of it as this header has.
class json_text {
 public:
  json_text(std::string_view text, std::string_view name) : text_(text), name_(name) {}

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

  /// Throws `error` unless only blanks are left.
  void expect_end() {
    skip_blanks();
    if (!text_.empty()) {
      refuse(sentence_of({"something follows it: ", next_words()}));
    }
  }

  /// Throws `error`.
  [[noreturn]] void refuse(std::string_view reason) const {
    raise_error({"The safetensors header of ", name_, " makes no sense: ", reason, "."});
  }

 private:
  void skip_blanks() {
    const std::size_t begin = (std::min)(text_.find_first_not_of(" \t\n\r"), text_.size());
    text_.remove_prefix(begin);
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
  std::string_view name_;
};

/// The type of this name. Throws `error` if the format has none.
inline stored_type type_called(std::string_view type, std::string_view array,
                               std::string_view name) {
  for (const stored_type& known : stored_types) {
    if (type == known.name) {
      return known;
    }
  }
  raise_error({"The array ", printable(array), " of ", name, " has elements of an unknown type, ",
               printable(type), "."});
}

/// "[2, 3]": numbers up to the end of the list.
inline std::vector<std::int64_t> read_numbers(json_text& text) {
  std::vector<std::int64_t> numbers;
  text.expect('[');
  if (text.accept(']')) {
    return numbers;
  }
  do {
    numbers.push_back(static_cast<std::int64_t>(text.number()));
  } while (text.accept(','));
  text.expect(']');
  return numbers;
}

/// Throws `error` unless the bytes of an array are as many as its elements take.
inline void check_size(const array_record& array, std::string_view name) {
  const std::string called = sentence_of({"The array ", printable(array.name), " of ", name});
  if (array.extents.size() > npy::most_dimensions) {
    raise_error({called, " has ", array.extents.size(), " dimensions; expected at most ",
                 npy::most_dimensions, "."});
  }
  const std::size_t bytes = npy::element_count(array.extents, called) * array.stored.bytes;
  if (array.end < array.begin || array.end - array.begin != bytes) {
    raise_error({called, " has the shape ", npy::describe(array.extents), " of ", array.stored.name,
                 ", which are ", bytes, " bytes; its data_offsets are ", array.begin, " and ",
                 array.end, "."});
  }
}

/// What the header says of the array called `called`: three entries in any order, each once.
inline array_record read_array(json_text& text, std::string called, std::string_view name) {
  array_record array;
  array.name = std::move(called);
  bool has_type = false;
  bool has_extents = false;
  bool has_offsets = false;
  text.expect('{');
  do {
    const std::string key = text.quoted();
    text.expect(':');
    if (key == "dtype" && !has_type) {
      array.stored = type_called(text.quoted(), array.name, name);
      has_type = true;
    } else if (key == "shape" && !has_extents) {
      array.extents = read_numbers(text);
      has_extents = true;
    } else if (key == "data_offsets" && !has_offsets) {
      const std::vector<std::int64_t> offsets = read_numbers(text);
      if (offsets.size() != 2) {
        text.refuse(sentence_of({"data_offsets are two numbers, got ", offsets.size()}));
      }
      array.begin = static_cast<std::size_t>(offsets[0]);
      array.end = static_cast<std::size_t>(offsets[1]);
      has_offsets = true;
    } else {
      text.refuse(sentence_of({"the key ", printable(key), " is unknown or stands twice"}));
    }
  } while (text.accept(','));
  text.expect('}');
  if (!has_type || !has_extents || !has_offsets) {
    text.refuse("one of dtype, shape and data_offsets is missing");
  }
  check_size(array, name);
  return array;
}

/// An object of texts by key.
inline std::vector<std::pair<std::string, std::string>> read_metadata(json_text& text) {
  std::vector<std::pair<std::string, std::string>> entries;
  text.expect('{');
  if (text.accept('}')) {
    return entries;
  }
  do {
    std::string key = text.quoted();
    text.expect(':');
    entries.emplace_back(std::move(key), text.quoted());
  } while (text.accept(','));
  text.expect('}');
  return entries;
}

/// Throws `error` if two of the names are the same.
inline void check_names(const std::vector<array_record>& arrays, std::string_view name) {
  std::vector<std::string_view> names;
  for (const array_record& array : arrays) {
    names.push_back(array.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    raise_error({name, " has two arrays of the name ", printable(*twice), "."});
  }
}

/// Throws `error` unless the arrays, in the order of their bytes, fill `size` bytes without gaps
/// and without overlaps.
inline void check_places(const std::vector<array_record>& arrays, std::size_t size,
                         std::string_view name) {
  std::size_t end = 0;
  for (const array_record& array : arrays) {
    if (array.begin != end) {
      raise_error({"The array ", printable(array.name), " of ", name, " begins at byte ",
                   array.begin, array.begin < end ? " and overlaps" : " behind a gap after",
                   " what ends at ", end, "."});
    }
    end = array.end;
  }
  if (end != size) {
    raise_error({"The arrays of ", name, " end at byte ", end, " of ", size, " behind the header",
                 end > size ? ": it is truncated." : ": bytes are left over."});
  }
}

/// Parses the JSON of a header, behind which there are `size` bytes.
inline header parse_header(std::string_view json, std::size_t size, std::string_view name) {
  header parsed;
  json_text text(json, name);
  bool has_metadata = false;
  if (!json.starts_with('{')) {
    text.refuse("expected { as its first character");
  }
  text.expect('{');
  bool more = !text.accept('}');
  while (more) {
    std::string key = text.quoted();
    text.expect(':');
    if (key == "__metadata__") {
      if (has_metadata) {
        text.refuse("it has __metadata__ twice");
      }
      parsed.metadata = read_metadata(text);
      has_metadata = true;
    } else {
      parsed.arrays.push_back(read_array(text, std::move(key), name));
    }
    more = text.accept(',');
    if (!more) {
      text.expect('}');
    }
  }
  text.expect_end();
  check_names(parsed.arrays, name);
  // Empty arrays stand before what begins where they do.
  std::sort(parsed.arrays.begin(), parsed.arrays.end(),
            [](const array_record& a, const array_record& b) {
              return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
            });
  check_places(parsed.arrays, size, name);
  return parsed;
}

}  // namespace safetensors

}  // namespace ipu_dsl
