// SPDX-License-Identifier: MIT
// A function of every element: `data | mapped([](std::span<float> x) { ... })`.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/adaptor.hpp>
#include <ipu_dsl/data/element_form.hpp>
#include <ipu_dsl/data/sample_reader.hpp>

namespace ipu_dsl {

/// Data whose samples a function changes where they are written. Owns both.
template <dataset Data, typename Function>
class mapped_dataset {
  static constexpr std::size_t taken = datasets::sources_taken<Data, Function, true>();

 public:
  static constexpr auto inputs = datasets::inputs_of<Data>();
  static constexpr auto targets = datasets::targets_of<Data>();
  static constexpr auto weights = datasets::weight_sources_of<Data>();

  /// Room for what the function takes and nobody asks for.
  struct scratch {
    datasets::scratch_of<Data> inner;
    datasets::sample_memory<Data> sample;
  };

  mapped_dataset(Data data, Function function)
      : data_(std::move(data)), function_(std::move(function)) {}

  /// How many samples there are.
  std::int64_t size() const { return data_.size(); }

  /// Room to read samples with.
  scratch make_scratch() const { return {datasets::make_scratch(data_), {}}; }

  /// Writes sample `index`, changed, into a row of `to`.
  void read(scratch& room, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    constexpr std::size_t all = datasets::source_spans<Data>::count;
    const std::array<source_rows, all> rows = room.sample.template complete<all>(to, row);
    const std::size_t needed = to.size() > taken ? to.size() : taken;
    datasets::read_sample(data_, room.inner, index, std::span(rows).first(needed), 0);
    call(rows, std::make_index_sequence<taken>());
  }

 private:
  template <std::size_t Count, std::size_t... Source>
  void call(const std::array<source_rows, Count>& rows, std::index_sequence<Source...>) const {
    function_(datasets::source_spans<Data>::template of<Source>(rows[Source])...);
  }

  Data data_;
  Function function_;
};

/// Data of which a function makes others, whose form the columns say. Owns both.
template <dataset Data, typename Function, typename... Columns>
class remapped_dataset {
 public:
  static constexpr auto inputs = element_form<Columns...>::inputs;
  static constexpr auto targets = element_form<Columns...>::targets;
  static constexpr auto weights = element_form<Columns...>::weights;

 private:
  using from = datasets::source_spans<Data>;
  using into = datasets::source_spans<element_form<Columns...>>;

  template <std::size_t... From, std::size_t... Into>
  static constexpr bool can_take(std::index_sequence<From...>, std::index_sequence<Into...>) {
    return std::is_invocable_v<const Function&, typename from::template read<From>...,
                               typename into::template written<Into>...>;
  }

  template <std::size_t Count = from::count>
  static constexpr std::size_t find_taken() {
    if constexpr (Count == 0) {
      return 0;
    } else if constexpr (can_take(std::make_index_sequence<Count>(),
                                  std::make_index_sequence<into::count>())) {
      return Count;
    } else {
      return find_taken<Count - 1>();
    }
  }

 public:
  /// How many sources of the data the function takes; 0: it cannot be called.
  static constexpr std::size_t taken = find_taken();

  /// Room for what goes in, and for what comes out and nobody asks for.
  struct scratch {
    datasets::scratch_of<Data> inner;
    datasets::sample_memory<Data> sample;
    datasets::sample_memory<element_form<Columns...>> made;
  };

  remapped_dataset(Data data, Function function)
      : data_(std::move(data)), function_(std::move(function)) {}

  /// How many samples there are.
  std::int64_t size() const { return data_.size(); }

  /// Room to read samples with.
  scratch make_scratch() const { return {datasets::make_scratch(data_), {}, {}}; }

  /// Writes what the function makes of sample `index` into a row of `to`.
  void read(scratch& room, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    const std::array<source_rows, taken> rows = room.sample.template complete<taken>({}, 0);
    const std::array<source_rows, into::count> made =
        room.made.template complete<into::count>(to, row);
    datasets::read_sample(data_, room.inner, index, rows, 0);
    call(rows, made, std::make_index_sequence<taken>(), std::make_index_sequence<into::count>());
  }

 private:
  template <std::size_t... From, std::size_t... Into>
  void call(const std::array<source_rows, taken>& rows,
            const std::array<source_rows, into::count>& made, std::index_sequence<From...>,
            std::index_sequence<Into...>) const {
    function_(typename from::template read<From>(from::template of<From>(rows[From]))...,
              into::template cleared<Into>(made[Into])...);
  }

  Data data_;
  Function function_;
};

/// What is wrong with the function of `mapped`.
template <typename Data, typename Function, typename... Columns>
struct mapped_fault_of {
  static constexpr problem find() {
    problem found;
    if constexpr (sizeof...(Columns) > 0) {
      found = refuse(label("a function of ")
                         << datasets::describe_spans<Data>(false) << ", and of "
                         << datasets::describe_spans<element_form<Columns...>>(true),
                     "one that cannot be called so",
                     "it reads the first sources, inputs before targets, and writes all of the new "
                     "ones");
    } else if constexpr (datasets::sources_taken<Data, Function, true>() == 0) {
      found = refuse(label("a function of ") << datasets::describe_spans<Data>(true),
                     "one that cannot be called so",
                     "it takes the first of these, or all; write [](std::span<float> x) { ... }, "
                     "which captures what it needs and is not mutable");
    } else {
      found = refuse("a function that changes what it gets", "one that returns something",
                     "write [](std::span<float> x) { for (float& each : x) ... }; of another shape "
                     "mapped<feature_column<shape{...}>, label_column<...>>(...)");
    }
    found.where = "mapped";
    return found;
  }

  static constexpr problem value = find();
};

/// See `mapped`.
template <typename Function, typename... Columns>
struct mapping {
  static constexpr bool keeps_places = true;
  static constexpr const char* name = "mapped";

  Function function;  ///< of the elements

  /// What the function makes of data.
  template <dataset Data>
  auto over(Data data) const {
    if constexpr (can_map<Data>()) {
      return mapped_type<Data>(std::move(data), function);
    } else {
      static_assert(diagnose<mapped_fault_of<Data, Function, Columns...>>());
      return refused_data();
    }
  }

 private:
  template <typename Data>
  using mapped_type = typename std::conditional_t<
      sizeof...(Columns) == 0, std::type_identity<mapped_dataset<Data, Function>>,
      std::type_identity<remapped_dataset<Data, Function, Columns...>>>::type;

  template <typename Data>
  static constexpr bool can_map() {
    if constexpr (sizeof...(Columns) > 0) {
      return mapped_type<Data>::taken > 0;
    } else {
      return returns_nothing<Data>(
          std::make_index_sequence<datasets::sources_taken<Data, Function, true>()>());
    }
  }

  template <typename Data, std::size_t... Source>
  static constexpr bool returns_nothing(std::index_sequence<Source...>) {
    if constexpr (sizeof...(Source) == 0) {
      return false;
    } else {
      return std::is_void_v<std::invoke_result_t<
          const Function&, typename datasets::source_spans<Data>::template written<Source>...>>;
    }
  }
};

/// Behind a data set: a function of every element, as `tf.data.Dataset.map`. It is called with
/// spans of an element's sources, inputs before targets before weights; of the first alone, or of
/// as many as it takes; and changes them where they are:
///
///   digits.train | mapped([](std::span<float> image) { for (float& each : image) each *= 2; })
///
/// With columns, which say what an element becomes, it reads the old sources and writes the new, in
/// which what it does not write is 0:
///
///   data | mapped<feature_column<shape{14, 14}>, label_column<10>>(
///              [](std::span<const float> image, std::span<const std::int32_t> label,
///                 std::span<float> smaller, std::span<std::int32_t> same) { ... })
///
/// It is called whenever a sample is read, by whatever thread reads it, and depends on the sample
/// alone; `cached()` behind it keeps what it made. Spans of another length, a function that cannot
/// be called and one that returns something are refused.
template <typename... Columns, typename Function>
mapping<Function, Columns...> mapped(Function function) {
  return {std::move(function)};
}

}  // namespace ipu_dsl
