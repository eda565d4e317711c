// SPDX-License-Identifier: MIT
// What each class counts: `digits.train | class_weighted({1.0F, 4.0F, ...})`.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/data/adaptor.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/sample_reader.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

/// What each class counts, in the order of the classes.
struct class_weights {
  static constexpr bool keeps_places = true;
  static constexpr const char* name = "class_weighted";

  std::vector<float> of_class;  ///< [classes], finite and 0 or more

  /// Data whose samples count so. Throws `error` unless there is a weight for each class.
  template <typename Data>
  auto over(Data data) const;
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
    raise_error({"Data of ", classes, " classes got ", weights.of_class.size(),
                 " class weights; expected one for each class."});
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
/// say that. Owns the data.
template <weighable_classes Data>
class class_weighted_dataset {
 public:
  static constexpr auto inputs = datasets::inputs_of<Data>();
  static constexpr auto targets = datasets::targets_of<Data>();
  static constexpr std::array<data_source, 1> weights = {};

  using scratch = datasets::scratch_of<Data>;

  /// Throws `error` unless there is a weight for each class.
  class_weighted_dataset(Data data, class_weights of) : data_(std::move(data)), of_(std::move(of)) {
    datasets::check_class_weights(of_, targets[0].classes);
  }

  /// How many samples there are.
  std::int64_t size() const { return data_.size(); }

  /// Room to read samples with.
  scratch make_scratch() const { return datasets::make_scratch(data_); }

  /// Writes sample `index` into a row of `to`.
  void read(scratch& room, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    constexpr std::size_t told = inputs.size();
    if (to.size() <= told + 1) {
      datasets::read_sample(data_, room, index, to, row);
      return;
    }
    datasets::read_sample(data_, room, index, to.first(told + (weighs_already ? 2 : 1)), row);
    float& weight = to[told + 1].floats(row)[0];
    const float own = weighs_already ? weight : 1.0F;
    weight = own * weight_of(to[told].integers(row)[0]);
  }

 private:
  static constexpr bool weighs_already = datasets::weight_sources_of<Data>().size() > 0;

  /// A label that is no class is refused where it is read.
  float weight_of(std::int32_t kind) const {
    const bool known = kind >= 0 && kind < targets[0].classes;
    return known ? of_.of_class[static_cast<std::size_t>(kind)] : 0.0F;
  }

  Data data_;
  class_weights of_;
};

/// What is wrong with data whose classes cannot be weighed.
template <typename Data>
struct class_weight_fault_of {
  static constexpr problem find() {
    problem found = refuse("data of one label a sample before class_weighted", type_name<Data>());
    if constexpr (dataset<Data>) {
      found.got = "data of other targets";
      found.hint
          << "zip in a weight_column, or weights_by_class(labels, ...) of one of its columns";
    }
    found.where = "the data";
    return found;
  }

  static constexpr problem value = find();
};

template <typename Data>
auto class_weights::over(Data data) const {
  if constexpr (weighable_classes<Data>) {
    return class_weighted_dataset<Data>(std::move(data), *this);
  } else {
    static_assert(diagnose<class_weight_fault_of<Data>>());
    return refused_data();
  }
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
