// SPDX-License-Identifier: MIT
// The input of a model as the type of its data says it.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/given_extents.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

namespace datasets {

/// What is wrong with a type whose input is asked for.
template <typename Data>
inline constexpr problem no_data =
    refuse("a data set, or data of one input", type_name<Data>(),
           "write input_of<decltype(data)>, or the extents of a sample: input<28, 28>");

template <typename Data, std::size_t Number>
inline constexpr problem no_such_input =
    refuse(label("the number of an input below ") << inputs_of<Data>().size(), label() << Number);

/// An input that data give, or what is wrong with asking for it.
struct told_input {
  given_extents given;
  dtype type = dtype::float32;
};

template <typename Data, std::size_t Number>
constexpr told_input find_input() {
  if constexpr (!(names_sources<Data> || tells_samples<Data>)) {
    return {{{}, &no_data<Data>}};
  } else if constexpr (Number >= inputs_of<Data>().size()) {
    return {{{}, &no_such_input<Data, Number>}};
  } else {
    const data_source told = inputs_of<Data>()[Number];
    return {{told.extents, nullptr}, told.type};
  }
}

}  // namespace datasets

/// The shape and type of a sample of data, of several inputs that of input `Number`:
///
///   struct mlp : model<input_of<digit_dataset>, sequential<Flatten, Dense<10>>> {};
///
/// A functional model takes them apart: `build.input(input_of<homes, 1>::extents, input_of<homes,
/// 1>::type)`. Data may be a variable's `decltype`, and may have transformations behind them.
template <typename Data, std::size_t Number = 0>
struct input_of {
 private:
  static constexpr datasets::told_input told = datasets::find_input<dataset_of<Data>, Number>();

 public:
  static constexpr given_extents given = told.given;
  static constexpr shape extents = given.value;
  static constexpr dtype type = told.type;
};

}  // namespace ipu_dsl
