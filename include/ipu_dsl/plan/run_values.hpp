// SPDX-License-Identifier: MIT
// The numbers that a model is told before a run, by name.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>

namespace ipu_dsl {

/// The place of a value among those of a model; -1 if there is none of this name.
constexpr std::int32_t find_run_value(const graph_view& model, std::string_view name) {
  std::int32_t number = 0;
  for (const tensor& atom : model.tensors) {
    if (atom.role == tensor_role::run_value) {
      if (atom.name == name) {
        return number;
      }
      ++number;
    }
  }
  return -1;
}

template <compiled_model C, fixed_string Name>
inline constexpr std::int32_t run_value_number =
    find_run_value(planned_graph_of<C>.view(), Name.view());

/// What is wrong with the name of a value.
template <compiled_model C, fixed_string Name>
struct run_value_fault_of {
  static constexpr problem find() {
    const graph_view model = planned_graph_of<C>.view();
    problem found;
    if (find_run_value(model, Name.view()) < 0) {
      found = refuse(names_of(model), label() << Name.view(),
                     "build.value(\"temperature\", 1.0F) makes one");
      found.where = "set";
    }
    return found;
  }

  static constexpr label names_of(const graph_view& model) {
    label words = "a value of the model";
    bool any = false;
    for (const tensor& atom : model.tensors) {
      if (atom.role == tensor_role::run_value) {
        words << (any ? ", " : ": ") << atom.name;
        any = true;
      }
    }
    words << (any ? "" : ", which has none");
    return words;
  }

  static constexpr problem value = find();
};

}  // namespace ipu_dsl
