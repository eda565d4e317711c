// SPDX-License-Identifier: MIT
// What programs read from a command line and write as JSON, for any Struct of Boost.Hana.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include <boost/hana/concept/struct.hpp>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/hana/structs.hpp>

namespace structs {

/// A number as JSON has it, which knows neither infinities nor NaN.
template <typename Number>
std::string json_number(Number number) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) {
      return "null";
    }
  }
  char digits[32];
  const auto written = std::to_chars(digits, digits + sizeof(digits), number);
  return {digits, written.ptr};
}

template <typename Value>
std::string json(const Value& value);

template <typename Values>
std::string json_list(const Values& values) {
  std::string text;
  for (const auto& value : values) {
    text += (text.empty() ? "" : ", ") + json(value);
  }
  return "[" + text + "]";
}

/// Metrics by their names; those of several numbers as lists.
inline std::string json_metrics(const ipu_dsl::metric_values& metrics) {
  std::string text;
  for (const std::string_view name : metrics.names()) {
    const std::span<const double> numbers = metrics.numbers(name);
    text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\": ";
    text += numbers.size() == 1 ? json_number(numbers[0]) : json_list(numbers);
  }
  return "{" + text + "}";
}

/// A Struct as an object, member by member; a learning rate as that of the first update.
template <typename Value>
std::string json(const Value& value) {
  if constexpr (boost::hana::Struct<Value>::value) {
    std::string text;
    ipu_dsl::for_each_member(value, [&](std::string_view name, const auto& member) {
      text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\": " + json(member);
    });
    return "{" + text + "}";
  } else if constexpr (std::same_as<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return json_number(value);
  } else if constexpr (std::is_enum_v<Value>) {
    return json_number(static_cast<int>(value));
  } else if constexpr (std::same_as<Value, ipu_dsl::metric_values>) {
    return json_metrics(value);
  } else if constexpr (std::same_as<Value, ipu_dsl::learning_rate_schedule>) {
    return json_number(static_cast<float>(value.of_update(1)));
  } else {
    return json_list(value);
  }
}

/// What one word of a command line can say.
template <typename Member>
concept readable = (std::is_arithmetic_v<Member> && !std::same_as<Member, bool>) ||
                   std::same_as<Member, ipu_dsl::learning_rate_schedule>;

/// Reads a number; throws `error` if the words are none, or none that fits.
template <readable Member>
void read(std::string_view option, std::string_view words, Member& into) {
  std::conditional_t<std::is_arithmetic_v<Member>, Member, float> number{};
  const auto [end, fault] = std::from_chars(words.data(), words.data() + words.size(), number);
  if (fault != std::errc() || end != words.data() + words.size()) {
    throw ipu_dsl::error(std::string(option) + ": expected a number, got " + std::string(words));
  }
  into = number;
}

/// Reads `--epochs 3 --learning_rate 0.05` into the members of these names, of the first Struct
/// that has one. Throws `error` for an option that is no member and for one without a number.
template <typename... Structs>
void read_command_line(const std::vector<std::string_view>& words, Structs&... into) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    std::string known;
    bool found = false;
    const auto look = [&](std::string_view name, auto& member) {
      if constexpr (readable<std::remove_cvref_t<decltype(member)>>) {
        const std::string option = "--" + std::string(name);
        known += (known.empty() ? "" : ", ") + option;
        if (option == words[i] && !found) {
          found = true;
          read(option, i + 1 < words.size() ? words[i + 1] : "", member);
        }
      }
    };
    (ipu_dsl::for_each_member(into, look), ...);
    if (!found) {
      throw ipu_dsl::error("There is no option " + std::string(words[i]) + "; there are " + known +
                           ".");
    }
  }
}

}  // namespace structs
