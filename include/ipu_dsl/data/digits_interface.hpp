// SPDX-License-Identifier: MIT
// Digits that the program writes itself: what there is, without the code that draws them.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/inline.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/data/dataset.hpp>

namespace ipu_dsl {

/// Digits as a data set: 28 x 28 grey values and ten classes, as MNIST.
using digit_dataset = labelled_dataset<shape{28, 28}, 10, std::uint8_t>;

/// What `synthetic_digits` keeps at most, 8 GB.
inline constexpr std::int32_t most_digits = 10'000'000;

/// The first `count` digits of `seed`. Another seed gives other digits: use one for training and
/// one for the test. They are kept, 788 bytes each: throws `error` for a negative count, and for
/// one above `most_digits`.
[[gnu::cold]] IPU_DSL_INLINE digit_dataset synthetic_digits(std::int32_t count, std::uint64_t seed);

}  // namespace ipu_dsl
