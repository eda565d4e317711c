// SPDX-License-Identifier: MIT
// Ranges whose length the compiler knows.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// The length of a range whose type tells it, such as an array of floats.
template <typename Range>
inline constexpr std::size_t static_length_of = decltype(std::span(std::declval<Range&>()))::extent;

template <typename Range>
concept fixed_length_range = requires(Range& values) { std::span(values); } &&
                             static_length_of<Range> != std::dynamic_extent;

}  // namespace ipu_dsl
