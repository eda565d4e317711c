// SPDX-License-Identifier: MIT
// safetensors, Hugging Face's format of several named arrays: a header of JSON, then their bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/npy_header.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/formats/safetensors_header.hpp>

namespace ipu_dsl {

static_assert(std::endian::native == std::endian::little,
              "ipu_dsl reads and writes arrays as they lie in memory: little endian");

/// An array of floats and its name, to be written; `values` in C order, as many as the product of
/// `extents`, which are empty for a scalar.
struct safetensors_entry {
  std::string name;
  std::vector<std::int64_t> extents;
  std::vector<float> values;

  friend bool operator==(const safetensors_entry&, const safetensors_entry&) = default;
};

namespace safetensors {

/// The float32 of a float16, exactly; NaN keep their bits.
constexpr float widened_float16(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits} >> 15 << 31;
  const std::uint32_t exponent = bits >> 10 & 31U;
  const std::uint32_t fraction = bits & 1023U;
  if (exponent == 0) {
    // A zero or a subnormal: the fraction counts 2^-24.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  const std::uint32_t widened = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

/// The float32 of a bfloat16, exactly: its upper half.
constexpr float widened_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

/// The nearest float32 of a float64; NaN and infinity stay what they are. Throws `error` if a
/// finite one is beyond the largest float32.
inline float narrowed_float64(std::uint64_t bits, std::size_t index, const array_record& array,
                              std::string_view name) {
  const double value = std::bit_cast<double>(bits);
  constexpr double most = static_cast<double>((std::numeric_limits<float>::max)());
  const double magnitude = value < 0 ? -value : value;
  if (magnitude > most && magnitude <= (std::numeric_limits<double>::max)()) {
    char number[32];
    std::snprintf(number, sizeof number, "%.9g", value);
    raise_error({"The array ", printable(array.name), " of ", name, " holds ", number,
                 " as its value ", index, ", which float32 cannot hold."});
  }
  return static_cast<float>(value);
}

/// Bytes of an element, lowest first, as a number.
inline std::uint64_t bits_at(std::span<const std::uint8_t> bytes, std::size_t begin,
                             std::size_t count) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bits |= std::uint64_t{bytes[begin + i]} << (8 * i);
  }
  return bits;
}

}  // namespace safetensors

/// A safetensors file that was checked as a whole. Its arrays are converted when they are asked
/// for, so that one that nobody can hold hinders nobody who wants another.
class safetensors_file {
 public:
  /// Of the bytes of a file; `name` is what sentences call it. Throws `error` if anything about it
  /// is wrong: a header that is no JSON of the format, two arrays of one name, a shape that is not
  /// that of its bytes, gaps, overlaps, bytes too many or too few.
  safetensors_file(std::vector<std::uint8_t> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {
    byte_cursor cursor(bytes_, name_);
    const std::uint64_t length = cursor.little_endian_64();
    if (length > safetensors::longest_header) {
      raise_error({name_, " is no safetensors file: its header would have ", length,
                   " bytes; expected at most ", safetensors::longest_header, "."});
    }
    const std::string_view json = cursor.take_text(static_cast<std::size_t>(length));
    data_ = cursor.position();
    header_ = safetensors::parse_header(json, cursor.remaining(), name_);
  }

  /// How many arrays there are.
  std::size_t size() const { return header_.arrays.size(); }

  /// The name, the type and the extents of an array, in order of their bytes.
  const safetensors::array_record& at(std::size_t index) const { return header_.arrays[index]; }

  /// The number of the array called so, or `size()` if there is none.
  std::size_t find(std::string_view wanted) const {
    std::size_t index = 0;
    while (index < size() && at(index).name != wanted) {
      ++index;
    }
    return index;
  }

  /// What `__metadata__` says, by key; `format: pt` in files of PyTorch.
  std::span<const std::pair<std::string, std::string>> metadata() const { return header_.metadata; }

  /// Whether `floats` can read the array: it has elements of F32, F16, BF16 or F64.
  bool holds_floats(std::size_t index) const {
    return at(index).stored.kind != safetensors::element_kind::other;
  }

  /// The elements of an array in C order: F16 and BF16 as they are, F64 as the nearest float32.
  /// Throws `error` for other types, and for a finite number that float32 cannot hold.
  std::vector<float> floats(std::size_t index) const {
    const safetensors::array_record& array = at(index);
    if (!holds_floats(index)) {
      raise_error({"The array ", printable(array.name), " of ", name_, " holds ", array.stored.name,
                   "; expected F32, F16, BF16 or F64."});
    }
    const std::size_t size = array.stored.bytes;
    const std::span<const std::uint8_t> bytes =
        std::span(bytes_).subspan(data_ + array.begin, array.end - array.begin);
    std::vector<float> values(bytes.size() / size);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = converted(safetensors::bits_at(bytes, i * size, size), i, array);
    }
    return values;
  }

 private:
  float converted(std::uint64_t bits, std::size_t index,
                  const safetensors::array_record& array) const {
    switch (array.stored.kind) {
      case safetensors::element_kind::float16:
        return safetensors::widened_float16(static_cast<std::uint16_t>(bits));
      case safetensors::element_kind::bfloat16:
        return safetensors::widened_bfloat16(static_cast<std::uint16_t>(bits));
      case safetensors::element_kind::float64:
        return safetensors::narrowed_float64(bits, index, array, name_);
      default:
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }
  }

  std::vector<std::uint8_t> bytes_;
  std::string name_;
  std::size_t data_ = 0;  ///< where the bytes of arrays begin
  safetensors::header header_;
};

/// Reads the safetensors file at `path`. Throws `error` if it is missing or anything about it is
/// wrong.
inline safetensors_file read_safetensors(const std::string& path) {
  return safetensors_file(read_file(path), path);
}

namespace safetensors {

/// A text as JSON has it in quotes.
inline std::string json_quoted(std::string_view words) {
  constexpr char digits[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char letter : words) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      quoted += '\\';
    }
    if (code < 0x20) {
      quoted += "\\u00";
      quoted += digits[code >> 4];
      quoted += digits[code & 15];
    } else {
      quoted += letter;
    }
  }
  return quoted += '"';
}

/// "[2, 3]" without blanks.
inline std::string json_list(std::span<const std::int64_t> numbers) {
  std::string words = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    words += sentence_of({i == 0 ? "" : ",", numbers[i]});
  }
  return words += "]";
}

/// Throws `error` for entries that no reader would take.
inline void check_entries(std::span<const safetensors_entry> entries) {
  std::vector<std::string_view> names;
  for (const safetensors_entry& entry : entries) {
    names.push_back(entry.name);
    if (!is_utf8(entry.name) || entry.name == "__metadata__") {
      raise_error({"The file has an array of the name ", printable(entry.name),
                   "; expected UTF-8 other than __metadata__."});
    }
    const std::string called = sentence_of({"The array ", printable(entry.name)});
    if (npy::element_count(entry.extents, called) != entry.values.size()) {
      raise_error({called, " of the shape ", npy::describe(entry.extents), " cannot hold ",
                   entry.values.size(), " values."});
    }
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    raise_error({"The file has two arrays of the name ", printable(*twice), "."});
  }
}

/// The JSON of a header, filled up with blanks so that the bytes behind it lie at a multiple of 8.
inline std::string header_text(std::span<const safetensors_entry> entries) {
  std::string json = R"({"__metadata__":{"format":"pt"})";
  std::size_t end = 0;
  for (const safetensors_entry& entry : entries) {
    const std::size_t begin = end;
    end += entry.values.size() * sizeof(float);
    json += sentence_of({",", json_quoted(entry.name), R"(:{"dtype":"F32","shape":)",
                         json_list(entry.extents), R"(,"data_offsets":[)", begin, ",", end, "]}"});
  }
  json += "}";
  json.append((8 - json.size() % 8) % 8, ' ');
  return json;
}

}  // namespace safetensors

/// The bytes of a safetensors file of float32, as `load_file` of Python's package takes it for
/// PyTorch, NumPy and the others. Equal arrays give equal bytes. Throws `error` if two names are
/// the same, if one is no UTF-8, or if values are not as many as their extents say.
inline std::vector<std::uint8_t> safetensors_bytes(std::span<const safetensors_entry> entries) {
  safetensors::check_entries(entries);
  const std::string json = safetensors::header_text(entries);
  std::vector<std::uint8_t> bytes;
  append_little_endian(bytes, json.size(), 8);
  append_text(bytes, json);
  for (const safetensors_entry& entry : entries) {
    append_bytes(bytes, entry.values.data(), entry.values.size() * sizeof(float));
  }
  return bytes;
}

/// Makes the arrays the content of the safetensors file at `path`, as `write_file_atomically` does.
/// Throws `error` if that fails.
inline void write_safetensors(const std::string& path, std::span<const safetensors_entry> entries) {
  write_file_atomically(path, safetensors_bytes(entries));
}

}  // namespace ipu_dsl
