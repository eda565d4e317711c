// SPDX-License-Identifier: MIT
// What each class counts: `digits.train | class_weighted({1.0F, 4.0F, ...})`.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

/// What each class counts, in the order of the classes.
struct class_weights {
  std::vector<float> of_class;  ///< [classes], finite and 0 or more
};

/// Keras's `class_weight`: behind a data set of labels each sample counts what its class does, in a
/// loss with `sample_weights`. Throws `error` for a weight that is negative or not finite.
inline class_weights class_weighted(std::vector<float> weights) {
  datasets::check_weights(weights);
  return {std::move(weights)};
}

namespace datasets {

/// Throws `error` unless there is a weight for each class.
inline void check_class_weights(const class_weights& weights, std::int32_t classes) {
  if (weights.of_class.size() != static_cast<std::size_t>(classes)) {
    throw error("Data of " + std::to_string(classes) + " classes got " +
                std::to_string(weights.of_class.size()) +
                " class weights; expected one for each class.");
  }
}

/// Whether there is one target, a label, and at most one weight of a sample.
template <dataset Data>
constexpr bool can_weigh_classes() {
  constexpr auto targets = targets_of<Data>();
  constexpr auto weights = weight_sources_of<Data>();
  if constexpr (targets.size() != 1 || weights.size() > 1) {
    return false;
  } else if constexpr (weights.size() == 1) {
    return targets[0].classes > 0 && weights[0].extents.elements() == 1;
  } else {
    return targets[0].classes > 0;
  }
}

}  // namespace datasets

/// Data of one label a sample, whose samples can count what their classes do.
/// Model: `labelled_dataset`. Not a model: `paired_dataset`.
template <typename T>
concept weighable_classes = dataset<T> && datasets::can_weigh_classes<T>();

/// A data set whose samples count what their classes do, times what the data say they count if they
/// say that. Refers to the data, which must outlive it.
template <weighable_classes Data>
class class_weighted_dataset {
 public:
  static constexpr auto inputs = datasets::inputs_of<Data>();
  static constexpr auto targets = datasets::targets_of<Data>();
  static constexpr std::array<data_source, 1> weights = {};

  /// Throws `error` unless there is a weight for each class.
  class_weighted_dataset(const Data& data, class_weights of) : data_(&data), of_(std::move(of)) {
    datasets::check_class_weights(of_, targets[0].classes);
  }

  /// How many samples there are.
  std::int64_t size() const { return data_->size(); }

  /// Writes source number `source`, inputs first, the weight last, of a sample into a row.
  void gather_source(std::size_t source, std::uint32_t index, const source_rows& to,
                     std::int32_t row) const {
    if (source <= inputs.size()) {
      gather_from_data(source, index, to, row);
    } else {
      to.floats(row)[0] = weight(index);
    }
  }

 private:
  static constexpr bool weighs_already = datasets::weight_sources_of<Data>().size() > 0;

  void gather_from_data(std::size_t source, std::uint32_t index, const source_rows& to,
                        std::int32_t row) const {
    if constexpr (gathers_sources<Data>) {
      data_->gather_source(source, index, to, row);
    } else if (source < inputs.size()) {
      datasets::gather_input(*data_, index, to, row);
    } else {
      datasets::gather_target(*data_, index, to, row);
    }
  }

  float weight(std::uint32_t index) const {
    std::int32_t kind = 0;
    gather_from_data(inputs.size(), index, {dtype::int32, &kind, 1, 1}, 0);
    // A label that is no class is refused where it is read.
    const bool known = kind >= 0 && kind < targets[0].classes;
    return known ? of_.of_class[static_cast<std::size_t>(kind)] * own_weight(index) : 0.0F;
  }

  /// What the data say of a sample.
  float own_weight(std::uint32_t index) const {
    float own = 1;
    if constexpr (weighs_already && gathers_sources<Data>) {
      data_->gather_source(inputs.size() + 1, index, {dtype::float32, &own, 1, 1}, 0);
    } else if constexpr (weighs_already) {
      data_->gather_weights(index, &own);
    }
    return own;
  }

  const Data* data_;
  class_weights of_;
};

/// What is wrong with data whose classes cannot be weighed.
template <typename Data>
struct class_weight_fault_of {
  static constexpr problem find() {
    problem found = refuse("data of one label a sample before class_weighted", type_name<Data>());
    if constexpr (is_transformed<Data>) {
      found.got = "data that are transformed";
      found.hint << "weigh them first: const auto weighted = data | class_weighted(...); then "
                    "weighted | shuffled(1000)";
    } else if constexpr (dataset<Data>) {
      found.got = "data of other targets";
      found.hint
          << "zip in a weight_column, or weights_by_class(labels, ...) of one of its columns";
    }
    found.where = "the data";
    return found;
  }

  static constexpr problem value = find();
};

/// The same data, whose samples count what their classes do. The data stay where they are, so that
/// they cannot be temporary ones. Throws `error` unless there is a weight for each class.
template <weighable_classes Data>
class_weighted_dataset<Data> operator|(const Data& data, class_weights weights) {
  return {data, std::move(weights)};
}

/// Refused with a sentence: the data set would be gone before its first sample is asked for.
template <weighable_classes Data>
refused_data operator|(const Data&&, const class_weights&) {
  static_assert(diagnose<temporary_fault_of<Data>>());
  return {};
}

/// Refused with a sentence: what has no classes.
template <typename Data>
  requires(!weighable_classes<Data>)
refused_data operator|(const Data&, const class_weights&) {
  if constexpr (!std::same_as<Data, refused_data>) {
    static_assert(diagnose<class_weight_fault_of<Data>>());
  }
  return {};
}

/// What the samples of a column of labels count by their classes, for `zipped`. Throws `error`
/// unless there is a finite weight of 0 or more for each class.
///
///   zipped(images, kinds, weights_by_class(kinds, {1.0F, 4.0F}))
template <std::int32_t Classes>
weight_column<> weights_by_class(const label_column<Classes>& labels, std::vector<float> weights) {
  const class_weights checked = class_weighted(std::move(weights));
  datasets::check_class_weights(checked, Classes);
  std::vector<float> of_samples;
  of_samples.reserve(static_cast<std::size_t>(labels.size()));
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    of_samples.push_back(checked.of_class[static_cast<std::size_t>(labels.label(i))]);
  }
  return weight_column(std::move(of_samples));
}

/// What is wrong with labels that are no column.
template <typename Labels>
struct label_column_fault_of {
  static constexpr problem find() {
    problem found = refuse("a label_column before the weights", "labels that are none",
                           "it says how many classes there are: write const label_column<classes> "
                           "column(kinds); then weights_by_class(column, {...})");
    found.where = "weights_by_class";
    return found;
  }

  static constexpr problem value = find();
};

/// Refused with a sentence: what does not say how many classes there are.
template <typename Labels>
weight_column<> weights_by_class(const Labels&, const std::vector<float>&) {
  static_assert(diagnose<label_column_fault_of<Labels>>());
  return {};
}

}  // namespace ipu_dsl
