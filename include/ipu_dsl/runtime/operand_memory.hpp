// SPDX-License-Identifier: MIT
// A private copy of one operand of a call, in which what the call did not declare is poison.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <ipu_dsl/layout/stored_matrix.hpp>
#include <ipu_dsl/plan/buffer_size.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// How the elements of a buffer lie: [batch, elements of a sample], or all axes of a parameter but
/// the last as rows.
inline stored_matrix matrix_of(const buffer& memory, bool by_sample, std::int32_t micro_batch) {
  const std::int32_t batch = micro_batch * memory.samples;
  const shape& extents = memory.extents;
  const auto elements = static_cast<std::int32_t>(extents.elements());
  if (memory.type == dtype::int32 || memory.type == dtype::uint8) {
    return {storage::plain, batch, elements};
  }
  if (by_sample && memory.lies == storage::positions) {
    const std::int32_t features = extents[extents.rank - 1];
    return {memory.lies, batch * (elements / features), features};
  }
  if (by_sample) {
    return {memory.lies, batch, elements};
  }
  if (memory.lies == storage::panels) {
    return {memory.lies, layout::rows_of_panels(extents), layout::outputs_of_panels(extents)};
  }
  return {memory.lies, 1, elements};
}

/// One buffer of a call: as it was before the call, and a copy on which the call runs again.
/// Elements have four bytes, or one.
class operand_memory {
 public:
  /// Keeps what lies at `address` before the call, which `only_reads` it.
  operand_memory(void* address, const buffer& memory, bool by_sample, bool only_reads,
                 std::int32_t batch)
      : address_(static_cast<std::byte*>(address)),
        matrix_(matrix_of(memory, by_sample, batch)),
        integers_(memory.type == dtype::int32 || memory.type == dtype::uint8),
        size_(memory.type == dtype::uint8 ? 1 : sizeof(std::uint32_t)),
        in_rows_(by_sample && !integers_ && memory.lies != storage::plain &&
                 memory.role != buffer_role::scratch),
        lines_(static_cast<std::size_t>(bytes_of(memory, batch)) / sizeof(cache_line)),
        before_(lines_),
        poisoned_(lines_),
        copy_(lines_) {
    std::memcpy(before_.data(), address_, bytes());
    poisoned_ = before_;
    answers_ = only_reads && by_sample && !integers_ && are_answers();
    for (std::int64_t i = 0; i < matrix_.elements(); ++i) {
      set(poisoned_, i, poison_for(word(before_, i)));
    }
  }

  const std::byte* address() const { return address_; }

  void* copy() { return copy_.data(); }

  std::int64_t elements() const { return matrix_.elements(); }

  /// All elements of the copy become poison; its padding is what it was.
  void poison() { std::memcpy(copy_.data(), poisoned_.data(), bytes()); }

  /// One of them does.
  void poison(std::int64_t element) { set(copy_, element, word(poisoned_, element)); }

  /// Whether an element of the copy is poison.
  bool poisoned(std::int64_t element) const {
    return word(copy_, element) == word(poisoned_, element);
  }

  /// An element of the copy becomes a number, of a memory of floats.
  void put(std::int64_t element, float number) {
    set(copy_, element, std::bit_cast<std::uint32_t>(number));
  }

  float number(std::int64_t element) const { return std::bit_cast<float>(word(copy_, element)); }

  /// An element of the copy is as it was before the call.
  void reveal(std::int64_t element) { set(copy_, element, word(before_, element)); }

  void reveal_all() { std::memcpy(copy_.data(), before_.data(), bytes()); }

  /// Whether an element of the copy is what the call left in the original.
  bool agrees(std::int64_t element) const { return word(copy_, element) == original(element); }

  /// Whether what lies between the elements of samples is zero in the copy, or as it was before the
  /// call: whoever reads whole vectors counts on it. Minus zero is zero: what a weight below zero
  /// makes of it.
  bool keeps_padding() const {
    if (!in_rows_) {
      return true;
    }
    std::vector<bool> is_element(bytes() / size_, false);
    for (std::int64_t i = 0; i < matrix_.elements(); ++i) {
      is_element[offset_of(i) / size_] = true;
    }
    bool kept = true;
    for (std::size_t i = 0; i < is_element.size(); ++i) {
      const std::uint32_t found = word_at(copy_, i * size_);
      const bool zero = (found & 0x7FFFFFFFU) == 0;
      kept = kept && (is_element[i] || zero || found == word_at(before_, i * size_));
    }
    return kept;
  }

  /// Whether the call left an element as it was.
  bool kept(std::int64_t element) const { return word(before_, element) == original(element); }

 private:
  struct alignas(64) cache_line {
    std::byte bytes[64];
  };

  using lines = std::vector<cache_line>;

  std::size_t bytes() const { return lines_ * sizeof(cache_line); }

  std::uint32_t original(std::int64_t element) const {
    std::uint32_t read = 0;
    std::memcpy(&read, address_ + offset_of(element), size_);
    return read;
  }

  std::size_t offset_of(std::int64_t element) const {
    return static_cast<std::size_t>(matrix_.index_of(element)) * size_;
  }

  std::uint32_t word_at(const lines& from, std::size_t offset) const {
    std::uint32_t read = 0;
    std::memcpy(&read, from.data()->bytes + offset, size_);
    return read;
  }

  std::uint32_t word(const lines& from, std::int64_t element) const {
    return word_at(from, offset_of(element));
  }

  void set(lines& to, std::int64_t element, std::uint32_t value) {
    std::memcpy(to.data()->bytes + offset_of(element), &value, size_);
  }

  /// Whether all elements are 0 or 1, and not all of them 0: as a mask is.
  bool are_answers() const {
    std::uint32_t all = 0;
    bool found = true;
    for (std::int64_t i = 0; found && i < matrix_.elements(); ++i) {
      const std::uint32_t read = word(before_, i);
      all |= read;
      found = read == 0 || read == yes;
    }
    return found && all != 0;
  }

  /// A float that is no number; an integer that is a valid index and another one; the other answer
  /// of a mask, to which what is no number is a yes.
  std::uint32_t poison_for(std::uint32_t value) const {
    if (answers_) {
      return value == 0 ? yes : 0;
    }
    if (integers_) {
      return value == 0 ? 1 : 0;
    }
    return ~0U;
  }

  static constexpr std::uint32_t yes = std::bit_cast<std::uint32_t>(1.0F);

  std::byte* address_;
  stored_matrix matrix_;
  bool integers_;
  bool answers_ = false;
  std::size_t size_;  ///< bytes of an element
  bool in_rows_;      ///< of samples, which are padded, and read by other layers
  std::size_t lines_;
  lines before_;
  lines poisoned_;
  lines copy_;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
