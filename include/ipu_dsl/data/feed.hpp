// SPDX-License-Identifier: MIT
// Feeds over data sets with their transformations.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/data/batch_feed.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/index_stream.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

namespace feeds {

/// What a data set gives: inputs, what they should become, and what they count.
template <dataset Data>
constexpr auto forms_of() {
  constexpr auto inputs = datasets::inputs_of<Data>();
  constexpr auto targets = datasets::targets_of<Data>();
  constexpr auto weights = datasets::weight_sources_of<Data>();
  std::array<source_form, inputs.size() + targets.size() + weights.size()> forms;
  std::size_t count = 0;
  const auto add = [&](const data_source& told) {
    forms[count] = {told.type, told.extents.elements(), told.classes};
    ++count;
  };
  for (const data_source& input : inputs) {
    add(input);
  }
  for (const data_source& target : targets) {
    add(target);
  }
  for (const data_source& weight : weights) {
    add(weight);
  }
  return forms;
}

}  // namespace feeds

/// The samples of a data set in the order of a stream. Refers to the data, which must outlive it.
template <dataset Data>
class dataset_feed {
 public:
  /// `order` gives numbers below `data.size()`; `make_feed` makes one that does.
  dataset_feed(const Data& data, index_stream order) : data_(&data), order_(std::move(order)) {}

  std::int32_t next(const feed_rows& rows) {
    std::int32_t valid = 0;
    std::uint32_t index = 0;
    while (valid < rows.micro_batch && order_.next(index)) {
      gather(rows.sources, valid, index);
      ++valid;
    }
    feeds::clear_unused(rows, valid);
    return valid;
  }

  void restart() { order_.restart(); }

  std::span<const source_form> sources() const { return forms; }

  std::optional<std::int64_t> length() const { return order_.length(); }

 private:
  static constexpr auto forms = feeds::forms_of<Data>();

  void gather(std::span<const source_rows> to, std::int32_t row, std::uint32_t index) const {
    if constexpr (gathers_sources<Data>) {
      for (std::size_t source = 0; source < to.size(); ++source) {
        data_->gather_source(source, index, to[source], row);
      }
    } else {
      datasets::gather_input(*data_, index, to[0], row);
      if (to.size() > 1) {
        datasets::gather_target(*data_, index, to[1], row);
      }
      if constexpr (tells_weights<Data>) {
        if (to.size() > 2) {
          data_->gather_weights(index, to[2].floats(row).data());
        }
      }
    }
  }

  const Data* data_;
  index_stream order_;
};

/// The feed of a data set as it is. The data set stays where it is, so it cannot be a temporary.
template <dataset Data>
dataset_feed<Data> make_feed(const Data& data, std::uint64_t seed) {
  return {data, open(data, seed)};
}

/// Refused: the data set would be gone before its first sample is asked for.
template <dataset Data>
dataset_feed<Data> make_feed(const Data&& data, std::uint64_t seed) = delete;

/// What is wrong with the arguments of `make_feed`.
template <typename First>
struct feed_fault_of {
  static constexpr problem find() {
    problem found = refuse("a data set and a seed", label() << type_name<First>() << " first");
    if constexpr (dataset<First> || is_transformed<First>) {
      found = refuse("a data set and a seed", "something else behind the data set",
                     "write make_feed(data, 1)");
    } else {
      found.hint << "write labelled_dataset<shape{28, 28}, 10, float> data(features, labels) first";
    }
    found.where = "make_feed";
    return found;
  }

  static constexpr problem value = find();
};

/// Refused with a sentence: what is no data has no feed.
template <typename First, typename... Others>
  requires(sizeof...(Others) != 1 || !(dataset<First> || is_transformed<First>))
refused_data make_feed(const First&, const Others&...) {
  if constexpr (!std::same_as<First, refused_data>) {
    static_assert(diagnose<feed_fault_of<First>>());
  }
  return {};
}

/// The feed of a data set with its transformations.
template <dataset Data>
dataset_feed<Data> make_feed(const transformed<Data>& order, std::uint64_t seed) {
  return {*order.data, open(order, seed)};
}

}  // namespace ipu_dsl
