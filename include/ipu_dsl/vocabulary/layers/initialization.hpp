// SPDX-License-Identifier: MIT
// How parameters start, as options of layers: `Dense<256, relu, init<he_uniform>>`. Names, formulas
// and defaults are Keras's.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/graph/initializer.hpp>

namespace ipu_dsl {

inline constexpr option_key init_key{"init"};
inline constexpr option_key bias_init_key{"bias_init"};
inline constexpr option_key seed_key{"init_seed", "init<he_normal, init_seed<7>>"};
inline constexpr option_key minval_key{"minval"};
inline constexpr option_key maxval_key{"maxval"};
inline constexpr option_key mean_value_key{"mean_value"};
inline constexpr option_key stddev_key{"init_stddev"};
inline constexpr option_key gain_key{"init_gain"};

/// Draws by this number alone: neither the session's seed nor the place of the layer matters, and
/// parameters of the same shape start alike. `init<he_normal, init_seed<7>>`.
template <auto Value>
struct init_seed {
  static constexpr problem negative = refuse("a whole number of at least 0", "one below");
  static constexpr option as_option =
      is_null(read_whole(Value).fault) && read_whole(Value).value < 0
          ? option{&seed_key, 0, 0, &negative}
          : whole_option(&seed_key, Value);
};

/// Of random_uniform: the least value.
template <auto Value>
struct minval {
  static constexpr option as_option = real_option(&minval_key, Value);
};

/// Of random_uniform: what all values lie below.
template <auto Value>
struct maxval {
  static constexpr option as_option = real_option(&maxval_key, Value);
};

/// Of random_normal and truncated_normal: Keras's `mean`, a name that a metric has here.
template <auto Value>
struct mean_value {
  static constexpr option as_option = real_option(&mean_value_key, Value);
};

/// Of random_normal and truncated_normal: the standard deviation, at least 0.
template <auto Value>
struct init_stddev {
  static constexpr option as_option = real_option(&stddev_key, Value);
};

/// What orthogonal and identity are multiplied by.
template <auto Value>
struct init_gain {
  static constexpr option as_option = real_option(&gain_key, Value);
};

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
  static constexpr problem fault = !is_null(read.fault) ? *read.fault : problem{};
};

/// From [-0.05, 0.05), or `init<random_uniform, minval<-1>, maxval<1>>`.
struct random_uniform {
  static constexpr initializer start{initializer_kind::uniform, -0.05F, 0.05F};
  static constexpr const option_key* accepted[] = {&minval_key, &maxval_key, &seed_key};
};

/// Of mean 0 and standard deviation 0.05, or `init<random_normal, mean_value<1>,
/// init_stddev<0.1>>`.
struct random_normal {
  static constexpr initializer start{initializer_kind::normal, 0, 0.05F};
  static constexpr const option_key* accepted[] = {&mean_value_key, &stddev_key, &seed_key};
};

/// The same; what lies beyond two standard deviations is drawn again.
struct truncated_normal {
  static constexpr initializer start{initializer_kind::truncated_normal, 0, 0.05F};
  static constexpr const option_key* accepted[] = {&mean_value_key, &stddev_key, &seed_key};
};

struct glorot_uniform {
  static constexpr initializer start{initializer_kind::scaled_uniform, 1, 0, fan_mode::average};
};

struct glorot_normal {
  static constexpr initializer start{initializer_kind::scaled_truncated_normal, 1, 0,
                                     fan_mode::average};
};

struct he_uniform {
  static constexpr initializer start{initializer_kind::scaled_uniform, 2, 0, fan_mode::inputs};
};

struct he_normal {
  static constexpr initializer start{initializer_kind::scaled_truncated_normal, 2, 0,
                                     fan_mode::inputs};
};

struct lecun_uniform {
  static constexpr initializer start{initializer_kind::scaled_uniform, 1, 0, fan_mode::inputs};
};

struct lecun_normal {
  static constexpr initializer start{initializer_kind::scaled_truncated_normal, 1, 0,
                                     fan_mode::inputs};
};

/// A matrix whose rows or columns, whichever are fewer, are orthonormal (Saxe et al. 2014); more
/// than two extents are one matrix of the last and all before it. `init<orthogonal, init_gain<2>>`.
struct orthogonal {
  static constexpr initializer start{initializer_kind::orthogonal, 1};
  static constexpr const option_key* accepted[] = {&gain_key, &seed_key};
};

/// The identity matrix, cut off or filled up with zeros where it is not square.
struct identity {
  static constexpr initializer start{initializer_kind::identity, 1};
  static constexpr const option_key* accepted[] = {&gain_key, &seed_key};
};

/// What the words of `variance_scaling` say.
constexpr initializer scaled_start(float scale, std::string_view mode,
                                   std::string_view distribution) {
  initializer made{initializer_kind::scaled_truncated_normal, scale, 0, fan_mode::inputs};
  if (mode != "fan_in") {
    made.fan = mode == "fan_out" ? fan_mode::outputs : fan_mode::average;
  }
  if (distribution != "truncated_normal") {
    made.kind = distribution == "uniform" ? initializer_kind::scaled_uniform
                                          : initializer_kind::scaled_normal;
  }
  return made;
}

/// What is wrong with them.
constexpr problem check_scaled_start(float scale, std::string_view mode,
                                     std::string_view distribution) {
  if (!(scale > 0)) {
    return refuse("a scale above 0", label() << scale);
  }
  if (mode != "fan_in" && mode != "fan_out" && mode != "fan_avg") {
    return refuse("\"fan_in\", \"fan_out\" or \"fan_avg\"", label("\"") << mode << "\"");
  }
  if (distribution != "truncated_normal" && distribution != "untruncated_normal" &&
      distribution != "uniform") {
    return refuse("\"truncated_normal\", \"untruncated_normal\" or \"uniform\"",
                  label("\"") << distribution << "\"");
  }
  return {};
}

/// `init<variance_scaling<2, "fan_out", "uniform">>`: of the variance scale / fan.
template <auto Scale = 1, fixed_string Mode = "fan_in",
          fixed_string Distribution = "truncated_normal">
struct variance_scaling {
  static constexpr real_number read = real(Scale);
  static constexpr initializer start = scaled_start(read.value, Mode.view(), Distribution.view());
  static constexpr problem fault =
      !is_null(read.fault) ? *read.fault
                           : check_scaled_start(read.value, Mode.view(), Distribution.view());
};

/// An initialiser of one's own, a type with a function that says what a number starts with:
///
///   struct ramp {
///     static float start(const initial_value& at) { return 0.01F * at.index; }
///   };
template <typename T>
concept own_initializer = requires(const initial_value& at) {
  { T::start(at) } -> std::convertible_to<float>;
};

template <own_initializer Initializer>
constexpr float call_own_start(const initial_value& at) {
  return static_cast<float>(Initializer::start(at));
}

/// What to write where a type is no initializer: one that has a `start` of another kind was meant
/// to be one.
template <typename T>
constexpr std::string_view remedy_for_start() {
  if constexpr (requires { &T::start; }) {
    return "write static float start(const initial_value& at)";
  } else {
    return "write init<he_uniform>, bias_init<constant<0.1>>";
  }
}

/// What is wrong with a type that is no initializer.
template <typename T>
inline constexpr problem not_an_initializer =
    refuse("an initializer", type_name<T>(), remedy_for_start<T>());

inline constexpr const option_key* seed_alone[] = {&seed_key};

/// An initialiser with its options, as a value.
template <typename Initializer, typename... Options>
struct read_start {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;

  /// The keys of its numbers, and that of the seed behind them.
  static constexpr list_view<const option_key*> accepted() {
    if constexpr (requires { Initializer::accepted; }) {
      return Initializer::accepted;
    } else {
      return seed_alone;
    }
  }

  static constexpr initializer read() {
    initializer made;
    if constexpr (requires { Initializer::start.kind; }) {
      made = Initializer::start;
    } else if constexpr (own_initializer<Initializer>) {
      made.kind = initializer_kind::own;
      made.own = call_own_start<Initializer>;
    }
    const list_view<const option_key*> keys = accepted();
    if (keys.size() > 1) {
      made.value = given.number(*keys[0], made.value);
    }
    if (keys.size() > 2) {
      made.second = given.number(*keys[1], made.second);
    }
    made.seeded = given.given(seed_key);
    made.seed = static_cast<std::uint64_t>(given.integer(seed_key, 0));
    return made;
  }

  static constexpr initializer start = read();

  static constexpr problem find_fault() {
    if constexpr (!requires { Initializer::start.kind; } && !own_initializer<Initializer>) {
      return not_an_initializer<Initializer>;
    } else {
      problem found = given.find_fault(accepted());
      if constexpr (requires { Initializer::fault; }) {
        found = Initializer::fault.found() ? Initializer::fault : found;
      }
      if (!found.found()) {
        found = check_numbers();
      }
      return found;
    }
  }

  static constexpr problem check_numbers() {
    const bool normal =
        start.kind == initializer_kind::normal || start.kind == initializer_kind::truncated_normal;
    if (normal && !(start.second >= 0)) {
      return refuse("a standard deviation of at least 0", label() << start.second);
    }
    if (start.kind == initializer_kind::uniform && !(start.value <= start.second)) {
      return refuse("minval of at most maxval", label() << start.value << " and " << start.second);
    }
    return {};
  }

  static constexpr problem fault = find_fault();
};

/// The option of an initializer under this key.
template <typename Initializer, typename... Options>
constexpr option start_option(const option_key* key) {
  using read = read_start<Initializer, Options...>;
  return {.key = key, .fault = read::fault.found() ? &read::fault : nullptr, .start = &read::start};
}

template <typename Initializer, typename... Options>
struct init {
  static constexpr option as_option = start_option<Initializer, Options...>(&init_key);
};

template <typename Initializer, typename... Options>
struct bias_init {
  static constexpr option as_option = start_option<Initializer, Options...>(&bias_init_key);
};

}  // namespace ipu_dsl
