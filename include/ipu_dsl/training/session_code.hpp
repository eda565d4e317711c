// SPDX-License-Identifier: MIT
// The code behind a session, which can be compiled once for all who use it: declared here, defined
// in session_definition.hpp.
#pragma once

#include <string>

#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/training/session_engine.hpp>
#include <ipu_dsl/training/stage_code.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What a session of a compiled model needs of its model. Everything that is costly to compile, the
/// kernels above all, is reached through these functions only, so that it can be compiled in one
/// source and used in others, which then need <ipu_dsl/interface.hpp> alone:
///
///   // behind the definition of `training`
///   extern template struct ipu_dsl::session_code<training>;
///
///   // in one source
///   #include <ipu_dsl/ipu_dsl.hpp>
///   template struct ipu_dsl::session_code<training>;
///
/// The kernels of a large model can be compiled in several sources: see `stage_code`.
template <compiled_model Compiled>
struct session_code {
  using settings = typename Compiled::compiled::optimizer_type::settings;

  [[gnu::cold]] static engine_owner make(const session_options& options);

  /// Throws `error` if the optimizer cannot use them.
  static void check_optimizer(const settings& optimizer);

  /// Starts what the optimizer keeps beside the weights.
  static void start_optimizer(session_engine& engine, const settings& optimizer);

  /// See `save_weights` and `load_weights`: apart from the engine, so that a program that does
  /// neither has no code for files.
  static void save(const parameters& weights, const std::string& path, non_finite floats);
  static void load(parameters& weights, const std::string& path, non_finite floats);

  /// See `save_training` and `load_training`; `source` is null, or a feed whose position goes
  /// along.
  static void save_training(session_engine& engine, const std::string& path, non_finite floats,
                            feed_reference* source);
  static void load_training(session_engine& engine, const std::string& path, non_finite floats,
                            feed_reference* source);
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
