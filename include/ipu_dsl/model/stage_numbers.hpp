// SPDX-License-Identifier: MIT
// The rules for stages that are assigned by number.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/element.hpp>

namespace ipu_dsl {

/// As Keras: as many numbers as layers, from 0 on, each the same as the one before or one more.
constexpr problem check_stage_numbers(const element& body, list_view<std::int32_t> assigned) {
  if (body.kind != element_kind::sequence) {
    return refuse("a sequential model", describe(body), "write sequential<...>");
  }
  if (assigned.size() != body.parts.size()) {
    label expected;
    expected << body.parts.size() << " numbers, a stage for every layer";
    return refuse(expected, label() << assigned.size());
  }
  std::int32_t previous = 0;
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    if (i == 0 && assigned[i] != 0) {
      return refuse("stage 0 for layer 0", label() << assigned[i], "stages count from 0");
    }
    if (assigned[i] != previous && assigned[i] != previous + 1) {
      label expected = "stage ";
      expected << previous << " or " << previous + 1 << " for layer " << i;
      return refuse(expected, label() << assigned[i],
                    "a layer is in the stage of the layer before it or in the next");
    }
    previous = assigned[i];
  }
  return {};
}

/// Said of a part of a pipeline that is no stage.
constexpr problem not_a_stage(const element& part) {
  label got;
  switch (part.kind) {
    case element_kind::foreign:
      got << "the type " << part.name;
      return refuse("a stage", got, "list stages: pipeline<stage<...>, ...>");
    case element_kind::pipeline:
      return refuse("a stage", "a pipeline", "a model has one pipeline");
    default:
      got << describe(part) << " outside a stage";
      return refuse("a stage", got, "put it into stage<...>");
  }
}

}  // namespace ipu_dsl
