// SPDX-License-Identifier: MIT
// Where the elements of an infeed wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/source_form.hpp>

namespace ipu_dsl {

/// Room for elements of a feed, which they take in turn. Rows lie without padding: an element is
/// [micro_batch, elements] of each source, one behind the other, each on a line of its own.
class infeed_memory {
 public:
  infeed_memory() = default;

  /// Of `depth` elements.
  infeed_memory(std::span<const source_form> sources, std::int32_t micro_batch, std::int32_t depth)
      : sources_(sources.size()), valid_(depth) {
    constexpr std::size_t line = 64;
    list<std::size_t> offsets;
    std::size_t bytes = 0;
    for (const source_form& each : sources) {
      offsets.push_back(bytes);
      const std::size_t used = static_cast<std::size_t>(micro_batch) *
                               static_cast<std::size_t>(each.elements) *
                               static_cast<std::size_t>(bytes_of(each.type));
      bytes += (used + line - 1) / line * line;
    }
    memory_ = list<std::byte>(bytes * static_cast<std::size_t>(depth));
    for (std::int32_t slot = 0; slot < depth; ++slot) {
      std::byte* const first = memory_.data() + bytes * static_cast<std::size_t>(slot);
      for (std::size_t i = 0; i < sources_; ++i) {
        const auto elements = static_cast<std::int32_t>(sources[i].elements);
        rows_.push_back({sources[i].type, first + offsets[i], elements, elements});
      }
    }
  }

  /// Where an element is written: of each source its rows.
  std::span<const source_rows> rows(std::uint64_t element) const {
    return {rows_.data() + sources_ * slot(element), sources_};
  }

  /// How many samples it has, as the feed says.
  std::int32_t valid(std::uint64_t element) const { return valid_[slot(element)]; }

  void set_valid(std::uint64_t element, std::int32_t samples) { valid_[slot(element)] = samples; }

  /// The first `valid` rows of an element, and zeros behind them and behind each. Fewer sources may
  /// be asked for than there are.
  void copy(std::uint64_t element, std::int32_t valid, const feed_rows& rows) const {
    const std::span<const source_rows> from = this->rows(element);
    for (std::size_t i = 0; i < rows.sources.size(); ++i) {
      const source_rows& to = rows.sources[i];
      const std::size_t number = static_cast<std::size_t>(bytes_of(from[i].type));
      const std::size_t used = static_cast<std::size_t>(from[i].elements) * number;
      const std::size_t stride = static_cast<std::size_t>(to.stride) * number;
      const auto* read = static_cast<const std::byte*>(from[i].first);
      auto* written = static_cast<std::byte*>(to.first);
      for (std::int32_t row = 0; row < rows.micro_batch; ++row) {
        const std::size_t kept = row < valid ? used : 0;
        std::memcpy(written, read, kept);
        std::memset(written + kept, 0, stride - kept);
        read += used;
        written += stride;
      }
    }
  }

 private:
  std::size_t slot(std::uint64_t element) const {
    return static_cast<std::size_t>(element % valid_.size());
  }

  std::size_t sources_ = 0;
  list<std::byte> memory_;
  list<source_rows> rows_;    ///< [depth, sources]
  list<std::int32_t> valid_;  ///< [depth]
};

}  // namespace ipu_dsl
