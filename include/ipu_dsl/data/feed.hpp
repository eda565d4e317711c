// SPDX-License-Identifier: MIT
// Feeds over data sets with their transformations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/data/batch_feed.hpp>
#include <ipu_dsl/data/data_reference.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/index_stream.hpp>
#include <ipu_dsl/data/sample_reader.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

namespace feeds {

/// What a data set gives: inputs, what they should become, and what they count.
template <dataset Data>
constexpr auto forms_of() {
  constexpr auto sources = datasets::sources_of<Data>();
  std::array<source_form, sources.size()> forms;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    forms[i] = {sources[i].type, sources[i].extents.elements(), sources[i].classes};
  }
  return forms;
}

}  // namespace feeds

/// The samples of a data set in the order of a stream, which it owns or, as `data_reference`,
/// refers to.
template <dataset Data>
class held_feed {
 public:
  /// `order` gives numbers below `data.size()`; `make_feed` makes one that does.
  held_feed(Data data, index_stream order)
      : data_(std::move(data)), order_(std::move(order)), room_(datasets::make_scratch(data_)) {}

  std::int32_t next(const feed_rows& rows) {
    std::int32_t valid = 0;
    std::uint32_t index = 0;
    while (valid < rows.micro_batch && order_.next(index)) {
      datasets::read_sample(data_, room_, index, rows.sources, valid);
      ++valid;
    }
    feeds::clear_unused(rows, valid);
    return valid;
  }

  void restart() { order_.restart(); }

  /// Before the first sample: in the orders of the passes behind so many.
  void begin_behind(std::uint64_t passes) { order_.begin_behind(passes); }

  std::span<const source_form> sources() const { return forms; }

  std::optional<std::int64_t> length() const { return order_.length(); }

  feed_position position() const { return order_.position(); }

  void go_to(list_view<std::uint64_t> where) { order_.go_to(where); }

 private:
  static constexpr auto forms = feeds::forms_of<Data>();

  Data data_;
  index_stream order_;
  datasets::scratch_of<Data> room_;
};

/// The samples of a data set in the order of a stream. Refers to the data, which must outlive it.
template <dataset Data>
using dataset_feed = held_feed<data_reference<Data>>;

/// The feed of a data set as it is. The data set stays where it is and must outlive the feed.
template <dataset Data>
dataset_feed<Data> make_feed(const Data& data, std::uint64_t seed) {
  return {data, open(data, seed)};
}

/// The same of data that nobody keeps: the feed takes them in.
template <typename Data>
  requires(!std::is_reference_v<Data> && dataset<std::remove_const_t<Data>>)
held_feed<std::remove_const_t<Data>> make_feed(Data&& data, std::uint64_t seed) {
  index_stream order = open(data, seed);
  return {std::forward<Data>(data), std::move(order)};
}

/// What is wrong with the arguments of `make_feed`.
template <typename First>
struct feed_fault_of {
  static constexpr problem find() {
    problem found = refuse("a data set and a seed", label() << type_name<First>() << " first");
    if constexpr (dataset<First> || is_transformed<First>) {
      found = refuse("a data set and a seed", "something else behind the data set",
                     "write make_feed(data, 1)");
    } else if constexpr (feed<First>) {
      found = refuse("a data set and a seed", "what is a feed already",
                     "give it to fit, or to a queue, as it is");
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

/// The same of data that its order owns, which must outlive the feed.
template <dataset Data>
dataset_feed<Data> make_feed(const owned_transformed<Data>& order, std::uint64_t seed) {
  return {order.data, open(order, seed)};
}

/// The same of an order that nobody keeps: the feed takes the data in.
template <dataset Data>
held_feed<Data> make_feed(owned_transformed<Data>&& order, std::uint64_t seed) {
  index_stream opened = open(order, seed);
  return {std::move(order.data), std::move(opened)};
}

}  // namespace ipu_dsl
