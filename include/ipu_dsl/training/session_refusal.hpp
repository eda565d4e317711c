// SPDX-License-Identifier: MIT
// What has no session, and the one that stands in for it, so that the mistake is said once.
// Over 300 lines: the stand-in has all calls of a session.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/runtime/trace.hpp>
#include <ipu_dsl/training/options_elsewhere.hpp>
#include <ipu_dsl/training/session_engine.hpp>
#include <ipu_dsl/training/session_options.hpp>
#include <ipu_dsl/training/session_source.hpp>
#include <ipu_dsl/training/settings_elsewhere.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What a session is of that says nothing: `session run;`.
struct nothing_named {};

/// A session of something else than a compiled model: of a model, say.
template <typename T>
struct session_fault_of {
  static constexpr problem find() {
    constexpr bool named = !std::same_as<T, nothing_named>;
    problem found =
        refuse("a compiled model", named ? label() << type_name<T>() : label("none"),
               named ? "write struct training : compile<your model, micro_batch<32>, ...> {}; and "
                       "take a session<training>"
                     : "name what you derive from compile<...>: session<training> run;");
    found.where = "session";
    return found;
  }

  static constexpr problem value = find();
};

/// Whether there is a session of `T`: it is a compiled model without a mistake in model, options
/// and schedule. Never an error. Its plan is proven by who compiles the code of the session.
template <typename T>
constexpr bool can_have_session() {
  if constexpr (compiled_model<T>) {
    return can_be_planned<T>();
  } else {
    return false;
  }
}

/// Makes one compile error with one sentence if there is no session of `T`; always true.
template <typename T>
constexpr bool check_session() {
  if constexpr (can_have_session<T>()) {
    return true;
  } else if constexpr (compiled_model<T>) {
    return check<T>();
  } else if constexpr (model_type<T> || std::same_as<T, nothing_named>) {
    // The usual mistakes, in fewer lines of a compiler that tells every step.
    return diagnose<session_fault_of<T>>();
  } else {
    return refuse_type<T, session_fault_of<T>>();
  }
}

/// What the session of a wrong model is given: settings of sgd with all names, or of the optimizer
/// that the model has, so that they are no second error.
template <typename Compiled>
struct settings_when_refused {
  using type = sgd_momentum_settings;
};

template <compiled_model Compiled>
  requires(!std::same_as<typename Compiled::compiled::optimizer_type::settings, sgd_settings>)
struct settings_when_refused<Compiled> {
  using type = typename Compiled::compiled::optimizer_type::settings;
};

/// A number that has to be there.
struct given_number {
  constexpr given_number(double) {}
};

/// Settings with a momentum, given by their names alone, for an optimizer that has none: so that it
/// is the library that says so.
struct settings_with_momentum {
  struct by_name {
  } names_only = {};

  learning_rate_schedule learning_rate = 0.0F;
  double rho = 0;
  given_number momentum;
  double epsilon = 0;
};

/// What a session takes, as a compiler says it of something else: each in braces.
template <typename Settings, typename Options>
struct settings_and_options_in_braces;

/// Instead of such settings where there is nothing to refuse; nobody makes one.
template <typename Settings>
struct no_settings {
  explicit no_settings(const session_options&) = delete;
};

/// What is taken to be refused beside an optimizer's settings.
template <typename Settings>
using foreign_settings = std::conditional_t<requires(const Settings& chosen) {
  chosen.momentum;
}, no_settings<settings_with_momentum>, settings_with_momentum>;

/// What is wrong with settings or options by other names.
template <typename Compiled>
struct names_fault_of {
  static constexpr problem find() {
    problem found =
        refuse(label("settings of ")
                   << Compiled::optimizer_type::rule->name << " and session_options by their names",
               "another name, or no number",
               "write run{{.learning_rate = 0.01F}, {.threads = 2}}, where lr is learning_rate; "
               "optimizer<adam, weight_decay<0.01F>> and replicas<2> stand in compile<...>");
    found.where = "session";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with processors in one pair of braces.
template <typename Compiled>
struct pinned_fault_of {
  static constexpr problem find() {
    problem found = refuse(".pinned with a processor for each worker in two pairs of braces",
                           "one pair, or none",
                           "write run{{}, {.threads = 2, .pinned = {{0, 1}}}}, behind the settings "
                           "of the optimizer");
    found.where = "session";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a session of a number.
template <typename Compiled>
struct number_fault_of {
  static constexpr problem find() {
    problem found = refuse("settings by their names", "a number",
                           "write session<...> run{{.learning_rate = 0.01F}, {.threads = 2}}");
    found.where = "session";
    return found;
  }

  static constexpr problem value = find();
};

/// The same of what `set_optimizer` is given.
template <typename Compiled>
struct optimizer_names_fault_of {
  static constexpr problem find() {
    problem found =
        refuse(label("settings of ") << Compiled::optimizer_type::rule->name << " by their names",
               "another name, or no number",
               "write set_optimizer({.learning_rate = 0.01F}), where lr is learning_rate; options "
               "such as weight_decay stand in compile<...>");
    found.where = "set_optimizer";
    return found;
  }

  static constexpr problem value = find();
};

template <typename Compiled>
struct optimizer_number_fault_of {
  static constexpr problem find() {
    problem found = refuse("settings by their names", "a number",
                           "write set_optimizer({.learning_rate = 0.01F})");
    found.where = "set_optimizer";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a copy of a session.
template <typename Compiled>
struct copy_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("one owner of weights and workers", "a copy of it",
               "take it by reference, session<...>&, or std::move it; another one reads "
               "its weights by save and load");
    found.where = "session";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a momentum of an optimizer without one.
template <typename Compiled>
struct momentum_fault_of {
  static constexpr problem find() {
    problem found = refuse(label("the settings of ") << Compiled::optimizer_type::rule->name,
                           "a momentum, which it has not",
                           "optimizer<sgd<momentum>> and optimizer<rmsprop<momentum>> have one");
    found.where = "the optimizer";
    return found;
  }

  static constexpr problem value = find();
};

/// Makes one compile error about settings. Of a model that is wrong, or without a loss, something
/// else is said.
template <typename Compiled, template <typename> typename Fault>
constexpr void refuse_settings() {
  if constexpr (can_have_session<Compiled>()) {
    if constexpr (Compiled::compiled::settings.has_loss) {
      static_assert(diagnose<Fault<typename Compiled::compiled>>());
    }
  }
}

/// Makes one compile error about a session of a right model.
template <typename Compiled, template <typename> typename Fault>
constexpr void refuse_session() {
  if constexpr (can_have_session<Compiled>()) {
    static_assert(diagnose<Fault<typename Compiled::compiled>>());
  }
}

/// What stands behind the arguments of a call that is refused.
struct said_at_once {};

/// The same error of names, where this is a default argument; its type is deduced, so that a
/// compiler has to look.
template <typename Compiled>
constexpr auto refuse_names() {
  refuse_session<Compiled, names_fault_of>();
  return said_at_once{};
}

template <typename Compiled, bool Valid>
class session_of;

/// The session of a model that is wrong: it takes everything, so that the one sentence about the
/// model stays the only error. It is never run; what takes types of the caller has bodies, because
/// those may be local ones.
template <typename Compiled>
class session_of<Compiled, false> {
 public:
  using settings = typename settings_when_refused<Compiled>::type;

  /// Makes nothing.
  struct code {
    static int make(const session_options&) { return 0; }
  };

  session_of(int, const settings&) {}

  void set_optimizer(const settings&) {}

  template <fixed_string Name>
  void set(float) {}

  template <fixed_string Name>
  float get() const {
    return 0;
  }

  template <typename... Arguments>
  void set_optimizer(Arguments&&...) {}

  template <typename Data, typename... Rest>
  const history& fit(Data&&, const fit_options& = {}, Rest&&...) {
    return refused_history();
  }

  template <typename Input, typename Target, typename... Rest>
    requires(!std::convertible_to<Target, fit_options>)
  const history& fit(const Input&, const Target&, const fit_options& = {}, Rest&&...) {
    return refused_history();
  }

  template <typename Input, typename Target, typename Weights, typename... Rest>
    requires(!std::convertible_to<Target, fit_options> &&
             !std::convertible_to<Weights, fit_options>)
  const history& fit(const Input&, const Target&, const Weights&, const fit_options& = {},
                     Rest&&...) {
    return refused_history();
  }

  template <typename... Arguments>
  double train_step(Arguments&&...) {
    return 0;
  }

  template <typename... Arguments>
  evaluation evaluate(Arguments&&...) {
    return {};
  }

  template <typename... Arguments>
  void predict(Arguments&&...) {}

  template <typename... Arguments>
  void save(Arguments&&...) const {}

  template <typename... Arguments>
  void load(Arguments&&...) {}

  template <typename... Arguments>
  void save_training(Arguments&&...) const {}

  template <typename... Arguments>
  void load_training(Arguments&&...) {}

  template <typename... Arguments>
  double compute_gradients(Arguments&&...) {
    return 0;
  }

  void apply_gradients() {}

  averaged_scope averaged_weights();

  session_engine& listened_to();

  parameters& gradients();
  parameters& weights();

  const parameters& weights() const;

  const trace& last_trace() const;

  std::size_t bytes() const;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
