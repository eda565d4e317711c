// SPDX-License-Identifier: MIT
// Samples that are made once and kept: `data | mapped(...) | cached()`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/data/adaptor.hpp>
#include <ipu_dsl/data/sample_reader.hpp>

namespace ipu_dsl {

/// Samples in memory of its own, of the form of `Data`, from which it was filled.
template <dataset Data>
class cached_dataset {
  static constexpr auto sources = datasets::sources_of<Data>();

 public:
  static constexpr auto inputs = datasets::inputs_of<Data>();
  static constexpr auto targets = datasets::targets_of<Data>();
  static constexpr auto weights = datasets::weight_sources_of<Data>();

  using scratch = datasets::no_scratch;

  /// Reads every sample of `data` once. Throws `error` if there is no memory for them.
  explicit cached_dataset(const Data& data) : size_(data.size()) {
    reserve();
    datasets::scratch_of<Data> room = datasets::make_scratch(data);
    std::array<source_rows, sources.size()> to;
    for (std::int64_t sample = 0; sample < size_; ++sample) {
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto elements = static_cast<std::int32_t>(sources[i].extents.elements());
        to[i] = {sources[i].type, kept_[i].data() + position(i, sample), elements, elements};
      }
      datasets::read_sample(data, room, static_cast<std::uint32_t>(sample), to, 0);
    }
  }

  /// How many samples there are.
  std::int64_t size() const { return size_; }

  /// Nothing.
  scratch make_scratch() const { return {}; }

  /// Copies sample `index` into a row of `to`.
  void read(scratch&, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    for (std::size_t i = 0; i < to.size(); ++i) {
      std::memcpy(datasets::row_of(to[i], row).first, kept_[i].data() + position(i, index),
                  bytes_of_sample(i));
    }
  }

 private:
  static constexpr std::size_t bytes_of_sample(std::size_t source) {
    return static_cast<std::size_t>(sources[source].extents.elements() *
                                    bytes_of(sources[source].type));
  }

  static constexpr std::size_t position(std::size_t source, std::int64_t sample) {
    return static_cast<std::size_t>(sample) * bytes_of_sample(source);
  }

  void reserve() {
    std::size_t bytes = 0;
    try {
      for (std::size_t i = 0; i < sources.size(); ++i) {
        bytes += position(i, size_);
        kept_[i].resize(position(i, size_));
      }
    } catch (const std::bad_alloc&) {
      raise_error(
          {"There is no memory to keep ", size_, " samples in: ", bytes, " bytes or more."});
    }
  }

  std::int64_t size_;
  std::array<std::vector<std::byte>, sources.size()> kept_;
};

/// See `cached`.
struct caching {
  static constexpr bool keeps_places = true;
  static constexpr const char* name = "cached";

  /// The samples of data, kept.
  template <dataset Data>
  cached_dataset<Data> over(const Data& data) const {
    return cached_dataset<Data>(data);
  }
};

/// Behind a data set: its samples, read here and now and kept, as `tf.data.Dataset.cache`. What was
/// read is not needed any more.
inline caching cached() {
  return {};
}

}  // namespace ipu_dsl
