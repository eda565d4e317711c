// SPDX-License-Identifier: MIT
// What `session_code` declares: the kernels and the plan of a session, and its engine unless that
// is compiled in ipu_dsl::compiled.
#pragma once

#include <string>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/program_code.hpp>
#include <ipu_dsl/training/saved_training.hpp>
#include <ipu_dsl/training/session_code.hpp>
#ifndef IPU_DSL_COMPILED
#include <ipu_dsl/training/session_engine_definition.hpp>
#endif

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

// Outside of the class: a member that is defined within it is inline and compiled everywhere.

template <compiled_model Compiled>
engine_owner session_code<Compiled>::make(const session_options& options) {
  using compiled = typename Compiled::compiled;
  static_assert(check<Compiled>());
  static_assert(diagnose<operators_fault_of<compiled>>());
  static_assert(diagnose<forward_fault_of<compiled>>());
  // A model that is wrong has been reported; nothing more is to be said about it.
  if constexpr (runnable<compiled>()) {
    return make_engine(parts_of<Compiled>(), options);
  } else {
    return {};
  }
}

template <compiled_model Compiled>
[[gnu::cold]] void session_code<Compiled>::check_optimizer(const settings& optimizer) {
  problem found = optimizer.fault();
  if (found.found()) {
    found.where = "the optimizer";
    raise_error(found.message());
  }
}

template <compiled_model Compiled>
[[gnu::cold]] void session_code<Compiled>::start_optimizer(session_engine& engine,
                                                           const settings& optimizer) {
  using optimizer_type = typename Compiled::compiled::optimizer_type;
  engine.kept().initialize(optimizer_reference::of<optimizer_type>(optimizer));
}

template <compiled_model Compiled>
void session_code<Compiled>::save(const parameters& weights, const std::string& path,
                                  non_finite floats) {
  save_weights(weights, path, floats);
}

template <compiled_model Compiled>
void session_code<Compiled>::load(parameters& weights, const std::string& path, non_finite floats) {
  load_weights(weights, path, floats);
}

template <compiled_model Compiled>
void session_code<Compiled>::save_training(session_engine& engine, const std::string& path,
                                           non_finite floats, feed_reference* source) {
  ipu_dsl::save_training(engine, path, floats, {.source = source});
}

template <compiled_model Compiled>
void session_code<Compiled>::load_training(session_engine& engine, const std::string& path,
                                           non_finite floats, feed_reference* source) {
  ipu_dsl::load_training(engine, path, floats, {.source = source});
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
