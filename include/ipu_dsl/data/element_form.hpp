// SPDX-License-Identifier: MIT
// What an element of data is, said by columns; and the spans that functions get of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <ipu_dsl/data/data_source.hpp>

namespace ipu_dsl {

/// The inputs, targets and weights that columns and data sets give side by side, each in their
/// order: `element_form<feature_column<shape{4}>, label_column<3>>`.
template <typename... Parts>
struct element_form {
 private:
  template <std::size_t Count>
  static constexpr std::array<data_source, Count> list(const auto&... parts) {
    std::array<data_source, Count> all;
    std::size_t count = 0;
    const auto add = [&](const auto& part) {
      for (const data_source& source : part) {
        all[count] = source;
        ++count;
      }
    };
    (add(parts), ...);
    return all;
  }

 public:
  static constexpr std::size_t input_count = (datasets::inputs_of<Parts>().size() + ...);
  static constexpr std::size_t target_count = (datasets::targets_of<Parts>().size() + ...);
  static constexpr std::size_t weight_count = (datasets::weight_sources_of<Parts>().size() + ...);

  static_assert(
      input_count > 0 && input_count + target_count + weight_count <= std::size_t{most_sources},
      "ipu_dsl: expected at least one input, and at most 8 inputs, targets and weights in a data "
      "set");

  static constexpr auto inputs = list<input_count>(datasets::inputs_of<Parts>()...);
  static constexpr auto targets = list<target_count>(datasets::targets_of<Parts>()...);
  static constexpr auto weights = list<weight_count>(datasets::weight_sources_of<Parts>()...);
};

namespace datasets {

/// The numbers of a source.
template <dtype Type>
using number_of = std::conditional_t<Type == dtype::uint8, std::uint8_t,
                                     std::conditional_t<Type == dtype::int32, std::int32_t, float>>;

/// What functions get of the sources of `Data`: spans whose lengths the compiler knows.
template <typename Data>
struct source_spans {
  static constexpr auto sources = sources_of<Data>();
  static constexpr std::size_t count = sources.size();

  template <std::size_t Source>
  static constexpr auto elements = static_cast<std::size_t>(sources[Source].extents.elements());

  template <std::size_t Source>
  using number = number_of<sources[Source].type>;

  /// To write.
  template <std::size_t Source>
  using written = std::span<number<Source>, elements<Source>>;

  /// To read.
  template <std::size_t Source>
  using read = std::span<const number<Source>, elements<Source>>;

  /// A row as such a span.
  template <std::size_t Source>
  static written<Source> of(const source_rows& row) {
    return written<Source>(static_cast<number<Source>*>(row.first), elements<Source>);
  }

  /// The same, zeros: what nobody writes must not be of the sample that was there before.
  template <std::size_t Source>
  static written<Source> cleared(const source_rows& row) {
    const written<Source> numbers = of<Source>(row);
    std::fill(numbers.begin(), numbers.end(), number<Source>());
    return numbers;
  }
};

/// Whether a function can be called with the first sources of `Data`.
template <typename Data, typename Function, bool Written, std::size_t... Source>
constexpr bool takes_sources(std::index_sequence<Source...>) {
  using spans = source_spans<Data>;
  if constexpr (Written) {
    return std::is_invocable_v<const Function&, typename spans::template written<Source>...>;
  } else {
    return std::is_invocable_v<const Function&, typename spans::template read<Source>...>;
  }
}

/// The most sources of `Data` that a function can be called with, from the first on; 0: none.
template <typename Data, typename Function, bool Written,
          std::size_t Count = source_spans<Data>::count>
constexpr std::size_t sources_taken() {
  if constexpr (Count == 0) {
    return 0;
  } else if constexpr (takes_sources<Data, Function, Written>(std::make_index_sequence<Count>())) {
    return Count;
  } else {
    return sources_taken<Data, Function, Written, Count - 1>();
  }
}

/// "std::span<float, 784>, std::span<std::int32_t, 1>", what a function would be called with.
template <typename Data>
constexpr label describe_spans(bool written) {
  label words;
  const char* before = "";
  for (const data_source& source : sources_of<Data>()) {
    words << before << "std::span<" << (written ? "" : "const ")
          << (source.type == dtype::uint8   ? "std::uint8_t"
              : source.type == dtype::int32 ? "std::int32_t"
                                            : "float")
          << ", " << source.extents.elements() << ">";
    before = ", ";
  }
  return words;
}

}  // namespace datasets

}  // namespace ipu_dsl
