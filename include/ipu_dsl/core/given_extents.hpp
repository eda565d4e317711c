// SPDX-License-Identifier: MIT
// The extents of a shape as template arguments: `input<28, 28>`, `Reshape<784>`.
#pragma once

#include <cstddef>
#include <initializer_list>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/whole_number.hpp>

namespace ipu_dsl {

/// A shape, or what is wrong with its extents.
struct given_extents {
  shape value;
  const problem* fault = nullptr;
};

inline constexpr problem too_many_extents = refuse("at most six extents", "more");

constexpr given_extents extents_of(std::initializer_list<whole_number> numbers) {
  given_extents read;
  read.fault = first_fault(numbers);
  if (numbers.size() > static_cast<std::size_t>(shape::max_rank)) {
    read.fault = &too_many_extents;
  }
  for (const whole_number& number : numbers) {
    if (is_null(read.fault)) {
      read.value.extents[read.value.rank] = number.value;
      ++read.value.rank;
    }
  }
  return read;
}

}  // namespace ipu_dsl
