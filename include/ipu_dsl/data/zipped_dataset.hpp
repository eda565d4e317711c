// SPDX-License-Identifier: MIT
// Several data sets and columns, sample by sample, as one of several inputs and targets.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/element_form.hpp>
#include <ipu_dsl/data/sample_reader.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

/// What can be zipped: a column, or a data set.
template <typename T>
concept zippable = requires(const T& part) {
  { part.size() } -> std::same_as<std::int64_t>;
  requires names_sources<T> || tells_samples<T> || tells_what_is_wanted<T> || tells_weights<T>;
};

/// Owns its parts. Its inputs are theirs in their order, and so are its targets and its weights.
template <zippable... Parts>
class zipped_dataset {
  using form = element_form<Parts...>;

 public:
  static constexpr auto inputs = form::inputs;
  static constexpr auto targets = form::targets;
  static constexpr auto weights = form::weights;

  using scratch = std::tuple<datasets::scratch_of<Parts>...>;

  /// Throws `error` if one has more samples than another.
  explicit zipped_dataset(Parts... parts) : parts_(std::move(parts)...) {
    std::apply([this](const Parts&... each) { (check_size(each.size()), ...); }, parts_);
  }

  /// How many samples there are.
  std::int64_t size() const { return std::get<0>(parts_).size(); }

  /// Room to read samples with.
  scratch make_scratch() const {
    return std::apply([](const auto&... each) { return scratch(datasets::make_scratch(each)...); },
                      parts_);
  }

  /// Writes sample `index` into a row of `to`.
  void read(scratch& room, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    places next = {0, inputs.size(), inputs.size() + targets.size()};
    read_parts(room, index, to, row, next, std::index_sequence_for<Parts...>());
  }

 private:
  /// Where the next input, target and weight stand among all sources.
  struct places {
    std::size_t input;
    std::size_t target;
    std::size_t weight;
  };

  template <std::size_t... Part>
  void read_parts(scratch& room, std::uint32_t index, std::span<const source_rows> to,
                  std::int32_t row, places& next, std::index_sequence<Part...>) const {
    (read_part(std::get<Part>(parts_), std::get<Part>(room), index, to, row, next), ...);
  }

  /// A part's own sources are a first few of its own where `to` has a first few of all.
  template <typename Part>
  static void read_part(const Part& part, datasets::scratch_of<Part>& room, std::uint32_t index,
                        std::span<const source_rows> to, std::int32_t row, places& next) {
    std::array<source_rows, datasets::sources_of<Part>().size()> rows;
    std::size_t count = 0;
    const auto take = [&](std::size_t& place, std::size_t sources) {
      for (std::size_t i = 0; i < sources; ++i, ++place) {
        if (place < to.size()) {
          rows[count] = to[place];
          ++count;
        }
      }
    };
    take(next.input, datasets::inputs_of<Part>().size());
    take(next.target, datasets::targets_of<Part>().size());
    take(next.weight, datasets::weight_sources_of<Part>().size());
    if (count > 0) {
      datasets::read_sample(part, room, index, std::span(rows).first(count), row);
    }
  }

  void check_size(std::int64_t samples) const {
    if (samples != size()) {
      raise_error({"What is zipped has equally many samples, got ", size(), " and ", samples, "."});
    }
  }

  std::tuple<Parts...> parts_;
};

/// One data set of columns and data sets, which it takes or copies:
///
///   const auto homes = zipped(feature_column<shape{28, 28}>(images), index_column<shape{16}, 500>(
///                             words), label_column<10>(kinds), target_column<shape{1}>(prices));
///
/// Throws `error` if they differ in their number of samples.
template <zippable... Parts>
  requires(sizeof...(Parts) > 0)
zipped_dataset<Parts...> zipped(Parts... parts) {
  return zipped_dataset<Parts...>(std::move(parts)...);
}

/// What is wrong with the first part that is no column and no data set.
template <typename... Parts>
struct zipped_fault_of {
  template <typename Part>
  static constexpr problem find_in() {
    problem found;
    if constexpr (!zippable<Part>) {
      found = refuse("columns and data sets", type_name<Part>());
      if constexpr (is_transformed<Part>) {
        found.got = "data behind shuffled, repeated, take or skip";
        found.hint << "zip first, or write fixed_order(seed) behind them";
      } else {
        found.hint << "say what it is: feature_column<shape{28, 28}>(images), "
                      "index_column<shape{16}, 500>(words), label_column<10>(kinds), "
                      "target_column<shape{1}>(prices)";
      }
      found.where = "zipped";
    }
    return found;
  }

  static constexpr problem find() {
    for (const problem& found : {find_in<Parts>()...}) {
      if (found.found()) {
        return found;
      }
    }
    return {};
  }

  static constexpr problem value = find();
};

/// Refused with a sentence: what is no column and no data set, such as a plain vector.
template <typename... Parts>
  requires(sizeof...(Parts) > 0 && !(zippable<Parts> && ...))
refused_data zipped(const Parts&...) {
  static_assert(diagnose<zipped_fault_of<Parts...>>());
  return {};
}

}  // namespace ipu_dsl
