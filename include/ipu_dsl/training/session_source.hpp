// SPDX-License-Identifier: MIT
// What a session is given to train on: data or a feed, and what is said of anything else.
#pragma once

#include <concepts>
#include <span>
#include <type_traits>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/late_refusal.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/data/transform.hpp>
#include <ipu_dsl/training/history.hpp>
#include <ipu_dsl/training/model_arrays.hpp>

namespace ipu_dsl {

/// What a feed of one's own lacks, or what has another type than it should.
template <typename T>
constexpr const char* lacking_of_feed() {
  if constexpr (!requires(const T& of) {
                  { of.sources() } -> std::same_as<std::span<const source_form>>;
                }) {
    return "std::span<const source_form> sources() const";
  } else if constexpr (!requires(const T& of) {
                         { of.length() } -> std::same_as<std::optional<std::int64_t>>;
                       }) {
    return "std::optional<std::int64_t> length() const";
  } else if constexpr (!requires(T& of) {
                         { of.restart() } -> std::same_as<void>;
                       }) {
    return "void restart()";
  } else {
    return "std::int32_t next(const feed_rows&)";
  }
}

/// The same of a data set of one's own.
template <typename T>
constexpr const char* lacking_of_dataset() {
  if constexpr (!requires { T::sample_shape.rank; }) {
    return "static constexpr shape sample_shape";
  } else if constexpr (requires { T::target_shape.rank; } && !tells_targets<T>) {
    return "void gather_target(std::uint32_t, float*) const";
  } else if constexpr (!tells_targets<T> && !requires { std::int32_t{T::classes}; }) {
    return "static constexpr std::int32_t classes";
  } else if constexpr (!requires(const T& of) {
                         { of.size() } -> std::same_as<std::int64_t>;
                       }) {
    return "std::int64_t size() const";
  } else if constexpr (!tells_targets<T> && !requires(const T& of) {
                         { of.label(0U) } -> std::same_as<std::int32_t>;
                       }) {
    return "std::int32_t label(std::uint32_t) const";
  } else {
    return "void gather(std::uint32_t, float*) const";
  }
}

/// What is wrong with what is given as data.
template <typename T>
struct source_fault_of {
  static constexpr problem find() {
    problem found = refuse("a data set or a feed", type_name<T>(),
                           "write labelled_dataset<shape{28, 28}, 10, float> data(features, "
                           "labels) and give it that");
    if constexpr (feed<T>) {
      found = refuse("a feed that can go on", "a constant one",
                     "write auto source = make_feed(...), without const");
    } else if constexpr (arrays_of_role<T, tensor_role::input>) {
      found.expected = "labels or targets behind the features";
      found.got = "the features alone";
      found.hint =
          "write fit(features, labels, {.epochs = 4}), evaluate(features, labels), "
          "validation_data(features, labels)";
    } else if constexpr (requires(const T& table) {
                           table.columns();
                           table.words(std::string_view());
                         }) {
      found.hint = "write zipped(table.features({\"size\", \"rooms\"}), table.labels<3>(\"kind\"))";
    } else if constexpr (requires(T& of) { &T::next; } || requires(T& of) { &T::restart; }) {
      found.expected = lacking_of_feed<T>();
      found.got << ", a feed without it";
      found.hint = "core/feed.hpp says what a feed has";
    } else if constexpr (requires { &T::gather; }) {
      if constexpr (
          requires { T::sample_shape; } && !requires { T::classes; } &&
          !requires { T::target_shape; }) {
        found.expected = "labels or targets beside the features";
        found.got << " alone";
        found.hint =
            "write zipped(features, label_column<10>(labels)), or a target_column; a data set of "
            "one's own has classes and label(...)";
      } else {
        found.expected = lacking_of_dataset<T>();
        found.got << ", a data set without it";
        found.hint = "data/dataset.hpp says what a data set has";
      }
    }
    found.where = "the data";
    return found;
  }

  static constexpr problem value = find();
};

/// What the compiler takes a variable for whose type it has refused.
template <typename T>
concept refused_before = std::same_as<T, int> || std::same_as<T, refused_data>;

/// Makes one compile error with one sentence if `Source` is neither data nor a feed; always true.
template <typename Source>
constexpr bool check_source() {
  using type = std::remove_cvref_t<Source>;
  if constexpr (std::same_as<type, int>) {
    if (false) {
      static_cast<void>(late::number_as_data<type>);
    }
    return true;
  } else if constexpr (refused_before<type> || dataset<dataset_of<Source>> ||
                       feed<std::remove_reference_t<Source>>) {
    return true;
  } else {
    return diagnose<source_fault_of<type>>();
  }
}

/// What calls with something else give; in no program that compiles.
const history& refused_history();

}  // namespace ipu_dsl
