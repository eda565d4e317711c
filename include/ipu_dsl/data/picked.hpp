// SPDX-License-Identifier: MIT
// Some samples of data, by number: those that a predicate takes, or those of one pass in its order.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/data/adaptor.hpp>
#include <ipu_dsl/data/element_form.hpp>
#include <ipu_dsl/data/index_stream.hpp>
#include <ipu_dsl/data/sample_reader.hpp>

namespace ipu_dsl {

/// The samples of data that a list of numbers picks. Owns both.
template <dataset Data>
class picked_dataset {
 public:
  static constexpr auto inputs = datasets::inputs_of<Data>();
  static constexpr auto targets = datasets::targets_of<Data>();
  static constexpr auto weights = datasets::weight_sources_of<Data>();

  using scratch = datasets::scratch_of<Data>;

  /// `numbers` lie below `data.size()`.
  picked_dataset(Data data, list<std::uint32_t> numbers)
      : data_(std::move(data)), numbers_(std::move(numbers)) {}

  /// How many samples there are.
  std::int64_t size() const { return static_cast<std::int64_t>(numbers_.size()); }

  /// Room to read samples with.
  scratch make_scratch() const { return datasets::make_scratch(data_); }

  /// Writes sample `index` of those picked into a row of `to`.
  void read(scratch& room, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    datasets::read_sample(data_, room, numbers_[index], to, row);
  }

  /// Which samples of the data these are: [size()].
  std::span<const std::uint32_t> numbers() const { return {numbers_.data(), numbers_.size()}; }

 private:
  Data data_;
  list<std::uint32_t> numbers_;
};

/// What is wrong with the function of `filtered`.
template <typename Data, typename Function>
struct filtered_fault_of {
  static constexpr problem find() {
    problem found = refuse(
        label("a function of ") << datasets::describe_spans<Data>(false) << " that returns a bool",
        "one that is none",
        "it takes the first of these, or all; write [](std::span<const float> x) { return ...; }");
    found.where = "filtered";
    return found;
  }

  static constexpr problem value = find();
};

/// See `filtered`.
template <typename Function>
struct filter {
  static constexpr bool keeps_places = false;
  static constexpr const char* name = "filtered";

  Function function;  ///< whether an element is taken

  /// The samples of data that the function takes.
  template <dataset Data>
  auto over(Data data) const {
    constexpr std::size_t taken = datasets::sources_taken<Data, Function, false>();
    if constexpr (returns_bool<Data>(std::make_index_sequence<taken>())) {
      list<std::uint32_t> numbers = find<taken>(data);
      return picked_dataset<Data>(std::move(data), std::move(numbers));
    } else {
      static_assert(diagnose<filtered_fault_of<Data, Function>>());
      return refused_data();
    }
  }

 private:
  template <typename Data, std::size_t... Source>
  static constexpr bool returns_bool(std::index_sequence<Source...>) {
    if constexpr (sizeof...(Source) == 0) {
      return false;
    } else {
      return std::convertible_to<
          std::invoke_result_t<const Function&,
                               typename datasets::source_spans<Data>::template read<Source>...>,
          bool>;
    }
  }

  template <std::size_t Taken, typename Data>
  list<std::uint32_t> find(const Data& data) const {
    datasets::scratch_of<Data> room = datasets::make_scratch(data);
    datasets::sample_memory<Data> sample;
    const std::array<source_rows, Taken> rows = sample.template complete<Taken>({}, 0);
    list<std::uint32_t> numbers;
    for (std::int64_t i = 0; i < data.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(i);
      datasets::read_sample(data, room, number, rows, 0);
      if (takes<Data>(rows, std::make_index_sequence<Taken>())) {
        numbers.push_back(number);
      }
    }
    return numbers;
  }

  template <typename Data, std::size_t Count, std::size_t... Source>
  bool takes(const std::array<source_rows, Count>& rows, std::index_sequence<Source...>) const {
    using spans = datasets::source_spans<Data>;
    return static_cast<bool>(function(
        typename spans::template read<Source>(spans::template of<Source>(rows[Source]))...));
  }
};

/// Behind a data set: the samples for which a function of their sources is true, as
/// `tf.data.Dataset.filter`. It looks at every sample once, here and now, and keeps four bytes for
/// each that is taken:
///
///   data | filtered([](std::span<const float>, std::span<const std::int32_t> label) {
///     return label[0] < 5;
///   })
template <typename Function>
filter<Function> filtered(Function function) {
  return {std::move(function)};
}

/// See `fixed_order`.
struct order_of_one_pass {
  std::uint64_t seed;
};

/// Behind shuffled, repeated, take or skip: the samples of one pass in the order that `seed` gives
/// them, as a data set that anything may stand behind; shuffled so, every pass has the same order,
/// as with `reshuffle_each_iteration=False`. Keeps four bytes a sample.
inline order_of_one_pass fixed_order(std::uint64_t seed) {
  return {seed};
}

namespace datasets {

/// The numbers of the samples of one pass in their order. Throws `error` if it has no end, or 2^32
/// or more.
template <typename Order>
list<std::uint32_t> numbers_of_pass(const Order& order, std::uint64_t seed) {
  index_stream stream = open(order, seed);
  const std::optional<std::int64_t> length = stream.length();
  if (!length) {
    raise_error("fixed_order needs data with an end; these are repeated without one.");
  }
  if (*length > 0xFFFF'FFFF) {
    raise_error({"fixed_order keeps fewer than 2^32 samples, got ", *length, "."});
  }
  list<std::uint32_t> numbers;
  numbers.reserve(static_cast<std::size_t>(*length));
  std::uint32_t number = 0;
  while (stream.next(number)) {
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace datasets

/// See `fixed_order`. Throws `error` if the pass has no end.
template <dataset Data>
picked_dataset<data_reference<Data>> operator|(const transformed<Data>& order,
                                               const order_of_one_pass& one) {
  return {hold(*order.data), datasets::numbers_of_pass(order, one.seed)};
}

/// The same of data that the order owns.
template <dataset Data>
picked_dataset<Data> operator|(owned_transformed<Data> order, const order_of_one_pass& one) {
  list<std::uint32_t> numbers = datasets::numbers_of_pass(order, one.seed);
  return {std::move(order.data), std::move(numbers)};
}

}  // namespace ipu_dsl
