// SPDX-License-Identifier: MIT
// The weights of a model as a header, for programs that keep them in memory that is never written.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/runtime/laid_out_floats.hpp>
#include <ipu_dsl/runtime/parameters.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Vector units to write weights for. Those of a program are `layout::native`.
namespace vector_units {

inline constexpr layout::architecture avx512{16, 32, true};
inline constexpr layout::architecture avx2{8, 16, true};
inline constexpr layout::architecture sse{4, 16, false};
inline constexpr layout::architecture neon{4, 32, true};
/// Without xsimd: IPU_DSL_PORTABLE, and every processor that is none of those above.
inline constexpr layout::architecture portable{4, 16, false};

}  // namespace vector_units

/// The words that C++20 keeps for itself, and what the header that is written names.
inline constexpr std::string_view taken_words[] = {
    "alignas",       "alignof",      "and",         "asm",
    "auto",          "bool",         "break",       "case",
    "catch",         "char",         "class",       "compl",
    "concept",       "const",        "consteval",   "constexpr",
    "constinit",     "continue",     "decltype",    "default",
    "delete",        "do",           "double",      "else",
    "enum",          "explicit",     "export",      "extern",
    "false",         "float",        "for",         "friend",
    "goto",          "if",           "inline",      "int",
    "ipu_dsl",       "long",         "mutable",     "namespace",
    "new",           "noexcept",     "not",         "nullptr",
    "operator",      "or",           "private",     "protected",
    "public",        "register",     "requires",    "return",
    "short",         "signed",       "sizeof",      "static",
    "std",           "struct",       "switch",      "template",
    "this",          "throw",        "true",        "try",
    "typedef",       "typeid",       "typename",    "union",
    "unsigned",      "using",        "virtual",     "void",
    "volatile",      "while",        "xor",         "co_await",
    "co_return",     "co_yield",     "bitand",      "bitor",
    "and_eq",        "or_eq",        "xor_eq",      "not_eq",
    "char8_t",       "char16_t",     "char32_t",    "wchar_t",
    "const_cast",    "dynamic_cast", "static_cast", "reinterpret_cast",
    "static_assert", "thread_local"};

/// Whether a word can name something in C++.
inline bool is_identifier(std::string_view word) {
  const bool taken =
      std::find(std::begin(taken_words), std::end(taken_words), word) != std::end(taken_words);
  bool right = !taken && !word.empty() && !(word[0] >= '0' && word[0] <= '9');
  for (const char letter : word) {
    const bool lower = letter >= 'a' && letter <= 'z';
    const bool upper = letter >= 'A' && letter <= 'Z';
    const bool digit = letter >= '0' && letter <= '9';
    right = right && (lower || upper || digit || letter == '_');
  }
  return right;
}

/// All parameters one after the other as they lie for a vector unit, padding included.
inline std::vector<float> lay_out(const parameters& weights, layout::architecture target) {
  std::vector<float> stored;
  std::vector<float> values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const tensor& parameter = weights.at(i);
    const shape& extents = parameter.extents;
    values.resize(static_cast<std::size_t>(extents.elements()));
    weights.get(i, values);
    for (const float value : values) {
      if (!std::isfinite(value)) {
        raise_error({"The parameter ", weights.name(i),
                     " has a value that is not finite; a header holds numbers."});
      }
    }
    const std::size_t begin = stored.size();
    stored.resize(begin + laid_out_floats(parameter, target));
    const std::span<float> part = std::span(stored).subspan(begin);
    if (parameter.lies == storage::panels) {
      layout::pack_panels(
          {layout::rows_of_panels(extents), layout::outputs_of_panels(extents), target}, values,
          part);
    } else {
      std::copy(values.begin(), values.end(), part.begin());
    }
  }
  return stored;
}

/// Writes `inline constexpr` weights called `name`, for a predictor of the same model in a program
/// that is compiled for this vector unit:
///
///   write_weights_header(run.weights(), "digits_weights.hpp", "digits_weights",
///   vector_units::neon);
///
///   #include "digits_weights.hpp"
///   predictor<mlp> classify(digits_weights, memory);
///
/// The numbers are exact. Throws `error` if the file cannot be written, the name is none, or a
/// weight is not finite.
inline void write_weights_header(const parameters& weights, const std::string& path,
                                 std::string_view name,
                                 layout::architecture target = layout::native) {
  if (!is_identifier(name)) {
    raise_error({"The weights of a header must have a name of C++, got '", name, "'."});
  }
  const std::vector<float> stored = lay_out(weights, target);
  std::string words =
      sentence_of({"// Written by write_weights_header of ipu_dsl: weights for ", target.registers,
                   " vector registers of ", target.lanes,
                   " floats.\n#pragma once\n\n#include <ipu_dsl/core/laid_out_weights.hpp>\n\n"
                   "inline constexpr ipu_dsl::laid_out_weights<",
                   stored.size(), ", ", target.lanes, ", ", target.registers, ", "});
  words += std::to_string(weights.shapes()) + "U> " + std::string(name) + "{{";
  for (std::size_t i = 0; i < stored.size(); ++i) {
    char number[32];
    std::snprintf(number, sizeof(number), "%s%aF,", i % 8 == 0 ? "\n    " : " ",
                  static_cast<double>(stored[i]));
    words += number;
  }
  words += "\n}};\n";
  write_file_atomically(path, {reinterpret_cast<const std::uint8_t*>(words.data()), words.size()});
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
