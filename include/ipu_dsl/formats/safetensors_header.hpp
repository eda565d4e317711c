// SPDX-License-Identifier: MIT
// The header of a safetensors file: one JSON object, of which no more is understood than the format
// has. Format as documented in huggingface/safetensors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/formats/json_text.hpp>
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
  json_text text(json, "The safetensors header of ", name);
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
