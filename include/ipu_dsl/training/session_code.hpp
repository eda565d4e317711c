// SPDX-License-Identifier: MIT
// The code behind a session, which can be compiled once for all who use it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/program_code.hpp>
#include <ipu_dsl/training/session_core.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What a session of a compiled model does with its core. Everything that is costly to compile, the
/// kernels above all, is reached through these functions only, so that it can be compiled in one
/// source and used in others, which then take little longer than their headers:
///
///   extern template struct ipu_dsl::session_code<training>;  // behind the definition of
///   `training` template struct ipu_dsl::session_code<training>;         // in one source
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
  static void save(const session_core& core, const std::string& path);
  static void load(session_core& core, const std::string& path);
};

// Outside of the class: a member that is defined within it is inline and compiled everywhere.

template <compiled_model Compiled>
auto session_code<Compiled>::make(const session_options& options) -> owner {
  return owner(new session_core(parts_of<typename Compiled::compiled>(), options));
}

template <compiled_model Compiled>
void session_code<Compiled>::destroy(session_core* core) {
  delete core;
}

template <compiled_model Compiled>
const history& session_code<Compiled>::fit(session_core& core, feed_reference source,
                                           const fit_options& wanted,
                                           std::span<const float> optimizer,
                                           const fit_callbacks& calls) {
  return core.fit(source, wanted, optimizer, calls);
}

template <compiled_model Compiled>
double session_code<Compiled>::train_step(session_core& core, feed_reference source,
                                          std::span<const float> optimizer) {
  return core.train_step(source, optimizer);
}

template <compiled_model Compiled>
evaluation session_code<Compiled>::evaluate(session_core& core, feed_reference source) {
  return core.evaluate(source);
}

template <compiled_model Compiled>
std::int64_t session_code<Compiled>::predict(session_core& core, feed_reference source,
                                             std::span<float> output) {
  return core.predict(source, output);
}

template <compiled_model Compiled>
void session_code<Compiled>::save(const session_core& core, const std::string& path) {
  save_weights(core.weights(), path);
}

template <compiled_model Compiled>
void session_code<Compiled>::load(session_core& core, const std::string& path) {
  load_weights(core.weights(), path);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
