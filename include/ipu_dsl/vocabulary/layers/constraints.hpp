// SPDX-License-Identifier: MIT
// Constraints of parameters, as options of layers: `Dense<256, relu, kernel_constraint<non_neg>>`.
#pragma once

#include <cstdint>
#include <limits>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/parameter_rules.hpp>

namespace ipu_dsl {

inline constexpr option_key kernel_constraint_key{"kernel_constraint"};
inline constexpr option_key recurrent_constraint_key{"recurrent_constraint"};
inline constexpr option_key bias_constraint_key{"bias_constraint"};

/// What is negative becomes zero.
struct non_neg {
  static constexpr constraint_kind constraint = constraint_kind::non_negative;
};

/// What is wrong with the limit of a norm.
constexpr problem limit_fault(const real_number& limit) {
  if (limit.fault != nullptr) {
    return *limit.fault;
  }
  if (!(limit.value > 0 && limit.value <= (std::numeric_limits<float>::max)())) {
    return refuse("a finite norm above 0", label() << limit.value);
  }
  return {};
}

/// What has a larger norm gets one of Limit. Norms are those of the weights of each unit or filter,
/// over all axes of a kernel but the last, and of a bias that of all of it.
template <auto Limit = 2.0F>
struct max_norm {
  static constexpr constraint_kind constraint = constraint_kind::max_norm;
  static constexpr real_number limit = real(Limit);
  static constexpr problem fault = limit_fault(limit);
};

/// Every norm becomes 1; see `max_norm`.
struct unit_norm {
  static constexpr constraint_kind constraint = constraint_kind::unit_norm;
};

/// What is wrong with a type that is no constraint.
template <typename T>
inline constexpr problem not_a_constraint =
    refuse("a constraint", type_name<T>(),
           "write kernel_constraint<max_norm<2.0F>>; there are max_norm, non_neg and unit_norm");

/// The option of a constraint under this key.
template <typename Constraint>
constexpr option constraint_option(const option_key* key) {
  if constexpr (!requires { Constraint::constraint; }) {
    return {key, 0, 0, &not_a_constraint<Constraint>};
  } else if constexpr (requires { Constraint::limit; }) {
    constexpr bool unfit = Constraint::fault.found();
    return {key, static_cast<std::int32_t>(Constraint::constraint), Constraint::limit.value,
            unfit ? &Constraint::fault : nullptr};
  } else {
    return {key, static_cast<std::int32_t>(Constraint::constraint)};
  }
}

/// What a kernel is made behind every update.
template <typename Constraint>
struct kernel_constraint {
  static constexpr option as_option = constraint_option<Constraint>(&kernel_constraint_key);
};

/// The same of the kernel of a recurrent layer's states.
template <typename Constraint>
struct recurrent_constraint {
  static constexpr option as_option = constraint_option<Constraint>(&recurrent_constraint_key);
};

/// The same of a bias.
template <typename Constraint>
struct bias_constraint {
  static constexpr option as_option = constraint_option<Constraint>(&bias_constraint_key);
};

}  // namespace ipu_dsl
