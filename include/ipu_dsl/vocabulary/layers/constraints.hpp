// SPDX-License-Identifier: MIT
// Constraints of parameters, as options of layers: `Dense<256, relu, kernel_constraint<non_neg>>`.
#pragma once

#include <limits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/parameter_rules.hpp>
#include <ipu_dsl/vocabulary/layers/asking_option.hpp>

namespace ipu_dsl {

inline constexpr option_key kernel_constraint_key{"kernel_constraint"};
inline constexpr option_key recurrent_constraint_key{"recurrent_constraint"};
inline constexpr option_key bias_constraint_key{"bias_constraint"};
inline constexpr option_key embeddings_constraint_key{.name = "embeddings_constraint",
                                                      .usual = "kernel_constraint"};
inline constexpr option_key gamma_constraint_key{.name = "gamma_constraint",
                                                 .usual = "kernel_constraint"};
inline constexpr option_key beta_constraint_key{.name = "beta_constraint",
                                                .usual = "kernel_constraint"};

/// What is negative becomes zero.
struct non_neg {
  static constexpr parameter_rules constraint{.constraint = constraint_kind::non_negative};
};

/// What is wrong with the limit of a norm.
constexpr problem limit_fault(const real_number& limit) {
  if (!is_null(limit.fault)) {
    return *limit.fault;
  }
  if (!(limit.value > 0 && limit.value <= (std::numeric_limits<float>::max)())) {
    return refuse("a finite norm above 0", label() << limit.value);
  }
  return {};
}

/// What has a larger norm gets one of Limit. Norms are those of the weights of each unit or filter,
/// over all axes of a kernel but the last; of an embedding those of each feature, over all words;
/// and of a vector that of all of it.
template <auto Limit = 2.0F>
struct max_norm {
  static constexpr real_number limit = real(Limit);
  static constexpr parameter_rules constraint{.constraint = constraint_kind::max_norm,
                                              .limit = limit.value};
  static constexpr problem fault = limit_fault(limit);
};

/// Every norm becomes 1; see `max_norm`.
struct unit_norm {
  static constexpr parameter_rules constraint{.constraint = constraint_kind::unit_norm};
};

/// What is wrong with limits between which a norm shall lie.
constexpr problem limits_fault(const real_number& least, const real_number& most,
                               const real_number& rate) {
  for (const real_number* const each : {&least, &rate}) {
    if (!is_null(each->fault)) {
      return *each->fault;
    }
  }
  const problem unfit = limit_fault(most);
  if (unfit.found()) {
    return unfit;
  }
  if (!(least.value >= 0 && least.value <= most.value)) {
    return refuse("a least norm of at least 0, and at most the largest", label() << least.value);
  }
  if (!(rate.value > 0 && rate.value <= 1)) {
    return refuse("a rate above 0 and at most 1", label() << rate.value);
  }
  return {};
}

/// What has a norm below Least or above Most goes so much of the way to one of these; see
/// `max_norm`. What is zero has no direction and stays.
template <auto Least = 0.0F, auto Most = 1.0F, auto Rate = 1.0F>
struct min_max_norm {
  static constexpr parameter_rules constraint{.constraint = constraint_kind::min_max_norm,
                                              .limit = real(Most).value,
                                              .least = real(Least).value,
                                              .rate = real(Rate).value};
  static constexpr problem fault = limits_fault(real(Least), real(Most), real(Rate));
};

/// What is wrong with a type that is no constraint.
template <typename T>
inline constexpr problem not_a_constraint =
    refuse("a constraint", type_name<T>(),
           "write kernel_constraint<max_norm<2.0F>>; there are max_norm, min_max_norm, non_neg "
           "and unit_norm");

/// The option of a constraint under this key.
template <typename Constraint>
constexpr option constraint_option(const option_key* key) {
  if constexpr (requires { Constraint::constraint.limit; }) {
    return asking_option<Constraint>(key, &Constraint::constraint);
  } else {
    return {.key = key, .fault = &not_a_constraint<Constraint>};
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

/// The same of the table of an Embedding.
template <typename Constraint>
struct embeddings_constraint {
  static constexpr option as_option = constraint_option<Constraint>(&embeddings_constraint_key);
};

/// The same of what a BatchNormalization multiplies by.
template <typename Constraint>
struct gamma_constraint {
  static constexpr option as_option = constraint_option<Constraint>(&gamma_constraint_key);
};

/// The same of what a BatchNormalization adds.
template <typename Constraint>
struct beta_constraint {
  static constexpr option as_option = constraint_option<Constraint>(&beta_constraint_key);
};

}  // namespace ipu_dsl
