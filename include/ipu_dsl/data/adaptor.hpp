// SPDX-License-Identifier: MIT
// What makes data of data: `data | mapped(...) | filtered(...) | shuffled(1'000)`.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/data_reference.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

/// What stands behind `|` and makes data of data:
/// - `over(data)`: what it makes of them, which it owns; `refused_data` behind a sentence.
/// - `keeps_places`: whether it makes sample i of sample i, so that it may as well stand behind
///   shuffled, repeated, take and skip.
/// - `name`: what a sentence calls it.
template <typename T>
concept data_adaptor = requires {
  { T::keeps_places } -> std::convertible_to<bool>;
  { T::name } -> std::convertible_to<const char*>;
};

/// What is wrong with data in an order of their own before what asks which sample is which.
template <data_adaptor Adaptor>
struct places_fault_of {
  static constexpr problem find() {
    problem found = refuse(label("a data set before ") << Adaptor::name,
                           "data behind shuffled, repeated, take or skip",
                           "put it before them, or write fixed_order(seed) between: data | "
                           "take(1000) | fixed_order(1) | ...");
    found.where = "the data";
    return found;
  }

  static constexpr problem value = find();
};

/// Makes data of data. Those with a name are referred to and must outlive what is made; others are
/// taken in.
template <typename Data, data_adaptor Adaptor>
  requires dataset<std::remove_cvref_t<Data>>
auto operator|(Data&& data, const Adaptor& adaptor) {
  return adaptor.over(hold(std::forward<Data>(data)));
}

namespace adaptors {

/// Data behind steps, made of others.
template <typename Made>
auto with_steps(Made made, const list<transformation>& steps) {
  if constexpr (std::same_as<Made, refused_data>) {
    return made;
  } else {
    return owned_transformed<Made>{std::move(made), steps};
  }
}

}  // namespace adaptors

/// The same of data in another order. Refused with a sentence: what asks which sample is which.
template <dataset Data, data_adaptor Adaptor>
auto operator|(const transformed<Data>& order, const Adaptor& adaptor) {
  if constexpr (Adaptor::keeps_places) {
    return adaptors::with_steps(adaptor.over(hold(*order.data)), order.steps);
  } else {
    static_assert(diagnose<places_fault_of<Adaptor>>());
    return refused_data();
  }
}

/// The same.
template <dataset Data, data_adaptor Adaptor>
auto operator|(owned_transformed<Data> order, const Adaptor& adaptor) {
  if constexpr (Adaptor::keeps_places) {
    return adaptors::with_steps(adaptor.over(std::move(order.data)), order.steps);
  } else {
    static_assert(diagnose<places_fault_of<Adaptor>>());
    return refused_data();
  }
}

/// Refused with a sentence: what is no data.
template <typename Left, data_adaptor Adaptor>
  requires(!dataset<Left> && !is_transformed<Left>)
refused_data operator|(const Left&, const Adaptor&) {
  if constexpr (!std::same_as<Left, refused_data>) {
    static_assert(diagnose<piped_fault_of<Left, transformation>>());
  }
  return {};
}

}  // namespace ipu_dsl
