// SPDX-License-Identifier: MIT
// How parameters start, as options of layers: `Dense<256, relu, init<he_uniform>>`.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/initializer.hpp>

namespace ipu_dsl {

inline constexpr option_key init_key{"init"};
inline constexpr option_key bias_init_key{"bias_init"};

struct zeros {
  static constexpr initializer start{initializer_kind::zeros};
};

struct ones {
  static constexpr initializer start{initializer_kind::ones};
};

template <auto Value>
struct constant {
  static constexpr real_number read = real(Value);
  static constexpr initializer start{initializer_kind::constant, read.value};
  static constexpr const problem* fault = read.fault;
};

struct glorot_uniform {
  static constexpr initializer start{initializer_kind::glorot_uniform};
};

struct he_uniform {
  static constexpr initializer start{initializer_kind::he_uniform};
};

struct lecun_uniform {
  static constexpr initializer start{initializer_kind::lecun_uniform};
};

/// What is wrong with a type that is no initializer.
template <typename T>
inline constexpr problem not_an_initializer =
    refuse("an initializer", type_name<T>(), "write init<he_uniform>, bias_init<constant<0.1>>");

/// The option of an initializer under this key.
template <typename Initializer>
constexpr option start_option(const option_key* key) {
  if constexpr (requires { Initializer::start.kind; }) {
    option made{key, static_cast<std::int32_t>(Initializer::start.kind), Initializer::start.value};
    if constexpr (requires { Initializer::fault; }) {
      made.fault = Initializer::fault;
    }
    return made;
  } else {
    return {key, 0, 0, &not_an_initializer<Initializer>};
  }
}

template <typename Initializer>
struct init {
  static constexpr option as_option = start_option<Initializer>(&init_key);
};

template <typename Initializer>
struct bias_init {
  static constexpr option as_option = start_option<Initializer>(&bias_init_key);
};

}  // namespace ipu_dsl
