// SPDX-License-Identifier: MIT
// What stands between the brackets of `model<...>`, and what is wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/model/compose.hpp>

namespace ipu_dsl {

/// Model: `input<28, 28>`. Not a model: `sequential<...>`.
template <typename T>
concept model_input = requires { T::given.fault; };

/// Model: `stage_assignment<0, 1>`.
template <typename T>
concept model_assignment = requires {
  T::stages;
  T::count;
  T::fault;
};

/// A model that is a list of layers.
template <typename M>
concept layered_model = requires {
  typename M::input_type;
  typename M::body_type;
  typename M::assignment_type;
};

/// How the graph of a model is made: `model_fold<M>::make()`. There is one for each way in which a
/// model can be written; functional.hpp has the other.
template <typename M>
struct model_fold;

/// A model, written either way. Model: `struct mlp : model<...> {}`. Not a model: `pipeline<...>`,
/// which has no input yet.
template <typename M>
concept model_type = requires { model_fold<M>::make(); };

/// One argument of `model<...>`, as a value.
struct model_part {
  enum class kind : std::uint8_t { input, body, assignment, other };

  kind what;
  label name;
};

template <typename T>
constexpr model_part part_of() {
  if constexpr (model_input<T>) {
    return {model_part::kind::input, "input<...>"};
  } else if constexpr (model_assignment<T>) {
    return {model_part::kind::assignment, "stage_assignment<...>"};
  } else if constexpr (layered_model<T>) {
    return {model_part::kind::other, "a model"};
  } else if constexpr (requires { T::as_option.key; } && !model_element<T>) {
    return {model_part::kind::other, label("the option ") << type_name<T>()};
  } else {
    return {model_part::kind::body, describe(element_of<T>)};
  }
}

/// What is wrong with the arguments: an input, a body, and perhaps stages are wanted.
constexpr problem check_parts(std::initializer_list<model_part> given) {
  const model_part* const parts = given.begin();
  const std::size_t count = given.size();
  constexpr const char* form = "write model<input<28, 28>, sequential<...>>";
  problem found;
  if (count == 0 || parts[0].what != model_part::kind::input) {
    found = refuse("input<...> first", count == 0 ? "nothing" : parts[0].name, form);
  } else if (count == 1) {
    found = refuse("a body behind the input", "none", form);
  } else if (parts[1].what != model_part::kind::body) {
    found = refuse("a body behind the input, such as sequential<...>", parts[1].name, form);
  } else if (count > 2 && parts[2].what == model_part::kind::body) {
    found =
        refuse("one body behind the input", label() << parts[1].name << " and " << parts[2].name,
               "put all layers into one sequential<...>, all stages into one pipeline<...>");
  } else if (count > 2 && parts[2].what != model_part::kind::assignment) {
    found = refuse("stage_assignment<...> behind the body, or nothing", parts[2].name,
                   "options of training stand in compile<...>");
  } else if (count > 3) {
    found = refuse("nothing behind stage_assignment<...>", parts[3].name);
  }
  found.where = found.found() ? "model" : "";
  return found;
}

/// What is wrong with the numbers of an input or of an assignment.
constexpr problem check_part(const char* where, const problem* fault) {
  problem found;
  if (!is_null(fault)) {
    found = *fault;
    found.where = where;
  }
  return found;
}

}  // namespace ipu_dsl
