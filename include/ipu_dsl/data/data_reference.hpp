// SPDX-License-Identifier: MIT
// Data that others are made of: referred to if they have a name, taken in if nobody keeps them.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <ipu_dsl/data/data_source.hpp>
#include <ipu_dsl/data/sample_reader.hpp>

namespace ipu_dsl {

/// A data set somewhere else, which must outlive it; itself a data set.
template <dataset Data>
class data_reference {
 public:
  static constexpr auto inputs = datasets::inputs_of<Data>();
  static constexpr auto targets = datasets::targets_of<Data>();
  static constexpr auto weights = datasets::weight_sources_of<Data>();

  using scratch = datasets::scratch_of<Data>;

  data_reference(const Data& data) : data_(&data) {}

  data_reference(const Data&&) = delete;

  /// How many samples there are.
  std::int64_t size() const { return data_->size(); }

  /// Room to read samples with.
  scratch make_scratch() const { return datasets::make_scratch(*data_); }

  /// Writes sample `index` into a row of `to`.
  void read(scratch& room, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    datasets::read_sample(*data_, room, index, to, row);
  }

 private:
  const Data* data_;
};

/// How data are kept by what is made of them: with `Data` as a forwarding reference deduces it.
template <typename Data>
using held_data =
    std::conditional_t<std::is_lvalue_reference_v<Data>, data_reference<std::remove_cvref_t<Data>>,
                       std::remove_cvref_t<Data>>;

/// Data with a name as a reference, others taken in.
template <typename Data>
  requires dataset<std::remove_cvref_t<Data>>
held_data<Data> hold(Data&& data) {
  return held_data<Data>(std::forward<Data>(data));
}

}  // namespace ipu_dsl
