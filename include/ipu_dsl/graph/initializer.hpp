// SPDX-License-Identifier: MIT
// How a parameter or a state starts.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/graph/initial_value.hpp>

namespace ipu_dsl {

/// What an initialiser does. `scaled` ones are Keras's VarianceScaling, of which glorot, he and
/// lecun are members (Glorot and Bengio 2010; He et al. 2015; LeCun et al. 1998).
enum class initializer_kind : std::int32_t {
  zeros,
  ones,
  constant,
  uniform,                  ///< from [value, second)
  normal,                   ///< of mean `value` and standard deviation `second`
  truncated_normal,         ///< the same, drawn again beyond two standard deviations
  scaled_uniform,           ///< from [-limit, limit), limit = sqrt(3 value / fan)
  scaled_normal,            ///< of the standard deviation sqrt(value / fan)
  scaled_truncated_normal,  ///< the same after what lies beyond two of another was drawn again
  orthogonal,               ///< `value` times a matrix whose rows or columns are orthonormal
  identity,                 ///< `value` times the identity matrix
  own                       ///< a function of one's own
};

/// By which of its fans a `scaled` initialiser scales.
enum class fan_mode : std::int32_t { inputs, outputs, average };

struct initializer {
  initializer_kind kind = initializer_kind::zeros;
  float value = 0;   ///< of a constant; the first number of the others
  float second = 0;  ///< the second number of those that have two
  fan_mode fan = fan_mode::average;
  bool seeded = false;     ///< draws by `seed` alone, whatever the session's seed and the layer
  std::uint64_t seed = 0;  ///< if `seeded`
  initial_value_rule own = no_initial_value;
  bool ones_in_second_quarter = false;  ///< whatever the kind: of gates i f c o those of f
};

/// How many numbers a number of a parameter's input and output is made of.
struct fans {
  std::int64_t inputs = 1;
  std::int64_t outputs = 1;
};

/// Those of a parameter, as in Keras: of a vector both are its length; the last two extents are
/// inputs and outputs, and each counts for every position of a window before them.
constexpr fans fans_of(const shape& extents) {
  if (extents.rank == 0) {
    return {};
  }
  const std::int64_t last = extents[extents.rank - 1];
  if (extents.rank == 1) {
    return {last, last};
  }
  std::int64_t positions = 1;
  for (std::int32_t axis = 0; axis < extents.rank - 2; ++axis) {
    positions *= extents[axis];
  }
  return {positions * extents[extents.rank - 2], positions * last};
}

/// What is wrong with an initialiser for a parameter of these extents.
constexpr problem check_start(const initializer& start, const shape& extents) {
  if (start.kind == initializer_kind::orthogonal && extents.rank < 2) {
    return refuse("at least 2 extents to start orthogonal", describe(extents));
  }
  if (start.kind == initializer_kind::identity && extents.rank != 2) {
    return refuse("2 extents to start as identity", describe(extents));
  }
  return {};
}

}  // namespace ipu_dsl
