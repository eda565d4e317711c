// SPDX-License-Identifier: MIT
// The code behind a session, which can be compiled once for all who use it: declared here, defined
// in session_definition.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/runtime/trace.hpp>
#include <ipu_dsl/training/session_options.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

class parameters;
class session_core;

/// What a session of a compiled model does with its core. Everything that is costly to compile, the
/// kernels above all, is reached through these functions only, so that it can be compiled in one
/// source and used in others, which then need <ipu_dsl/interface.hpp> alone:
///
///   // behind the definition of `training`
///   extern template struct ipu_dsl::session_code<training>;
///
///   // in one source
///   #include <ipu_dsl/ipu_dsl.hpp>
///   template struct ipu_dsl::session_code<training>;
template <compiled_model Compiled>
struct session_code {
  struct destroyer {
    void operator()(session_core* core) const { destroy(core); }
  };

  using owner = std::unique_ptr<session_core, destroyer>;

  static owner make(const session_options& options);
  static void destroy(session_core* core);
  static const history& fit(session_core& core, feed_reference source, const fit_options& wanted,
                            std::span<const float> optimizer, const fit_callbacks& calls);
  static double train_step(session_core& core, feed_reference source,
                           std::span<const float> optimizer);
  static evaluation evaluate(session_core& core, feed_reference source);
  static std::int64_t predict(session_core& core, feed_reference source, std::span<float> output);
  static void check_batch(const session_core& core, std::span<const std::int64_t> extents,
                          std::size_t values);
  static void save(const session_core& core, const std::string& path);
  static void load(session_core& core, const std::string& path);
  static parameters& weights(session_core& core);
  static const parameters& weights(const session_core& core);
  static const trace& last_trace(const session_core& core);
  static std::uint64_t seed(const session_core& core);
  static std::size_t bytes(const session_core& core);
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
