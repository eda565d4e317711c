// SPDX-License-Identifier: MIT
// What functions read rows of values through.
#pragma once

#include <concepts>
#include <cstddef>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Values that lie one behind the other, seen and not owned: a pointer and a count. It is made of
/// whatever has `data()` and `size()` (a list, `std::array`, `std::vector`, `std::span`) and of an
/// array. An index is of any integer type, as graphs and schedules count in `int` and say -1 for
/// "none", where `std::span` asks for a cast at each access; and a view is made in a few evaluation
/// steps. An index out of range is undefined (and refused by the compiler during constant
/// evaluation).
template <typename T>
class list_view {
 public:
  constexpr list_view() = default;

  template <std::integral Count>
  constexpr list_view(const T* elements, Count count)
      : elements_(elements), size_(static_cast<std::size_t>(count)) {}

  template <std::size_t Count>
  constexpr list_view(const T (&elements)[Count]) : elements_(elements), size_(Count) {}

  template <typename Elements>
    requires requires(const Elements& of) {
      static_cast<const T*>(of.data());
      of.size();
    }
  constexpr list_view(const Elements& of) : elements_(of.data()), size_(of.size()) {}

  constexpr std::size_t size() const { return size_; }

  constexpr bool empty() const { return size_ == 0; }

  template <std::integral Index>
  constexpr const T& operator[](Index index) const {
    return elements_[index];
  }

  constexpr const T& front() const { return elements_[0]; }

  constexpr const T& back() const { return elements_[size_ - 1]; }

  constexpr const T* data() const { return elements_; }

  constexpr const T* begin() const { return elements_; }

  constexpr const T* end() const { return elements_ + size_; }

  /// The first `count` of them.
  template <std::integral Count>
  constexpr list_view first(Count count) const {
    return list_view(elements_, count);
  }

  /// `count` of them from `begin` on.
  template <std::integral Begin, std::integral Count>
  constexpr list_view part(Begin begin, Count count) const {
    return list_view(elements_ + begin, count);
  }

 private:
  const T* elements_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ipu_dsl
