// SPDX-License-Identifier: MIT
// Numbers in memory of ours that a rule of somebody's own reads and writes by their places.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/error.hpp>

namespace ipu_dsl {

/// So many numbers, and none beside them: another place than 0 to `size() - 1` is refused with an
/// `error`, which ends the program where a kernel is amid its work. A place that the compiler knows
/// costs nothing.
template <typename Number>
class checked_numbers {
 public:
  constexpr checked_numbers(Number* first, std::int32_t size) : first_(first), size_(size) {}

  [[gnu::always_inline]] constexpr Number& operator[](std::int32_t place) const {
    if (place < 0 || place >= size_) {
      refuse(place, size_);
    }
    return first_[place];
  }

  constexpr std::int32_t size() const { return size_; }

  constexpr Number* begin() const { return first_; }

  constexpr Number* end() const { return first_ + size_; }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] static void refuse(std::int32_t place, std::int32_t size) {
    raise_error({"A rule of a metric was given ", size, " numbers and asked for number ", place,
                 ", counted from 0. Hint: counting_rules::shapes(draft, 2) says how many are "
                 "counted, `reported` how many are reported."});
  }

  Number* first_;
  std::int32_t size_;
};

/// What a metric adds to.
using counted_numbers = checked_numbers<double>;

/// The sums of that, over all samples.
using counted_sums = checked_numbers<const double>;

/// What a metric of several numbers reports.
using reported_numbers = checked_numbers<double>;

}  // namespace ipu_dsl
