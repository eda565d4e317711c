// SPDX-License-Identifier: MIT
// Several checks as one value, which knows the first that failed.
#pragma once

#include <cstddef>
#include <ostream>
#include <source_location>
#include <type_traits>

namespace ipu_dsl::tests {

/// What a test function that can run at compile time found. As a condition it is true if something
/// was checked and all of it was right:
///
///     constexpr checks test_push() {
///       checks done;
///       done.that(values.empty());
///       return done;
///     }
///     static_assert(test_push());
///     TEST_CASE("...") { CHECK(test_push()); }
///
/// Where a check fails in a constant expression, the compiler's message leads to its line; at run
/// time Catch2 prints the line, and which of all checks it was, as a loop has many on one line.
class checks {
 public:
  constexpr void that(bool right, std::source_location place = std::source_location::current()) {
    ++count_;
    if (right || failed_ != 0) {
      return;
    }
    failed_ = count_;
    place_ = place;
    if (std::is_constant_evaluated()) {
      a_check_failed();
    }
  }

  /// What another function checked, as a part of this.
  constexpr void that(const checks& part) {
    failed_ = failed_ == 0 && part.failed_ != 0 ? count_ + part.failed_ : failed_;
    place_ = failed_ > count_ ? part.place_ : place_;
    count_ += part.count_;
  }

  /// How many there were.
  constexpr std::size_t count() const { return count_; }

  constexpr explicit operator bool() const { return count_ > 0 && failed_ == 0; }

  friend std::ostream& operator<<(std::ostream& out, const checks& done) {
    if (done.failed_ != 0) {
      return out << "check " << done.failed_ << " of " << done.count_ << ", line "
                 << done.place_.line() << " of " << done.place_.file_name() << ", failed";
    }
    return out << done.count_ << " checks";
  }

 private:
  /// Not constexpr: a constant evaluation stops here.
  static void a_check_failed() {}

  std::size_t count_ = 0;
  std::size_t failed_ = 0;  ///< the number of the first, 0 for none
  std::source_location place_;
};

}  // namespace ipu_dsl::tests
