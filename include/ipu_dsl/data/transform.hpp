// SPDX-License-Identifier: MIT
// In which order samples come: `digits.train | shuffled(10'000) | repeated()`. As in tf.data, the
// order of the transformations counts.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/dataset.hpp>

namespace ipu_dsl {

/// One step from the samples of a data set to the samples that a session sees.
struct transformation {
  /// What the step does.
  enum class kind : std::uint8_t { shuffle, repeat, take, skip };

  kind what;           ///< of the four
  std::int64_t count;  ///< slots, passes or samples; -1: passes without end

  friend constexpr bool operator==(const transformation&, const transformation&) = default;
};

/// No end: `repeated()`.
inline constexpr std::int64_t without_end = -1;

/// What is wrong with a count that is no whole number.
template <typename Number>
struct fraction_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("a whole number of slots, passes or samples", label("a ") << type_name<Number>(),
               "for a share write take(static_cast<std::int64_t>(0.8 * samples))");
    found.where = "the data";
    return found;
  }

  static constexpr problem value = find();
};

/// How many slots, passes or samples, of any type of integers. Refused with a sentence: a fraction,
/// which would be cut down to a whole number.
struct whole_count {
  std::int64_t value;  ///< any

  template <std::convertible_to<std::int64_t> Number>
  constexpr whole_count(Number number) : value(static_cast<std::int64_t>(number)) {
    if constexpr (std::floating_point<Number>) {
      static_assert(diagnose<fraction_fault_of<Number>>());
    }
  }
};

/// Samples in a random order, as `tf.data.Dataset.shuffle`: `buffer` slots are filled in order,
/// each draw takes a random slot and refills it with what comes next. A buffer as large as the
/// data gives every order the same chance. Every pass has an order of its own. Throws `error` for
/// a buffer without slots. One of more than 2^28 slots, and of more than there are samples, is
/// refused when a feed is made.
inline transformation shuffled(whole_count buffer) {
  const std::int64_t slots = buffer.value;
  if (slots < 1 || slots > (std::numeric_limits<std::uint32_t>::max)()) {
    raise_error({"shuffled(buffer) needs 1 to 4294967295 slots, got ", slots, "."});
  }
  return {transformation::kind::shuffle, slots};
}

/// What `shuffled()` makes, which is refused with a sentence behind data.
struct shuffled_without_slots {};

/// Refused with a sentence: of how many slots is not said. No template, so that `data | shuffled`
/// says what it means.
[[nodiscard]] constexpr shuffled_without_slots shuffled() {
  return {};
}

/// The same samples again and again, without end.
inline transformation repeated() {
  return {transformation::kind::repeat, without_end};
}

namespace transformations {

/// The count of a step. Throws `error` for a negative one.
inline std::int64_t check_count(const char* name, whole_count count) {
  if (count.value < 0) {
    raise_error({name, "(count) needs a count of 0 or more, got ", count.value, "."});
  }
  return count.value;
}

}  // namespace transformations

/// The same samples `passes` times. Throws `error` for a negative count.
inline transformation repeated(whole_count passes) {
  return {transformation::kind::repeat, transformations::check_count("repeated", passes)};
}

/// The first `samples` of what comes, or all if there are fewer. Throws `error` for a negative
/// count.
inline transformation take(whole_count samples) {
  return {transformation::kind::take, transformations::check_count("take", samples)};
}

/// What comes behind the first `samples`. Throws `error` for a negative count.
inline transformation skip(whole_count samples) {
  return {transformation::kind::skip, transformations::check_count("skip", samples)};
}

/// What is wrong with the name that tf.data has; `Number` is what it is told.
template <typename Number>
struct shuffle_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("shuffled(buffer)", "shuffle(buffer)", "write data | shuffled(1000) | repeated()");
    found.where = "the data";
    return found;
  }

  static constexpr problem value = find();
};

/// Refused with a sentence: see `shuffled`.
template <std::integral Number>
transformation shuffle(Number) {
  static_assert(diagnose<shuffle_fault_of<Number>>());
  return {};
}

/// How many samples come out of a step when `before` go in; either may be `without_end`. Throws
/// `error` if they cannot be counted in 64 bits.
[[gnu::cold]] inline std::int64_t length_after(const transformation& step, std::int64_t before) {
  const bool ends = before != without_end;
  switch (step.what) {
    case transformation::kind::shuffle:
      return before;
    case transformation::kind::take:
      return ends && before < step.count ? before : step.count;
    case transformation::kind::skip:
      if (!ends) {
        return without_end;
      }
      return before > step.count ? before - step.count : 0;
    case transformation::kind::repeat:
      break;
  }
  if (step.count == 0 || before == 0) {
    return 0;
  }
  if (!ends || step.count == without_end) {
    return without_end;
  }
  if (before > (std::numeric_limits<std::int64_t>::max)() / step.count) {
    raise_error({"repeated(", step.count, ") of ", before,
                 " samples is more than can be counted; repeated() has no end."});
  }
  return before * step.count;
}

/// A data set and the steps that its samples take, first step first. Refers to the data, which
/// must outlive it.
template <dataset Data>
struct transformed {
  const Data* data;            ///< never null
  list<transformation> steps;  ///< first step first
};

/// The same of data that nobody else keeps: it owns them.
template <dataset Data>
struct owned_transformed {
  Data data;
  list<transformation> steps;  ///< first step first
};

/// What is no data, and no more of it is to be said; in no program that compiles.
struct refused_data {};

/// What is wrong with the two sides of `|`.
template <typename Left, typename Right>
struct piped_fault_of {
  static constexpr problem find() {
    problem found = refuse("a data set before |", type_name<Left>());
    if constexpr (std::same_as<Left, transformation>) {
      found = refuse("a data set before |", "a transformation",
                     "write data | shuffled(1000) | repeated()");
    } else if constexpr (std::same_as<Right, shuffled_without_slots>) {
      found = refuse("shuffled(buffer)", "shuffled()",
                     "buffer says of how many samples each is drawn: data | shuffled(1000)");
    } else if constexpr (!std::same_as<Right, transformation>) {
      found = refuse("a transformation behind |", "a function that is not called",
                     "write data | shuffled(1000), data | repeated()");
    } else if constexpr (requires(const Left& of) { of.train; }) {
      found.hint << "it has several: take its member train or test";
    } else if constexpr (requires(const Left& of) { of.data(), of.size(); }) {
      found.hint << "fit(features, labels) of arrays shuffles them; in another way: "
                    "over_arrays<columns...>(features, labels) | shuffled(1000)";
    } else {
      found.hint << "data/dataset.hpp says what a data set has; labelled_dataset is one";
    }
    found.where = "the data";
    return found;
  }

  static constexpr problem value = find();
};

template <typename T>
inline constexpr bool is_transformed = false;

template <dataset Data>
inline constexpr bool is_transformed<transformed<Data>> = true;

template <dataset Data>
inline constexpr bool is_transformed<owned_transformed<Data>> = true;

/// Refused with a sentence: what is no data has no samples to transform, and `data | shuffled()`.
template <typename Left, typename Right>
  requires(std::same_as<Left, transformation> || std::same_as<Right, refused_data> ||
           std::same_as<Right, shuffled_without_slots> ||
           (std::same_as<Right, transformation> && !dataset<Left> && !is_transformed<Left>))
constexpr refused_data operator|(const Left&, const Right&) {
  if constexpr (!std::same_as<Left, refused_data> && !std::same_as<Right, refused_data>) {
    static_assert(diagnose<piped_fault_of<Left, Right>>());
  }
  return {};
}

/// Refused with a sentence: `data | repeated`, which is not called.
template <typename Data>
  requires(dataset<Data> || is_transformed<Data>)
constexpr refused_data operator|(const Data&, transformation (*)()) {
  static_assert(diagnose<piped_fault_of<Data, transformation (*)()>>());
  return {};
}

/// The same of one that takes a number: `data | shuffled`. Of `repeated`, which may have one, no
/// template is told which is meant.
template <typename Data, typename... Numbers>
  requires(sizeof...(Numbers) > 0 && (dataset<Data> || is_transformed<Data>))
constexpr refused_data operator|(const Data&, transformation (*)(Numbers...)) {
  static_assert(diagnose<piped_fault_of<Data, transformation (*)()>>());
  return {};
}

/// Adds a step to a data set, which stays where it is and must outlive what is made.
template <dataset Data>
transformed<Data> operator|(const Data& data, const transformation& step) {
  return {&data, {step}};
}

/// The same of data that nobody keeps: they are taken in.
template <typename Data>
  requires(!std::is_reference_v<Data> && dataset<std::remove_const_t<Data>>)
owned_transformed<std::remove_const_t<Data>> operator|(Data&& data, const transformation& step) {
  return {std::forward<Data>(data), {step}};
}

/// Adds a step behind the others.
template <dataset Data>
transformed<Data> operator|(transformed<Data> order, const transformation& step) {
  order.steps.push_back(step);
  return order;
}

/// The same.
template <dataset Data>
owned_transformed<Data> operator|(owned_transformed<Data> order, const transformation& step) {
  order.steps.push_back(step);
  return order;
}

/// The data set behind data: itself, or what its transformations begin with.
template <typename Data>
struct data_behind {
  using type = Data;
};

template <dataset Data>
struct data_behind<transformed<Data>> {
  using type = Data;
};

template <dataset Data>
struct data_behind<owned_transformed<Data>> {
  using type = Data;
};

/// See `data_behind`.
template <typename Data>
using dataset_of = typename data_behind<std::remove_cvref_t<Data>>::type;

}  // namespace ipu_dsl
