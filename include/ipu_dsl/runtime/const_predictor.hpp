// SPDX-License-Identifier: MIT
// Calls that change a predictor, of one that is const: each refused with a sentence.
#pragma once

#include <span>

#include <ipu_dsl/core/anything.hpp>
#include <ipu_dsl/core/diagnose.hpp>

namespace ipu_dsl {

/// What is wrong with a predictor that is const; `M` is whose it is.
template <typename M>
struct const_predictor_fault_of {
  static constexpr problem find() {
    problem found = refuse("one that is not const", "a const predictor",
                           "a prediction changes its activations: take const away, of the "
                           "parameter of a function too, or make the member mutable");
    found.where = "the predictor";
    return found;
  }

  static constexpr problem value = find();
};

/// The calls. Volatile as well, because what a predictor does is not: where another can be called,
/// that is nearer.
template <typename M>
class const_predictor_calls {
 public:
  template <typename Model = M>
  bool predict(const anything&, const anything&) const volatile {
    static_assert(diagnose<const_predictor_fault_of<Model>>());
    return false;
  }

  template <typename... Rest>
  std::span<const float> push(const anything&, const Rest&...) const volatile {
    static_assert(diagnose<const_predictor_fault_of<M>>());
    return {};
  }

  template <typename Model = M>
  void reset() const volatile {
    static_assert(diagnose<const_predictor_fault_of<Model>>());
  }

  template <typename Model = M>
  void use(const anything&) const volatile {
    static_assert(diagnose<const_predictor_fault_of<Model>>());
  }
};

}  // namespace ipu_dsl
