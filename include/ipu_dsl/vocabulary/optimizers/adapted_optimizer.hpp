// SPDX-License-Identifier: MIT
// What every optimizer can be told beside its own settings: `optimizer<adam, clipvalue<0.5F>>`.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/elementary.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>
#include <ipu_dsl/vocabulary/optimizers/optimizer_fault.hpp>

namespace ipu_dsl {

inline constexpr option_key clipvalue_key{"clipvalue", "optimizer<adam, clipvalue<0.5F>>"};
inline constexpr option_key weight_decay_key{"weight_decay",
                                             "optimizer<adam, weight_decay<0.004F>>"};

/// Gradients, complete as the update gets them, are clipped to [-Limit, Limit].
template <auto Limit>
struct clipvalue {
  static constexpr option as_option = real_option(&clipvalue_key, Limit);
};

/// w -= rate Part w before each update, of every parameter, as later Keras has it for all of its
/// optimizers (decoupled; Loshchilov and Hutter 2019). `adamw` is Adam with it.
template <auto Part>
struct weight_decay {
  static constexpr option as_option = real_option(&weight_decay_key, Part);
};

inline constexpr option_key clipnorm_key{"clipnorm", "optimizer<adam, clipnorm<1>>"};

/// The complete gradient of each parameter is scaled down to a norm of at most Limit, as Keras has
/// it. What needs a norm is updated by calls of its own, not at the end of a weight gradient.
template <auto Limit>
struct clipnorm {
  static constexpr option as_option = real_option(&clipnorm_key, Limit);
};

inline constexpr option_key global_clipnorm_key{"global_clipnorm"};
inline constexpr problem no_global_clipnorm = refuse(
    "clipnorm<...>, the norm of one parameter's gradient", "the norm of all gradients together",
    "stages lie on devices, and an update that waits for numbers of other devices is not "
    "there yet");

/// Refused with a sentence.
template <auto Limit>
struct global_clipnorm {
  static constexpr option as_option{&global_clipnorm_key, 0, 0, &no_global_clipnorm};
};

inline constexpr option_key moving_average_key{"moving_average",
                                               "optimizer<adam, moving_average<0.99F>>"};

/// Keeps an exponential moving average of every parameter that learns, a = Part a + (1 - Part) w
/// after each update, the first of which begins it: Keras's use_ema with ema_momentum. The
/// session's `averaged_weights` says how to use it.
template <auto Part>
struct moving_average {
  static constexpr option as_option = real_option(&moving_average_key, Part);
};

/// A type of learning rates. Model: `cosine_decay`.
template <typename T>
concept rate_kind = std::is_class_v<T> && std::constructible_from<learning_rate_schedule, const T&>;

template <typename T>
inline constexpr problem rate_as_option =
    refuse("an option that it takes", label("the learning rate ") << type_name<T>(),
           "rates are settings of a session: run{{.learning_rate = cosine_decay{...}}}");

/// An option beside others that no learning rate is one of.
template <typename T>
consteval named_option read_option_but_no_rate() {
  // Asked first, so that what is an option is not tried as a rate.
  if constexpr (option_type<T>) {
    return read_option<T>();
  } else if constexpr (rate_kind<T>) {
    return {{&foreign_key, 0, 0, &rate_as_option<T>}, type_name<T>()};
  } else {
    return read_option<T>();
  }
}

/// An optimizer that is told something beside its settings, which stay what they are.
template <typename Optimizer, typename... Options>
struct adapted_optimizer {
 private:
  static constexpr option_list<sizeof...(Options)> given = {
      {read_option_but_no_rate<Options>()...}};
  static constexpr const option_key* accepted[] = {&clipvalue_key, &clipnorm_key, &weight_decay_key,
                                                   &moving_average_key};
  static constexpr bool averages = given.given(moving_average_key);
  static constexpr float kept_part = given.number(moving_average_key, 0);
  static constexpr bool clips_norm = given.given(clipnorm_key);
  static constexpr float limit = given.number(clipvalue_key, 0);
  static constexpr float norm_limit = given.number(clipnorm_key, 0);
  static constexpr float decay = given.number(weight_decay_key, 0);

 public:
  using settings = typename Optimizer::settings;

 private:
  static constexpr bool has_rate =
      requires(const settings& chosen) { chosen.learning_rate.of_update(std::uint64_t{1}); };

  /// Without being asked to: AdamW.
  static constexpr bool decays_by_itself() {
    if constexpr (requires(const settings& chosen) { chosen.weight_decay; }) {
      return settings().weight_decay > 0;
    } else {
      return false;
    }
  }

  static constexpr problem find_fault() {
    problem found = fault_of_optimizer<Optimizer>();
    if (!found.found()) {
      found = given.find_fault(accepted);
    }
    if (found.found()) {
      return found;
    }
    if (given.given(clipvalue_key) && !(limit > 0)) {
      return refuse("a clipvalue above 0", label() << limit);
    }
    if (clips_norm && !(norm_limit > 0)) {
      return refuse("a clipnorm above 0", label() << norm_limit);
    }
    if (clips_norm && given.given(clipvalue_key)) {
      return refuse("one of clipvalue and clipnorm", "both", "take one of them out");
    }
    if (given.given(weight_decay_key) && !(decay >= 0)) {
      return refuse("a weight_decay of at least 0", label() << decay);
    }
    if (given.given(weight_decay_key) && decays_by_itself()) {
      return refuse(label("weight_decay among the settings of ") << Optimizer::rule->name,
                    "weight_decay<...> beside it, so that it would decay twice",
                    "write session<training> run({.weight_decay = 0.004F})");
    }
    if (averages && !(kept_part >= 0 && kept_part < 1)) {
      return refuse("a moving_average of at least 0 and below 1", label() << kept_part);
    }
    if (averages && Optimizer::rule->kept.count() == kept_slots::most) {
      return refuse(label("at most ") << kept_slots::most << " numbers beside each of a parameter",
                    label("a moving_average beside those of ") << Optimizer::rule->name);
    }
    if (given.given(weight_decay_key) && !has_rate) {
      return refuse("settings with a learning_rate_schedule learning_rate for weight_decay",
                    label("those of ") << Optimizer::rule->name);
    }
    if (!updates_by_rule<Optimizer::rule>) {
      return refuse("an optimizer with an update_rule", label() << Optimizer::rule->name);
    }
    if (clips_norm && Optimizer::rule->sums.stages() == whole_sums::most_stages) {
      return refuse(label("sums in less than ")
                        << whole_sums::most_stages << " stages for clipnorm",
                    label("those of ") << Optimizer::rule->name);
    }
    return {};
  }

  static constexpr family adapt() {
    family made = *Optimizer::rule;
    made.adapted = {Optimizer::rule, given.given(clipvalue_key), given.given(weight_decay_key),
                    clips_norm, averages};
    if (averages && made.kept.count() < kept_slots::most) {
      made.kept.names[made.kept.count()] = average_slot;
    }
    if (clips_norm) {
      made.elementwise = false;
      made.sums = made.sums.behind(1);
    }
    return made;
  }

  static constexpr family adapted_family = adapt();

 public:
  static constexpr problem fault = find_fault();
  static constexpr const family* rule = &adapted_family;

  /// For an update, counted from 1.
  static auto numbers(const settings& chosen, std::uint64_t update) {
    typename update_rule<rule>::by_value::numbers made{chosen.numbers(update), limit, 1};
    if constexpr (has_rate) {
      const double lost =
          elementary::product(chosen.learning_rate.of_update(update), static_cast<double>(decay));
      made.keep_weight = static_cast<float>(1 - lost);
    }
    return averaged(clipped(made), update);
  }

 private:
  template <typename Numbers>
  static auto clipped(const Numbers& made) {
    if constexpr (clips_norm) {
      return typename update_rule<rule>::clipped::numbers{made, norm_limit, 1};
    } else {
      return made;
    }
  }

  /// The first update begins the average.
  template <typename Numbers>
  static auto averaged(const Numbers& made, std::uint64_t update) {
    if constexpr (averages) {
      const float keep = update == 1 ? 0.0F : kept_part;
      return typename update_rule<rule>::type::numbers{made, keep, 1 - keep};
    } else {
      return made;
    }
  }
};

}  // namespace ipu_dsl
