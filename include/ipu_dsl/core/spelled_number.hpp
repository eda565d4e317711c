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

/// Where the digits end that stand at a letter.
constexpr std::size_t end_of_digits(std::string_view spelled, std::size_t begin) {
  std::size_t end = begin;
  while (end < spelled.size() && spelled[end] >= '0' && spelled[end] <= '9') {
    ++end;
  }
  return end;
}

/// The number that digits are, wherever a point is among them.
constexpr double value_of_digits(std::string_view digits) {
  double value = 0;
  for (const char digit : digits) {
    value = digit == '.' ? value : value * 10 + (digit - '0');
  }
  return value;
}

/// value 10^exponent, as far as a double goes.
constexpr double times_power_of_ten(double value, double exponent) {
  for (; exponent >= 1 && value > 0 && value < 1e300; --exponent) {
    value *= 10;
  }
  for (; exponent <= -1 && value > 0; ++exponent) {
    value /= 10;
  }
  return value;
}

/// The number if a spelled name begins with one that has an exponent: `9.99999978e-3f` of g++,
/// `1.000000e-02` of clang.
constexpr spelled_number number_in(std::string_view spelled) {
  const std::size_t point = end_of_digits(spelled, 0);
  const std::size_t end = end_of_digits(spelled, point + 1);
  if (point == 0 || spelled.size() < end + 3 || spelled[point] != '.' || spelled[end] != 'e') {
    return {};
  }
  const char sign = spelled[end + 1];
  if (sign != '-' && sign != '+') {
    return {};
  }
  const std::size_t last = end_of_digits(spelled, end + 2);
  const double power = value_of_digits(spelled.substr(end + 2, last - end - 2));
  const auto places = static_cast<double>(end - point - 1);
  return {.value = times_power_of_ten(value_of_digits(spelled.substr(0, end)),
                                      (sign == '-' ? -power : power) - places),
          .whole = spelled.substr(last).starts_with('f') ? last + 1 : last};
}

/// The number as a user writes it, "0.01"; nothing of one that has more than six decimals, or more
/// digits before the point than a float is exact for.
constexpr label as_decimal(const spelled_number& number) {
  constexpr double most = 1e6;
  constexpr double decimals = 1e6;
  if (number.whole == 0 || number.value >= most) {
    return {};
  }
  const double exact = number.value * decimals;
  const auto nearest = static_cast<double>(static_cast<std::int64_t>(exact + 0.5));
  const double off = nearest < exact ? exact - nearest : nearest - exact;
  return off <= exact / decimals ? label() << static_cast<float>(number.value) : label();
}

}  // namespace ipu_dsl
