// SPDX-License-Identifier: MIT
// What digits_interface.hpp declares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/data/digits_interface.hpp>
#include <ipu_dsl/data/draw_digit.hpp>

namespace ipu_dsl {

IPU_DSL_INLINE digit_dataset synthetic_digits(std::int32_t count, std::uint64_t seed) {
  if (count < 0) {
    raise_error({"synthetic_digits(count, seed) needs a count of 0 or more, got ", count, "."});
  }
  constexpr std::size_t pixels = digit_extent * digit_extent;
  if (count > most_digits) {
    raise_error({"synthetic_digits(count, seed) keeps ", pixels,
                 " bytes a digit; expected at most ", most_digits, ", got ", count,
                 ". Hint: draw_digit draws one at a time, for a feed of your own"});
  }
  const std::size_t samples = static_cast<std::size_t>(count);
  std::vector<std::uint8_t> features(samples * pixels);
  std::vector<std::int32_t> labels(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const pen::picture picture(&features[i * pixels], pixels);
    labels[i] = draw_digit(seed, static_cast<std::uint32_t>(i), picture);
  }
  return digit_dataset(std::move(features), std::move(labels));
}

}  // namespace ipu_dsl
