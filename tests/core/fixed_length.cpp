// SPDX-License-Identifier: MIT
// Tests of core/fixed_length.hpp, all of them the compiler's.
#include <array>
#include <span>
#include <vector>

#include <ipu_dsl/core/fixed_length.hpp>

using namespace ipu_dsl;

static_assert(static_length_of<float[3]> == 3 && static_length_of<const std::array<float, 4>> == 4);
static_assert(static_length_of<std::span<float, 5>> == 5);
static_assert(static_length_of<std::vector<float>> == std::dynamic_extent);
static_assert(fixed_length_range<float[3]> && fixed_length_range<std::array<float, 4>>);
static_assert(!fixed_length_range<std::vector<float>> && !fixed_length_range<std::span<float>>);
static_assert(!fixed_length_range<float> && !fixed_length_range<float*>);
