// SPDX-License-Identifier: MIT
// What a session offers, and how one is made; what else is taken for that is refused.
#pragma once

#include <concepts>
#include <type_traits>

#include <ipu_dsl/training/session_calls.hpp>
#include <ipu_dsl/training/session_refusal.hpp>
#include <ipu_dsl/training/settings_elsewhere.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// A session of a compiled model: owns its memory, its workers and its weights.
///
///   session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}, {.threads = 2}};
///
/// Data sets and their transformations must outlive the calls that they are given to. After
/// construction, calls that are given a feed take no memory, as long as the history of `fit` lies
/// within what `session_options` reserves; those that are given data make a feed of them first.
/// Moved from, a session refuses every call but assignment with an `error`.
template <typename Compiled = nothing_named>
class session : public session_of<Compiled, can_have_session<Compiled>()> {
  static_assert(check_session<Compiled>());

  using base = session_of<Compiled, can_have_session<Compiled>()>;

 public:
  using typename base::settings;

  // Not those of the base, inherited: of a call that fits none a compiler tells twice as much. The
  // engine is made here, so that what is wrong with an own layer's code is told in fewer steps.
  explicit session(const settings& optimizer = {}, const session_options& options = {})
      : base(base::code::make(options), optimizer) {}

  /// Refused with a sentence, as by `set_optimizer`.
  explicit session(const foreign_settings<settings>&, const session_options& = {})
      : base(base::code::make({}), {}) {
    refuse_settings<Compiled, momentum_fault_of>();
  }

  /// Said by the last argument, whose type a compiler asks for as soon as this is chosen: in code
  /// that nobody instantiates as well.
  template <typename = void>
  explicit session(const settings_elsewhere&, const session_options_elsewhere& = {},
                   const session_options_elsewhere& = {}, said_at_once = refuse_names<Compiled>())
      : base(base::code::make({}), {}) {}

  /// The same of processors in one pair of braces, with settings in front or without.
  explicit session(const settings_elsewhere&, const session_options_with_one_pair&)
      : base(base::code::make({}), {}) {
    refuse_session<Compiled, pinned_fault_of>();
  }

  explicit session(const session_options_with_one_pair&) : base(base::code::make({}), {}) {
    refuse_session<Compiled, pinned_fault_of>();
  }

  /// A path is no bool: a compiler itself says that either could be meant.
  explicit session(const settings&, const trace_is_true_and_last_trace_is_written&) = delete;

  template <typename Number, typename... Rest>
    requires std::is_arithmetic_v<Number>
  explicit session(Number, const Rest&...) : base(base::code::make({}), {}) {
    refuse_session<Compiled, number_fault_of>();
  }

  /// Of whatever else stands there, in as few lines as a compiler can tell of it: it names what is
  /// expected in braces.
  template <typename Expected = settings_and_options_in_braces<settings, session_options>>
    requires(!std::same_as<Compiled, nothing_named>)
  explicit session(...) = delete;

  session(session&&) = default;
  session& operator=(session&&) = default;
  session(const session&) = delete;  // of one owner: pass it as session&, or std::move it
  session& operator=(const session&) = delete;

  /// Refused with a sentence: a copy of one that is not const.
  template <std::same_as<session> Other>
  session(Other&) : base(base::code::make({}), {}) {
    refuse_session<Compiled, copy_fault_of>();
  }

  template <std::same_as<session> Other>
  session& operator=(Other&) {
    refuse_session<Compiled, copy_fault_of>();
    return *this;
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
