// SPDX-License-Identifier: MIT
// What the settings of optimizers are checked with.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>

namespace ipu_dsl {

/// Looks at settings one after the other and keeps the first thing that is wrong with them.
/// Comparisons with a NaN are false, so that one is refused everywhere.
struct settings_check {
  problem fault{};

  /// "a decay_rate above 0", got 0
  constexpr void require(bool holds, std::string_view name, std::string_view how, float got) {
    if (!holds && !fault.found()) {
      fault = refuse(with_article(name) << how, shown(got));
    }
  }

  /// What something else says is wrong.
  constexpr void take(const problem& found) {
    if (!fault.found()) {
      fault = found;
    }
  }

  constexpr void finite(std::string_view name, float value) {
    constexpr float largest = (std::numeric_limits<float>::max)();
    // In this order what is not a number is refused as well.
    if (!(value <= largest && value >= -largest) && !fault.found()) {
      fault = refuse(label("a finite ") << name, shown(value));
    }
  }

  /// A rate, a strength: finite and at least 0.
  constexpr void not_negative(std::string_view name, float value) {
    finite(name, value);
    require(value >= 0, name, " of at least 0", value);
  }

  constexpr void positive(std::string_view name, float value) {
    finite(name, value);
    require(value > 0, name, " above 0", value);
  }

  /// The part of a running mean that is kept.
  constexpr void decay(std::string_view name, float value) {
    require(value >= 0 && value < 1, name, " of at least 0 and below 1", value);
  }

  /// What is lost or kept of something whole.
  constexpr void fraction(std::string_view name, float value) {
    require(value >= 0 && value <= 1, name, " of 0 to 1", value);
  }

  constexpr void epsilon(float value) {
    require(value > 0 && value <= 1, "epsilon", " above 0, at most 1", value);
  }

  constexpr void steps(std::string_view name, std::int64_t value) {
    if (value < 1 && !fault.found()) {
      fault = refuse(with_article(name) << " of at least 1", label() << value);
    }
  }

 private:
  /// "an epsilon", "a rho", "an l1_regularization_strength": of a letter that stands for itself its
  /// name counts.
  static constexpr label with_article(std::string_view name) {
    const bool spelled = name.size() > 1 && (name[1] < 'a' || name[1] > 'z');
    const std::string_view vowels = spelled ? "aefhilmnorsx" : "aeio";
    return label(vowels.find(name[0]) != std::string_view::npos ? "an " : "a ") << name;
  }

  static constexpr label shown(float value) {
    return value > (std::numeric_limits<float>::max)() ? label("infinity") : label() << value;
  }
};

}  // namespace ipu_dsl
