// SPDX-License-Identifier: MIT
// What is said of an input that is no sequence, where a layer walks along steps.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/shape.hpp>

namespace ipu_dsl {

/// Not (steps, features): with what would make a sequence of it.
constexpr problem refuse_no_sequence(const label& expected, const shape& given) {
  text<191> hint;
  if (given.rank == 1) {
    hint << "Reshape<" << given[0] << ", 1> makes the vector a sequence of one feature";
  } else if (given.rank == 3) {
    hint << "Reshape<" << given[0] * given[1] << ", " << given[2]
         << "> makes the image a sequence of its pixels; samples are no axis of an input";
  }
  return refuse_without_steps(expected, describe(given), hint);
}

}  // namespace ipu_dsl
