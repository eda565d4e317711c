// SPDX-License-Identifier: MIT
// The growing array of constant evaluation.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// A growing array for constant evaluation and run time alike. `std::vector` does the same, but
/// costs several evaluation steps an access where this costs one, and clang 19 stops a constant
/// evaluation after 1,048,576 steps: a schedule of 16 devices needs the difference.
/// Elements are default-constructible values. Counts and indices are of any integer type; one out
/// of range is undefined (and refused by the compiler during constant evaluation where it is beyond
/// the memory that the list has taken).
template <typename T>
class list {
 public:
  constexpr list() = default;

  /// `count` default values, without a step of evaluation for each.
  template <std::integral Count>
  constexpr explicit list(Count count)
      : elements_(count == 0 ? nullptr : new T[static_cast<std::size_t>(count)]()),
        size_(static_cast<std::size_t>(count)),
        capacity_(size_) {}

  /// `count` copies of `value`.
  template <std::integral Count>
  constexpr list(Count count, const T& value) {
    resize(count, value);
  }

  constexpr list(std::initializer_list<T> values) { copy(values.begin(), values.size()); }

  constexpr list(const list& other) { copy(other.elements_, other.size_); }

  constexpr list(list&& other) noexcept { take(other); }

  constexpr list& operator=(list other) noexcept {
    delete[] elements_;
    take(other);
    return *this;
  }

  constexpr ~list() { delete[] elements_; }

  template <std::integral Count>
  constexpr void reserve(Count capacity) {
    hold(static_cast<std::size_t>(capacity));
  }

  template <std::integral Count>
  constexpr void resize(Count count, const T& value = T()) {
    const std::size_t size = static_cast<std::size_t>(count);
    hold(size);
    for (std::size_t i = size_; i < size; ++i) {
      elements_[i] = value;
    }
    size_ = size;
  }

  constexpr T& push_back(T value) {
    if (size_ == capacity_) {
      grow_to(size_ + 1);
    }
    // As `std::move` has it, which is a call for every element that is added.
    T& added = elements_[size_++];
    added = static_cast<T&&>(value);
    return added;
  }

  constexpr void append(list_view<T> values) {
    grow_to(size_ + values.size());
    const T* const from = values.data();
    const std::size_t count = values.size();
    for (std::size_t i = 0; i < count; ++i) {
      elements_[size_++] = from[i];
    }
  }

  /// Keeps the memory.
  constexpr void clear() { size_ = 0; }

  constexpr std::size_t size() const { return size_; }

  constexpr bool empty() const { return size_ == 0; }

  /// How many it can have before it takes more memory.
  constexpr std::size_t capacity() const { return capacity_; }

  template <std::integral Index>
  constexpr T& operator[](Index index) {
    return elements_[index];
  }

  template <std::integral Index>
  constexpr const T& operator[](Index index) const {
    return elements_[index];
  }

  constexpr T& back() { return elements_[size_ - 1]; }

  constexpr const T& back() const { return elements_[size_ - 1]; }

  constexpr T* data() { return elements_; }

  constexpr const T* data() const { return elements_; }

  constexpr T* begin() { return elements_; }

  constexpr T* end() { return elements_ + size_; }

  constexpr const T* begin() const { return elements_; }

  constexpr const T* end() const { return elements_ + size_; }

 private:
  /// Into a list that is empty.
  constexpr void copy(const T* from, std::size_t count) {
    hold(count);
    for (std::size_t i = 0; i < count; ++i) {
      elements_[i] = from[i];
    }
    size_ = count;
  }

  /// Written out: `std::exchange` is compiled again for every type of element.
  constexpr void take(list& other) {
    elements_ = other.elements_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.elements_ = nullptr;
    other.size_ = 0;
    other.capacity_ = 0;
  }

  /// Apart, because every list that grows calls it.
  [[gnu::cold, gnu::noinline]] constexpr void hold(std::size_t capacity) {
    if (capacity <= capacity_) {
      return;
    }
    T* grown = new T[capacity]();
    for (std::size_t i = 0; i < size_; ++i) {
      grown[i] = std::move(elements_[i]);
    }
    delete[] elements_;
    elements_ = grown;
    capacity_ = capacity;
  }

  /// At least doubles what it has to grow, so that many small additions cost a constant each.
  constexpr void grow_to(std::size_t size) {
    if (size > capacity_) {
      const std::size_t doubled = capacity_ == 0 ? 8 : 2 * capacity_;
      hold(size > doubled ? size : doubled);
    }
  }

  T* elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace ipu_dsl
