// SPDX-License-Identifier: MIT
// What the types of a model say, as a tree of plain values: the boundary between types and values.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/parameter_rules.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/graph/family.hpp>
#include <ipu_dsl/graph/initializer.hpp>

namespace ipu_dsl {

enum class element_kind : std::uint8_t {
  layer,     ///< one node of `rule`
  sequence,  ///< parts one after the other
  residual,  ///< input + parts one after the other
  branches,  ///< every part gets the same input; then one node of `rule` joins their outputs
  stage,     ///< a sequence that one device computes
  pipeline,  ///< stages one after the other
  at_steps,  ///< a part at every step of a sequence; then one node of `rule` makes it one again
  model,     ///< the layers of a model that there is, on the inputs of this layer
  foreign    ///< a type that is nothing of the kind
};

struct graph_view;

/// One piece of a model. A layer's template holds one of these as `static constexpr element
/// description`, and nothing else: what is done with it is done by functions over values.
struct element {
  element_kind kind = element_kind::foreign;
  std::string_view name = {};        ///< given by `named`; for `foreign` the name of the type
  std::string_view combinator = {};  ///< "concat"; empty for layers, which families describe
  const family* rule = nullptr;      ///< of `layer` and of what joins `branches`
  attributes options = {};
  list_view<initializer> starts = {};  ///< how the layer's parameters start, see node_draft::start
  list_view<const element*> parts = {};
  const graph_view* nested = nullptr;     ///< of a `model`: its graph
  const element* followed_by = nullptr;   ///< a further node of the same layer
  const problem* fault = nullptr;         ///< what was wrong with the template arguments
  const weight_rules* weights = nullptr;  ///< of its parameters and its output; null: nothing
  std::int32_t automatic_stages = 0;      ///< of a pipeline that is cut when it is compiled
  bool frozen = false;                    ///< nothing in it learns
  bool of_steps = false;                  ///< stands in `TimeDistributed`: each input is a sequence
  /// Of `branches`: so many inputs behind the first are for each part, or none; 0: always none.
  std::int32_t deals_inputs = 0;
};

/// A layer whose template arguments cannot be read.
constexpr element unfit_layer(std::string_view name, const problem& fault) {
  return {.kind = element_kind::foreign, .name = name, .fault = &fault};
}

/// Whether the compiler can read all of an element.
constexpr bool can_be_read(element) {
  return true;
}

/// A type that can stand in a model. Whether the description is static is asked first: g++ 12 makes
/// an error of one that is not.
template <typename T>
concept model_element = requires {
  { &T::description } -> std::convertible_to<const element*>;
} && requires { typename std::bool_constant<can_be_read(T::description)>; };

inline constexpr problem layer_without_family =
    refuse("a family", "none",
           "write static constexpr element description{.kind = element_kind::layer, "
           ".rule = &the_family}");

inline constexpr problem description_without_kind =
    refuse("a description with its kind", "one without",
           "write static constexpr element description{.kind = element_kind::layer, "
           ".rule = &the_family}");

/// What is said of a type without a description, or with one that is private.
inline constexpr std::string_view not_a_layer_hint =
    "list layers such as Dense<10>; one of your own is a struct, not a class, with a static "
    "constexpr element description";

inline constexpr problem unreadable_description =
    refuse("a description that the compiler can read", "one that it can not",
           "write static constexpr element description{.kind = element_kind::layer, "
           ".rule = &the_family}");

/// A type with something that is called as what describes an element.
template <typename T>
concept has_description = requires { &T::description; };

/// The element of a type that has no description of its own, as `value`: of a model, which
/// model/model.hpp knows.
template <typename T>
struct element_of_model;

/// A type without a description that can stand in a model all the same. Model: a `struct encoder :
/// model<...> {}`. Not a model: `int`.
template <typename T>
concept nested_element = requires { element_of_model<T>::value; };

template <typename T>
consteval element describe_element() {
  if constexpr (model_element<T>) {
    if constexpr (T::description.kind == element_kind::foreign && is_null(T::description.fault)) {
      return unfit_layer(type_name<T>(), description_without_kind);
    } else if constexpr (T::description.kind == element_kind::layer &&
                         is_null(T::description.rule)) {
      return unfit_layer(type_name<T>(), layer_without_family);
    } else {
      return T::description;
    }
  } else if constexpr (nested_element<T>) {
    return element_of_model<T>::value;
  } else if constexpr (has_description<T>) {
    return unfit_layer(type_name<T>(), unreadable_description);
  } else {
    return {.kind = element_kind::foreign, .name = type_name<T>()};
  }
}

/// The element that `T` describes; any type is accepted here, so that a wrong one becomes a problem
/// value and not a compiler's own error.
template <typename T>
inline constexpr element element_of = describe_element<T>();

/// The elements of a pack. The last pointer is unused: an empty pack needs an array as well.
template <typename... Parts>
inline constexpr const element* elements_of[sizeof...(Parts) + 1] = {&element_of<Parts>...,
                                                                     nullptr};

/// An element made of parts by a combinator of this name; `rule` joins what the parts make.
template <typename... Parts>
constexpr element composed(element_kind kind, std::string_view combinator,
                           const family* rule = nullptr) {
  return {.kind = kind,
          .combinator = combinator,
          .rule = rule,
          .parts = list_view<const element*>(elements_of<Parts...>, sizeof...(Parts))};
}

/// The element without what is said about it.
constexpr label describe_bare(const element& piece) {
  if (piece.kind == element_kind::layer) {
    return piece.rule->describe(*piece.rule, piece.options);
  }
  return piece.kind == element_kind::foreign ? piece.name : piece.combinator;
}

/// The element as the user wrote it: "Dense<10>", "frozen<Dense<10>>".
constexpr label describe(const element& piece) {
  if (!piece.frozen) {
    return describe_bare(piece);
  }
  return label("frozen<") << describe_bare(piece) << ">";
}

}  // namespace ipu_dsl
