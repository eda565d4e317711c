// SPDX-License-Identifier: MIT
// Calls that change a session, of one that is const: each refused with a sentence.
#pragma once

#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/training/calls_elsewhere.hpp>
#include <ipu_dsl/training/history.hpp>
#include <ipu_dsl/training/session_options.hpp>
#include <ipu_dsl/training/session_source.hpp>

namespace ipu_dsl {

/// What is wrong with a session that is const; `Compiled` is whose session it is.
template <typename Compiled>
struct const_session_fault_of {
  static constexpr problem find() {
    problem found = refuse("one that is not const", "a const session",
                           "training changes it, and so do evaluate and predict: take const away, "
                           "of the parameter of a function too");
    found.where = "session";
    return found;
  }

  static constexpr problem value = find();
};

/// The calls. Volatile as well, because what a session does is not: where another can be called,
/// that is nearer.
template <typename Compiled>
class const_calls : public calls_elsewhere<Compiled> {
 public:
  template <typename... Given>
  const history& fit(const Given&...) const volatile {
    static_assert(diagnose<const_session_fault_of<Compiled>>());
    return refused_history();
  }

  template <typename Source, typename... Behind>
  const history& fit(const Source&, const fit_options&, const Behind&...) const volatile {
    static_assert(diagnose<const_session_fault_of<Compiled>>());
    return refused_history();
  }

  template <typename Input, typename Target, typename... Behind>
  const history& fit(const Input&, const Target&, const fit_options&, const Behind&...) const
      volatile {
    static_assert(diagnose<const_session_fault_of<Compiled>>());
    return refused_history();
  }

  template <typename... Given>
  evaluation evaluate(const Given&...) const volatile {
    static_assert(diagnose<const_session_fault_of<Compiled>>());
    return {};
  }

  template <typename... Given>
  double train_step(const Given&...) const volatile {
    static_assert(diagnose<const_session_fault_of<Compiled>>());
    return 0;
  }

  template <typename... Given>
  std::vector<float> predict(const Given&...) const volatile {
    static_assert(diagnose<const_session_fault_of<Compiled>>());
    return {};
  }
};

}  // namespace ipu_dsl
