// SPDX-License-Identifier: MIT
// What is wrong with calls that read or write parameters.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/core/type_name.hpp>

namespace ipu_dsl {

/// What is wrong with values of a parameter that are no floats one behind the other.
template <typename Values>
struct values_fault_of {
  static constexpr problem find() {
    problem found = refuse("floats that lie one behind the other", type_name<Values>(),
                           "write std::vector<float> values(weights.at(i).extents.elements())");
    found.where = "a parameter";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a parameter that is read to nowhere.
template <typename Which>
struct no_values_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("get with the name of a parameter and where its values go", "get with its name",
               "write weights.get(\"logits/kernel\", values); there are "
               "weights.at(weights.find(\"logits/kernel\")).extents.elements() of them");
    found.where = "a parameter";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a parameter in square brackets.
template <typename Which>
struct brackets_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("get or set with the name of a parameter", "square brackets",
               "write weights.get(\"logits/kernel\", values); there are "
               "weights.at(weights.find(\"logits/kernel\")).extents.elements() of them");
    found.where = "a parameter";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a parameter that is written without a name or without values.
template <std::size_t Arguments>
struct set_arguments_fault_of {
  static constexpr problem find() {
    problem found = refuse("set with the name of a parameter and its values",
                           label() << Arguments << (Arguments == 1 ? " argument" : " arguments"),
                           "write weights.set(\"logits/bias\", values), in the order of its shape");
    found.where = "a parameter";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with parameters that are const and to be changed.
template <typename Which>
struct const_parameters_fault_of {
  static constexpr problem find() {
    problem found = refuse("weights that are not const", "const ones",
                           "set changes them: take const away, of the parameter of a function too; "
                           "those of a const session are const");
    found.where = "weights";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with weights that read a file themselves.
template <typename Path>
struct weights_file_fault_of {
  static constexpr problem find() {
    problem found = refuse("load_weights(weights, path)", "weights.load(path)",
                           "it stands in <ipu_dsl/training/checkpoint.hpp>; a session reads its "
                           "own by run.load(path), weights.copy_from(run.weights()) copies them");
    found.where = "weights";
    return found;
  }

  static constexpr problem value = find();
};

}  // namespace ipu_dsl
