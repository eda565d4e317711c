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

template <float Value>
struct constant {
  static constexpr initializer start{initializer_kind::constant, Value};
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

template <typename Initializer>
struct init {
  static constexpr option as_option{&init_key, static_cast<std::int32_t>(Initializer::start.kind),
                                    Initializer::start.value};
};

template <typename Initializer>
struct bias_init {
  static constexpr option as_option{
      &bias_init_key, static_cast<std::int32_t>(Initializer::start.kind), Initializer::start.value};
};

}  // namespace ipu_dsl
