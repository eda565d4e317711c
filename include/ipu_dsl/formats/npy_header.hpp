// SPDX-License-Identifier: MIT
// The header of an NPY file: a Python dictionary of three entries. Format as documented in NumPy's
// numpy.lib.format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/printable.hpp>

namespace ipu_dsl {

namespace npy {

/// The six bytes that begin every file, before its version.
inline constexpr std::string_view signature = "\x93NUMPY";

/// How elements lie in a file, and what they are read as.
struct stored_type {
  std::string_view description;  ///< as NumPy writes it: the order of bytes, the kind, the bytes
  dtype element;                 ///< what they become: of 8 bytes, they are converted to 4
  std::size_t bytes;             ///< of an element in the file
  bool highest_first = false;    ///< the highest of its bytes comes first
};

/// All that can be read.
inline constexpr stored_type stored_types[] = {
    {"<f4", dtype::float32, 4, false}, {">f4", dtype::float32, 4, true},
    {"<f8", dtype::float32, 8, false}, {">f8", dtype::float32, 8, true},
    {"<i4", dtype::int32, 4, false},   {">i4", dtype::int32, 4, true},
    {"<i8", dtype::int32, 8, false},   {">i8", dtype::int32, 8, true},
    {"|u1", dtype::uint8, 1, false},
};

/// More dimensions than any NumPy knows of.
inline constexpr std::size_t most_dimensions = 64;

/// The extents of an array in a file.
struct file_extents {
  std::int64_t values[most_dimensions] = {};
  std::size_t rank = 0;

  std::span<const std::int64_t> view() const { return {values, rank}; }
};

/// What a header says.
struct header {
  stored_type stored = stored_types[0];
  bool fortran_order = false;  ///< the first axis runs fastest
  file_extents extents;
};

/// The name NumPy knows the element by, in the header of a file.
constexpr std::string_view description_of(dtype element) {
  switch (element) {
    case dtype::float32:
      return "<f4";
    case dtype::int32:
      return "<i4";
    case dtype::uint8:
      return "|u1";
    case dtype::float64:
      return "<f8";
  }
  return "";
}

/// As sentences have extents, and indices: `(28, 28)`, `(10)`, `()`.
[[gnu::cold]] inline std::string describe(std::span<const std::int64_t> extents) {
  std::string words = "(";
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    words += sentence_of({axis > 0 ? ", " : "", extents[axis]});
  }
  return words += ")";
}

/// The same as Python writes it: `(28, 28)`, `(10,)`, `()`.
inline std::string tuple_of(std::span<const std::int64_t> extents) {
  return extents.size() == 1 ? sentence_of({"(", extents[0], ",)"}) : describe(extents);
}

/// The product of the extents. Throws `error` if one is negative or bytes cannot be counted.
inline std::size_t element_count(std::span<const std::int64_t> extents, std::string_view name) {
  // Every element type fits 2^3 bytes, so that a size in bytes fits too.
  constexpr std::size_t most = (std::numeric_limits<std::size_t>::max)() >> 3;
  std::size_t count = 1;
  for (const std::int64_t extent : extents) {
    const std::size_t factor = static_cast<std::size_t>(extent);
    if (extent < 0 || (factor != 0 && count > most / factor)) {
      raise_error({name, " has impossible extents ", describe(extents), "."});
    }
    count *= factor;
  }
  return count;
}

/// Reads the dictionary literal from front to back.
class dictionary {
 public:
  dictionary(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  /// True, and stepped over, if `words` come next; blanks before them do not count.
  [[gnu::cold]] bool accept(std::string_view words) {
    const std::size_t begin = text_.find_first_not_of(" \n");
    if (begin == std::string_view::npos || text_.substr(begin, words.size()) != words) {
      return false;
    }
    text_.remove_prefix(begin + words.size());
    return true;
  }

  /// Throws `error` unless `words` come next; steps over them.
  [[gnu::cold]] void expect(std::string_view words) {
    if (!accept(words)) {
      refuse(sentence_of({"expected ", words, " before: ", next_words()}));
    }
  }

  /// A text in single or double quotes.
  [[gnu::cold]] std::string_view quoted() {
    const char quote = accept("\"") ? '"' : '\'';
    if (quote == '\'') {
      expect("'");
    }
    const std::size_t end = text_.find(quote);
    if (end == std::string_view::npos) {
      refuse("a quote does not end");
    }
    const std::string_view words = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return words;
  }

  /// An integer without a sign.
  std::int64_t number() {
    accept("");
    std::int64_t value = 0;
    std::size_t digits = 0;
    while (digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9') {
      if (value > ((std::numeric_limits<std::int64_t>::max)() - 9) / 10) {
        refuse("an extent is too large");
      }
      value = value * 10 + (text_[digits] - '0');
      ++digits;
    }
    if (digits == 0) {
      refuse(sentence_of({"expected an extent before: ", next_words()}));
    }
    text_.remove_prefix(digits);
    return value;
  }

  /// Throws `error` unless only blanks are left.
  void expect_end() const {
    if (text_.find_first_not_of(" \n") != std::string_view::npos) {
      refuse("something follows the dictionary");
    }
  }

  /// Throws `error`.
  [[noreturn, gnu::cold]] void refuse(std::string_view reason) const {
    raise_error({"The NPY header of ", name_, " makes no sense: ", reason, "."});
  }

 private:
  std::string next_words() const { return printable(text_, 20); }

  std::string_view text_;
  std::string_view name_;
};

/// The type that NumPy calls so. Throws `error` if it is none of ours.
inline stored_type parse_element(std::string_view description, std::string_view name) {
  for (const stored_type& known : stored_types) {
    if (description == known.description) {
      return known;
    }
  }
  const bool of_floats = description.find('f') == 1;
  const bool of_integers = description.find_first_of("iub") == 1;
  const std::string_view hint =
      of_floats     ? "save array.astype(\"float32\")."
      : of_integers ? "save array.astype(\"float32\"), or \"int32\" of classes."
                    : "save numbers alone: an archive is read whole, and others need their own.";
  raise_error({name, " holds elements of type '", printable(description),
               "'; expected float32, float64, int32 or int64, '<f4', '<f8', '<i4' or '<i8', or "
               "bytes, '|u1'. Hint: ",
               hint});
}

/// A tuple of extents. Throws `error` if it has more dimensions than any array.
[[gnu::cold]] inline file_extents parse_extents(dictionary& text, std::string_view name) {
  file_extents extents;
  std::size_t rank = 0;
  bool more = true;
  text.expect("(");
  while (more && !text.accept(")")) {
    const std::int64_t extent = text.number();
    if (rank < most_dimensions) {
      extents.values[rank] = extent;
    }
    ++rank;
    more = text.accept(",");
    if (!more) {
      text.expect(")");
    }
  }
  if (rank > most_dimensions) {
    raise_error({name, " has ", rank, " dimensions; expected at most ", most_dimensions, "."});
  }
  extents.rank = rank;
  return extents;
}

/// Parses the dictionary; its entries may come in any order, each exactly once.
[[gnu::cold]] inline header parse_header(std::string_view literal, std::string_view name) {
  header parsed;
  dictionary text(literal, name);
  bool has_element = false;
  bool has_order = false;
  bool has_extents = false;
  text.expect("{");
  while (!text.accept("}")) {
    const std::string_view key = text.quoted();
    text.expect(":");
    if (key == "descr" && !has_element) {
      if (text.accept("[")) {
        raise_error({name, " holds records of several fields; save each field by itself."});
      }
      parsed.stored = parse_element(text.quoted(), name);
      has_element = true;
    } else if (key == "fortran_order" && !has_order) {
      parsed.fortran_order = text.accept("True");
      if (!parsed.fortran_order) {
        text.expect("False");
      }
      has_order = true;
    } else if (key == "shape" && !has_extents) {
      parsed.extents = parse_extents(text, name);
      has_extents = true;
    } else {
      text.refuse(sentence_of({"the key '", printable(key), "' is unknown or stands twice"}));
    }
    if (!text.accept(",")) {
      text.expect("}");
      break;
    }
  }
  text.expect_end();
  if (!has_element || !has_order || !has_extents) {
    text.refuse("one of 'descr', 'fortran_order' and 'shape' is missing");
  }
  return parsed;
}

/// Steps over the signature, the version and the length; returns the dictionary.
[[gnu::cold]] inline std::string_view take_header_text(byte_cursor& cursor, std::string_view name) {
  if (cursor.take_text(signature.size()) != signature) {
    raise_error({name, " is no NPY file: its first six bytes are not \\x93NUMPY."});
  }
  const std::uint16_t version = cursor.little_endian_16();
  if (version != 1 && version != 2) {
    raise_error(
        {name, " has NPY version ", version & 255, ".", version >> 8, "; expected 1.0 or 2.0."});
  }
  const std::size_t length = version == 1 ? cursor.little_endian_16() : cursor.little_endian_32();
  return cursor.take_text(length);
}

/// Everything before the elements, version 1.0, padded with blanks to a multiple of 64 bytes.
inline std::vector<std::uint8_t> header_bytes(dtype element,
                                              std::span<const std::int64_t> extents) {
  std::string literal =
      sentence_of({"{'descr': '", description_of(element),
                   "', 'fortran_order': False, 'shape': ", tuple_of(extents), ", }"});
  const std::size_t prefix = signature.size() + 4;
  literal.append(63 - (prefix + literal.size()) % 64, ' ');
  literal += '\n';
  if (literal.size() > 0xFFFF) {
    raise_error({"An array of ", extents.size(), " dimensions does not fit an NPY header."});
  }
  std::vector<std::uint8_t> bytes;
  append_text(bytes, signature);
  append_little_endian(bytes, 1, 2);
  append_little_endian(bytes, static_cast<std::uint32_t>(literal.size()), 2);
  append_text(bytes, literal);
  return bytes;
}

}  // namespace npy

}  // namespace ipu_dsl
