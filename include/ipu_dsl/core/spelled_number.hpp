// SPDX-License-Identifier: MIT
// Numbers among template arguments: as compilers spell them, and as a user writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/text.hpp>

namespace ipu_dsl {

/// A number in a spelled name.
struct spelled_number {
  double value = 0;
  std::size_t whole = 0;  ///< letters of the number; 0: there is none
};

constexpr bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// The number if a spelled name begins with one that has an exponent: `9.99999978e-3f` of g++,
/// `1.000000e-02` of clang.
constexpr spelled_number number_in(std::string_view spelled) {
  spelled_number found;
  int exponent = 0;
  std::size_t i = 0;
  for (; i < spelled.size() && is_digit(spelled[i]); ++i) {
    found.value = found.value * 10 + (spelled[i] - '0');
  }
  if (i == 0 || i == spelled.size() || spelled[i] != '.') {
    return {};
  }
  for (++i; i < spelled.size() && is_digit(spelled[i]); ++i) {
    found.value = found.value * 10 + (spelled[i] - '0');
    --exponent;
  }
  const std::string_view rest = spelled.substr(i);
  if (rest.size() < 3 || rest[0] != 'e' || (rest[1] != '-' && rest[1] != '+')) {
    return {};
  }
  int written = 0;
  for (i += 2; i < spelled.size() && is_digit(spelled[i]) && written < 1000; ++i) {
    written = written * 10 + (spelled[i] - '0');
  }
  exponent += rest[1] == '-' ? -written : written;
  for (; exponent > 0 && found.value < 1e300; --exponent) {
    found.value *= 10;
  }
  for (; exponent < 0 && found.value > 0; ++exponent) {
    found.value /= 10;
  }
  found.whole = i < spelled.size() && spelled[i] == 'f' ? i + 1 : i;
  return found;
}

/// The number as a user writes it, "0.01"; nothing of one that has more than six decimals, or more
/// digits before the point than a float is exact for.
constexpr label as_decimal(const spelled_number& number) {
  constexpr double millionth = 1e-6;
  constexpr double most = 1e6;
  const double rounded = static_cast<double>(static_cast<std::int64_t>(
                             number.value < most ? number.value * most + 0.5 : 0)) *
                         millionth;
  const double off = rounded < number.value ? number.value - rounded : rounded - number.value;
  if (number.whole == 0 || off > number.value * millionth) {
    return {};
  }
  return label() << static_cast<float>(number.value);
}

}  // namespace ipu_dsl
