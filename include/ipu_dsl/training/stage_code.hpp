// SPDX-License-Identifier: MIT
// The kernels of one stage of a session, which can be compiled in a source of their own: declared
// here, defined in stage_definition.hpp.
#pragma once

#include <cstdint>

#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/training/session_parts.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What a session of a compiled model needs of one of its stages, counted from 0: the kernels that
/// the stage is the first to call. Of a large model the stages are compiled in several sources, and
/// the session itself in one more:
///
///   // behind the definition of `training`, for each stage
///   extern template struct ipu_dsl::stage_code<training, 0>;
///   extern template struct ipu_dsl::stage_code<training, 1>;
///
///   // in a source for each stage
///   #include <ipu_dsl/ipu_dsl.hpp>
///   template struct ipu_dsl::stage_code<training, 1>;
///
/// A stage that the model does not have is a compile error.
template <compiled_model Compiled, std::int32_t Stage>
struct stage_code {
  /// Those of the program that trains; none without a loss.
  static some_functions train();
  /// Those of the program that evaluates; none without a loss.
  static some_functions evaluate();
  /// Those of the program that predicts.
  static some_functions predict();
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
