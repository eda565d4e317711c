// SPDX-License-Identifier: MIT
// What `session_code` declares: the kernels, the plan and the core of a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/program_code.hpp>
#include <ipu_dsl/training/session_code.hpp>
#include <ipu_dsl/training/session_core.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

// Outside of the class: a member that is defined within it is inline and compiled everywhere.

template <compiled_model Compiled>
auto session_code<Compiled>::make(const session_options& options) -> owner {
  using compiled = typename Compiled::compiled;
  static_assert(diagnose<operators_fault_of<compiled>>());
  // A model that is wrong has been reported; nothing more is to be said about it.
  if constexpr (runnable<compiled>()) {
    return owner(new session_core(parts_of<compiled>(), options));
  } else {
    return {};
  }
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
void session_code<Compiled>::check_batch(const session_core& core,
                                         std::span<const std::int64_t> extents,
                                         std::size_t values) {
  ipu_dsl::check_batch(core.model(), extents, values);
}

template <compiled_model Compiled>
void session_code<Compiled>::save(const session_core& core, const std::string& path) {
  save_weights(core.weights(), path);
}

template <compiled_model Compiled>
void session_code<Compiled>::load(session_core& core, const std::string& path) {
  load_weights(core.weights(), path);
}

template <compiled_model Compiled>
parameters& session_code<Compiled>::weights(session_core& core) {
  return core.weights();
}

template <compiled_model Compiled>
const parameters& session_code<Compiled>::weights(const session_core& core) {
  return core.weights();
}

template <compiled_model Compiled>
const trace& session_code<Compiled>::last_trace(const session_core& core) {
  return core.last_trace();
}

template <compiled_model Compiled>
std::uint64_t session_code<Compiled>::seed(const session_core& core) {
  return core.options().seed;
}

template <compiled_model Compiled>
std::size_t session_code<Compiled>::bytes(const session_core& core) {
  return core.bytes();
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
