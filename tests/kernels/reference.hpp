// SPDX-License-Identifier: MIT
// What the tests of kernels share: reproducible numbers, guarded buffers, plain reference chains.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::test {

inline constexpr int lanes = layout::native.lanes;

/// Half the distance of 1 to the next float: the relative error of one rounding.
inline constexpr double unit_roundoff = 0x1p-24;

/// A value no kernel computes, so that reading what was not written, or writing beyond a buffer, is
/// seen.
inline constexpr float poison = std::numeric_limits<float>::signaling_NaN();

/// A float in the precision of references.
constexpr double wide(float value) {
  return static_cast<double>(value);
}

inline bool same_bits(float a, float b) {
  return std::memcmp(&a, &b, sizeof(float)) == 0;
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// The rule of the kernels for one step of a chain.
inline float chain_step(float a, float b, float c) {
  if constexpr (layout::native.fused_multiply_add) {
    return std::fma(a, b, c);
  } else {
    const float product = a * b;
    return product + c;
  }
}

/// In [-1, 1), a function of seed and index.
inline float number(std::uint64_t seed, std::uint64_t index) {
  return 2.0F * uniform_unit(random_word(seed, 0, index)) - 1.0F;
}

/// A buffer with poison on both sides; it starts 4 bytes after an aligned address, because kernels
/// promise to need no alignment.
class buffer {
 public:
  explicit buffer(std::int64_t elements, float value = poison)
      : elements_(static_cast<std::size_t>(elements) + 2 * margin, poison) {
    for (std::int64_t i = 0; i < elements; ++i) {
      data()[i] = value;
    }
  }

  float* data() { return elements_.data() + margin; }

  const float* data() const { return elements_.data() + margin; }

  std::int64_t size() const { return static_cast<std::int64_t>(elements_.size() - 2 * margin); }

  float& operator[](std::int64_t i) { return data()[i]; }

  float operator[](std::int64_t i) const { return data()[i]; }

  std::span<const float> view() const { return {data(), elements_.size() - 2 * margin}; }

  std::span<float> view() { return {data(), elements_.size() - 2 * margin}; }

  /// Whether nothing was written outside.
  bool intact() const {
    bool poisoned = true;
    for (std::size_t i = 0; i < margin; ++i) {
      poisoned = poisoned && same_bits(elements_[i], poison);
      poisoned = poisoned && same_bits(elements_[elements_.size() - 1 - i], poison);
    }
    return poisoned;
  }

 private:
  static constexpr std::size_t margin = 37;
  std::vector<float> elements_;
};

/// [rows][whole vectors of columns] of numbers times `range`, padding zero.
inline buffer random_rows(std::int32_t rows, std::int32_t columns, std::uint64_t seed,
                          float range = 1.0F) {
  const std::int64_t stride = layout::whole_vectors(columns, layout::native);
  buffer values(rows * stride, 0.0F);
  std::uint64_t index = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      values[row * stride + column] = range * number(seed, index);
      ++index;
    }
  }
  return values;
}

/// Weights [inputs, outputs] in panels, padding zero.
inline buffer random_panels(std::int32_t inputs, std::int32_t outputs, std::uint64_t seed) {
  const layout::panels place(inputs, outputs);
  buffer values(layout::panel_elements(inputs, outputs), 0.0F);
  std::uint64_t index = 0;
  for (std::int32_t k = 0; k < inputs; ++k) {
    for (std::int32_t n = 0; n < outputs; ++n) {
      values[place.offset(k, n)] = number(seed, index);
      ++index;
    }
  }
  return values;
}

/// A bias of `outputs` numbers, padding zero.
inline buffer random_bias(std::int32_t outputs, std::uint64_t seed) {
  buffer values(layout::bias_elements(outputs), 0.0F);
  for (std::int32_t n = 0; n < outputs; ++n) {
    values[n] = number(seed, static_cast<std::uint64_t>(n));
  }
  return values;
}

/// Whether columns from `columns` on are zero in every row.
inline bool padding_is_zero(const buffer& values, std::int32_t rows, std::int32_t columns) {
  const std::int64_t stride = layout::whole_vectors(columns, layout::native);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = columns; column < stride; ++column) {
      if (!(values[row * stride + column] == 0.0F)) {
        return false;
      }
    }
  }
  return true;
}

/// The error of a chain of `steps` multiply-adds whose terms have the absolute sum `terms`: each
/// term passes at most `steps` roundings, so it is off by a factor (1 + u)^steps (two roundings a
/// step without fused multiply-add).
inline double chain_error(int steps, double terms) {
  const int roundings = layout::native.fused_multiply_add ? steps : 2 * steps;
  return terms * (std::pow(1.0 + unit_roundoff, roundings) - 1.0);
}

/// How many units in the last place of `exact` (as a normal or subnormal float) `got` is off.
inline double ulps(float got, double exact) {
  if (std::isnan(exact)) {
    return std::isnan(got) ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (std::isinf(exact) || wide(got) == exact) {
    return wide(got) == exact ? 0.0 : std::numeric_limits<double>::infinity();
  }
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int last_place = exponent - 24 < -149 ? -149 : exponent - 24;
  return std::fabs(wide(got) - exact) / std::ldexp(1.0, last_place);
}

/// Fowler-Noll-Vo hash (FNV-1a, 64 bits) of the bits of floats, least byte first.
inline std::uint64_t hash(std::span<const float> values,
                          std::uint64_t start = 0xCBF29CE484222325U) {
  std::uint64_t state = start;
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    for (int byte = 0; byte < 4; ++byte) {
      state = (state ^ ((bits >> (8 * byte)) & 0xFFU)) * 0x100000001B3U;
    }
  }
  return state;
}

}  // namespace ipu_dsl::test
