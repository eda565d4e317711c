// SPDX-License-Identifier: MIT
// Penalties on parameters and outputs, as options of layers: `Dense<256, relu,
// kernel_regularizer<l2<0.01F>>>`.
#pragma once

#include <limits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/parameter_rules.hpp>
#include <ipu_dsl/vocabulary/layers/asking_option.hpp>

namespace ipu_dsl {

inline constexpr option_key kernel_regularizer_key{"kernel_regularizer"};
inline constexpr option_key recurrent_regularizer_key{"recurrent_regularizer"};
inline constexpr option_key bias_regularizer_key{"bias_regularizer"};
inline constexpr option_key embeddings_regularizer_key{.name = "embeddings_regularizer",
                                                       .usual = "kernel_regularizer"};
inline constexpr option_key gamma_regularizer_key{.name = "gamma_regularizer",
                                                  .usual = "kernel_regularizer"};
inline constexpr option_key beta_regularizer_key{.name = "beta_regularizer",
                                                 .usual = "kernel_regularizer"};
inline constexpr option_key activity_regularizer_key{"activity_regularizer"};

/// Of penalties beside an option that says of which parameters they are.
inline constexpr option_key penalty_key{"a penalty", "kernel_regularizer<l2<0.01F>>"};

/// What is wrong with the strength of a penalty: one of zero would have no effect.
constexpr problem strength_fault(const real_number& strength) {
  if (!is_null(strength.fault)) {
    return *strength.fault;
  }
  if (!(strength.value > 0 && strength.value <= (std::numeric_limits<float>::max)())) {
    return refuse("a finite strength above 0", label() << strength.value);
  }
  return {};
}

/// Adds Strength sum(|w|) to the loss.
template <auto Strength = 0.01F>
struct l1 {
  static constexpr option as_option{&penalty_key};
  static constexpr real_number strength = real(Strength);
  static constexpr parameter_rules penalty{.l1 = strength.value};
  static constexpr problem fault = strength_fault(strength);
};

/// Adds Strength sum(w^2) to the loss.
template <auto Strength = 0.01F>
struct l2 {
  static constexpr option as_option{&penalty_key};
  static constexpr real_number strength = real(Strength);
  static constexpr parameter_rules penalty{.l2 = strength.value};
  static constexpr problem fault = strength_fault(strength);
};

/// Adds both.
template <auto OfMagnitudes = 0.01F, auto OfSquares = 0.01F>
struct l1_l2 {
  static constexpr option as_option{&penalty_key};
  static constexpr parameter_rules penalty{.l1 = l1<OfMagnitudes>::penalty.l1,
                                           .l2 = l2<OfSquares>::penalty.l2};
  static constexpr problem fault =
      l1<OfMagnitudes>::fault.found() ? l1<OfMagnitudes>::fault : l2<OfSquares>::fault;
};

/// What is wrong with a type that is no regularizer.
template <typename T>
inline constexpr problem not_a_regularizer =
    refuse("a regularizer", type_name<T>(),
           "write kernel_regularizer<l2<0.01F>>; there are l1, l2 and l1_l2");

/// The option of a regularizer under this key.
template <typename Regularizer>
constexpr option penalty_option(const option_key* key) {
  if constexpr (requires { Regularizer::penalty.l1; }) {
    return asking_option<Regularizer>(key, &Regularizer::penalty);
  } else {
    return {.key = key, .fault = &not_a_regularizer<Regularizer>};
  }
}

/// The penalty of a kernel, part of the loss: see docs/semantics.md.
template <typename Regularizer>
struct kernel_regularizer {
  static constexpr option as_option = penalty_option<Regularizer>(&kernel_regularizer_key);
};

/// That of the kernel of a recurrent layer's states.
template <typename Regularizer>
struct recurrent_regularizer {
  static constexpr option as_option = penalty_option<Regularizer>(&recurrent_regularizer_key);
};

/// That of a bias.
template <typename Regularizer>
struct bias_regularizer {
  static constexpr option as_option = penalty_option<Regularizer>(&bias_regularizer_key);
};

/// That of the table of an Embedding.
template <typename Regularizer>
struct embeddings_regularizer {
  static constexpr option as_option = penalty_option<Regularizer>(&embeddings_regularizer_key);
};

/// That of what a BatchNormalization multiplies by.
template <typename Regularizer>
struct gamma_regularizer {
  static constexpr option as_option = penalty_option<Regularizer>(&gamma_regularizer_key);
};

/// That of what a BatchNormalization adds.
template <typename Regularizer>
struct beta_regularizer {
  static constexpr option as_option = penalty_option<Regularizer>(&beta_regularizer_key);
};

/// That of what the layer puts out, behind its activation: l1 sum(|y|) + l2 sum(y^2) over the
/// output of a sample, a mean over samples.
template <typename Regularizer>
struct activity_regularizer {
  static constexpr option as_option = penalty_option<Regularizer>(&activity_regularizer_key);
};

}  // namespace ipu_dsl
