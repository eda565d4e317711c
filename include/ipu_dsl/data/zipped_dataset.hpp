// SPDX-License-Identifier: MIT
// Several data sets and columns, sample by sample, as one of several inputs and targets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

/// What can be zipped: a column, or a data set of one input and one target.
template <typename T>
concept zippable = !gathers_sources<T> && requires(const T& part) {
  { part.size() } -> std::same_as<std::int64_t>;
  requires tells_samples<T> || tells_what_is_wanted<T> || tells_weights<T>;
};

namespace datasets {

template <typename Part>
inline constexpr bool has_target = tells_what_is_wanted<Part>;

}  // namespace datasets

/// Owns its parts. Its inputs are theirs in their order, and so are its targets and its weights.
template <zippable... Parts>
class zipped_dataset {
 public:
  static constexpr std::size_t input_count = (std::size_t{tells_samples<Parts>} + ...);
  static constexpr std::size_t target_count = (std::size_t{datasets::has_target<Parts>} + ...);
  static constexpr std::size_t weight_count = (std::size_t{tells_weights<Parts>} + ...);

  static_assert(
      input_count > 0 && input_count + target_count + weight_count <= std::size_t{most_sources},
      "ipu_dsl: expected at least one input, and at most 8 inputs, targets and weights in zipped");

 private:
  static constexpr auto list_inputs() {
    std::array<data_source, input_count> listed;
    std::size_t count = 0;
    const auto add = [&]<typename Part>(std::type_identity<Part>) {
      if constexpr (tells_samples<Part>) {
        listed[count] = datasets::input_of<Part>();
        ++count;
      }
    };
    (add(std::type_identity<Parts>()), ...);
    return listed;
  }

  static constexpr auto list_targets() {
    std::array<data_source, target_count> listed;
    std::size_t count = 0;
    const auto add = [&]<typename Part>(std::type_identity<Part>) {
      if constexpr (datasets::has_target<Part>) {
        listed[count] = datasets::target_of<Part>();
        ++count;
      }
    };
    (add(std::type_identity<Parts>()), ...);
    return listed;
  }

  static constexpr auto list_weights() {
    std::array<data_source, weight_count> listed;
    std::size_t count = 0;
    const auto add = [&]<typename Part>(std::type_identity<Part>) {
      if constexpr (tells_weights<Part>) {
        listed[count] = {.extents = Part::weight_shape};
        ++count;
      }
    };
    (add(std::type_identity<Parts>()), ...);
    return listed;
  }

 public:
  static constexpr std::array<data_source, input_count> inputs = list_inputs();
  static constexpr std::array<data_source, target_count> targets = list_targets();
  static constexpr std::array<data_source, weight_count> weights = list_weights();

  /// Throws `error` if one has more samples than another.
  explicit zipped_dataset(Parts... parts) : parts_(std::move(parts)...) {
    std::apply([this](const Parts&... each) { (check_size(each.size()), ...); }, parts_);
  }

  /// How many samples there are.
  std::int64_t size() const { return std::get<0>(parts_).size(); }

  /// Writes source number `source`, inputs first, weights last, of a sample into a row.
  void gather_source(std::size_t source, std::uint32_t index, const source_rows& to,
                     std::int32_t row) const {
    std::size_t input = 0;
    std::size_t target = input_count;
    std::size_t weight = input_count + target_count;
    const auto gather = [&]<typename Part>(const Part& part) {
      if constexpr (tells_samples<Part>) {
        if (input == source) {
          datasets::gather_input(part, index, to, row);
        }
        ++input;
      }
      if constexpr (datasets::has_target<Part>) {
        if (target == source) {
          datasets::gather_target(part, index, to, row);
        }
        ++target;
      }
      if constexpr (tells_weights<Part>) {
        if (weight == source) {
          part.gather_weights(index, to.floats(row).data());
        }
        ++weight;
      }
    };
    std::apply([&](const Parts&... each) { (gather(each), ...); }, parts_);
  }

 private:
  void check_size(std::int64_t samples) const {
    if (samples != size()) {
      throw error("What is zipped has equally many samples, got " + std::to_string(size()) +
                  " and " + std::to_string(samples) + ".");
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
      if constexpr (gathers_sources<Part>) {
        found.hint << "zip all of them at once";
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
