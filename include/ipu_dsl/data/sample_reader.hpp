// SPDX-License-Identifier: MIT
// Reading whole samples of any data, with the room that it takes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/data/data_source.hpp>

namespace ipu_dsl::datasets {

/// The room of data that need none.
struct no_scratch {};

/// The type of the room that reading data takes.
template <typename Data>
struct scratch_type {
  using type = no_scratch;
};

template <reads_samples Data>
struct scratch_type<Data> {
  using type = typename Data::scratch;
};

/// See `scratch_type`.
template <typename Data>
using scratch_of = typename scratch_type<Data>::type;

/// Room to read samples of data with.
template <typename Data>
scratch_of<Data> make_scratch(const Data& data) {
  if constexpr (reads_samples<Data>) {
    return data.make_scratch();
  } else {
    return {};
  }
}

/// Writes sample `index` of data, or of a column, into a row of the sources that there is room for:
/// inputs first, weights last.
template <typename Data>
void read_sample(const Data& data, scratch_of<Data>& room, std::uint32_t index,
                 std::span<const source_rows> to, std::int32_t row) {
  if constexpr (reads_samples<Data>) {
    data.read(room, index, to, row);
  } else if constexpr (gathers_sources<Data>) {
    for (std::size_t source = 0; source < to.size(); ++source) {
      data.gather_source(source, index, to[source], row);
    }
  } else {
    std::size_t source = 0;
    if constexpr (tells_samples<Data>) {
      gather_input(data, index, to[source], row);
      ++source;
    }
    if constexpr (tells_what_is_wanted<Data>) {
      if (source < to.size()) {
        gather_target(data, index, to[source], row);
      }
      ++source;
    }
    if constexpr (tells_weights<Data>) {
      if (source < to.size()) {
        data.gather_weights(index, to[source].floats(row).data());
      }
    }
  }
}

/// A part of a row: `elements` numbers from number `first` on, as a row of its own.
inline source_rows part_of_row(const source_rows& of, std::int32_t row, std::int64_t first,
                               std::int32_t elements) {
  const std::int64_t numbers = std::int64_t{row} * of.stride + first;
  std::byte* const begin = static_cast<std::byte*>(of.first) + numbers * bytes_of(of.type);
  return {of.type, begin, elements, elements};
}

/// One row of several, alone.
inline source_rows row_of(const source_rows& of, std::int32_t row) {
  return part_of_row(of, row, 0, of.elements);
}

/// Memory of one sample of `Data`.
template <typename Data>
class sample_memory {
 public:
  static constexpr auto sources = sources_of<Data>();

  sample_memory() {
    std::size_t words = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      first_[i] = words;
      words += static_cast<std::size_t>(sources[i].extents.elements());
    }
    words_.resize(words);
  }

  /// That of a source.
  source_rows row(std::size_t source) {
    const auto elements = static_cast<std::int32_t>(sources[source].extents.elements());
    return {sources[source].type, words_.data() + first_[source], elements, elements};
  }

  /// A row of each of the first `Count` sources: of `to` where it has one, else of this memory.
  template <std::size_t Count>
  std::array<source_rows, Count> complete(std::span<const source_rows> to, std::int32_t at) {
    std::array<source_rows, Count> rows;
    for (std::size_t i = 0; i < Count; ++i) {
      rows[i] = i < to.size() ? row_of(to[i], at) : row(i);
    }
    return rows;
  }

 private:
  std::array<std::size_t, sources.size()> first_ = {};
  std::vector<float> words_;  // of four bytes, as the widest numbers of data have them
};

}  // namespace ipu_dsl::datasets
