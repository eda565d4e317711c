// SPDX-License-Identifier: MIT
// Data behind data: `concatenated(drawn, scanned)`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/adaptor.hpp>
#include <ipu_dsl/data/data_reference.hpp>
#include <ipu_dsl/data/sample_reader.hpp>

namespace ipu_dsl {

namespace datasets {

/// Sources of equal extents and types, with as many classes as the one that has most.
template <std::size_t Count>
constexpr std::array<data_source, Count> most_classes(std::array<data_source, Count> first,
                                                      const auto&... others) {
  const auto widen = [&](const std::array<data_source, Count>& other) {
    for (std::size_t i = 0; i < Count; ++i) {
      first[i].classes = (std::max)(first[i].classes, other[i].classes);
    }
  };
  (widen(others), ...);
  return first;
}

}  // namespace datasets

/// The samples of the first data, then those of the next. Owns them.
template <dataset First, dataset... Others>
class concatenated_dataset {
 public:
  static constexpr auto inputs =
      datasets::most_classes(datasets::inputs_of<First>(), datasets::inputs_of<Others>()...);
  static constexpr auto targets =
      datasets::most_classes(datasets::targets_of<First>(), datasets::targets_of<Others>()...);
  static constexpr auto weights = datasets::weight_sources_of<First>();

  using scratch = std::tuple<datasets::scratch_of<First>, datasets::scratch_of<Others>...>;

  explicit concatenated_dataset(First first, Others... others)
      : parts_(std::move(first), std::move(others)...) {}

  /// How many samples there are.
  std::int64_t size() const {
    return std::apply([](const auto&... each) { return (each.size() + ...); }, parts_);
  }

  /// Room to read samples with.
  scratch make_scratch() const {
    return std::apply([](const auto&... each) { return scratch(datasets::make_scratch(each)...); },
                      parts_);
  }

  /// Writes sample `index` into a row of `to`.
  void read(scratch& room, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    read_from<0>(room, index, to, row);
  }

 private:
  template <std::size_t Part>
  void read_from(scratch& room, std::int64_t index, std::span<const source_rows> to,
                 std::int32_t row) const {
    const auto& part = std::get<Part>(parts_);
    if constexpr (Part < sizeof...(Others)) {
      if (index >= part.size()) {
        read_from<Part + 1>(room, index - part.size(), to, row);
        return;
      }
    }
    datasets::read_sample(part, std::get<Part>(room), static_cast<std::uint32_t>(index), to, row);
  }

  std::tuple<First, Others...> parts_;
};

namespace datasets {

/// What is wrong with a source behind another.
constexpr problem check_behind(const char* what, const data_source& first,
                               const data_source& other) {
  if (first.type != other.type) {
    return refuse(label(what) << " of " << name_of(first.type) << ", as the first data have",
                  name_of(other.type));
  }
  if (!(first.extents == other.extents)) {
    return refuse(
        label(what) << " of shape " << describe(first.extents) << ", as the first data have",
        describe(other.extents), "mapped<feature_column<shape{...}>, ...> makes another");
  }
  return {};
}

/// The same of all sources.
template <std::size_t First, std::size_t Other>
constexpr problem check_behind(const char* what, const std::array<data_source, First>& first,
                               const std::array<data_source, Other>& other) {
  if constexpr (First != Other) {
    return refuse(label() << First << " " << what << ", as the first data have", label() << Other);
  } else {
    for (std::size_t i = 0; i < First; ++i) {
      const problem found = check_behind(what, first[i], other[i]);
      if (found.found()) {
        return found;
      }
    }
    return {};
  }
}

}  // namespace datasets

/// What is wrong with the first of several data that cannot stand behind one another.
template <typename First, typename... Others>
struct concatenated_fault_of {
  template <typename Part>
  static constexpr problem find_in() {
    problem found;
    if constexpr (is_transformed<Part>) {
      found = refuse("data sets", "data behind shuffled, repeated, take or skip",
                     "concatenate first, or write fixed_order(seed) behind them");
    } else if constexpr (!dataset<Part>) {
      found = refuse("data sets", type_name<Part>());
    } else if constexpr (dataset<First>) {
      found = datasets::check_behind("inputs", datasets::inputs_of<First>(),
                                     datasets::inputs_of<Part>());
      if (!found.found()) {
        found = datasets::check_behind("targets", datasets::targets_of<First>(),
                                       datasets::targets_of<Part>());
      }
      if (!found.found()) {
        found = datasets::check_behind("weights", datasets::weight_sources_of<First>(),
                                       datasets::weight_sources_of<Part>());
      }
    }
    if (found.found()) {
      found.where = "concatenated";
    }
    return found;
  }

  static constexpr problem find() {
    for (const problem& found : {find_in<First>(), find_in<Others>()...}) {
      if (found.found()) {
        return found;
      }
    }
    return {};
  }

  static constexpr problem value = find();
};

/// The samples of several data sets of one form, one set behind the other. Data with a name are
/// referred to and must outlive it, others are taken in. Data of other shapes are refused.
template <typename First, typename... Others>
auto concatenated(First&& first, Others&&... others) {
  using fault = concatenated_fault_of<std::remove_cvref_t<First>, std::remove_cvref_t<Others>...>;
  if constexpr (!fault::value.found()) {
    return concatenated_dataset<held_data<First>, held_data<Others>...>(
        hold(std::forward<First>(first)), hold(std::forward<Others>(others))...);
  } else {
    static_assert(diagnose<fault>());
    return refused_data();
  }
}

}  // namespace ipu_dsl
