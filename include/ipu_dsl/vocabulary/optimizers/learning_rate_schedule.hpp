// SPDX-License-Identifier: MIT
// The learning rate of every optimizer: a number, or one that depends on the iteration.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/vocabulary/optimizers/decays.hpp>

namespace ipu_dsl {

struct warm_up;

/// A rate that stays.
struct constant_learning_rate {
  float rate = 0;

  constexpr double at(std::uint64_t) const { return static_cast<double>(rate); }

  constexpr problem fault() const {
    settings_check check;
    check.not_negative("learning_rate", rate);
    return check.fault;
  }
};

/// An object with one operator().
template <typename Function>
concept callable_object = requires { &Function::operator(); };

/// Whether it makes a number of an iteration.
template <typename Function>
concept returns_rate = requires(const Function& function, std::uint64_t iteration) {
  { function(iteration) } -> std::convertible_to<double>;
  requires !std::same_as<std::remove_cvref_t<decltype(function(iteration))>, bool>;
};

/// What is wrong with a function that is to make a rate.
template <typename Function>
struct rate_function_fault_of {
  static constexpr problem find() {
    problem found = refuse("a function of the iteration that makes a number", "",
                           "write [](std::uint64_t iteration) { return 0.1 / (1.0 + iteration); }");
    if constexpr (!std::is_empty_v<Function>) {
      found.expected = "a function of the iteration that captures nothing";
      found.got = "one that captures";
      found.hint =
          "sessions keep the rate: what it needs stands in a constant, static constexpr "
          "double first = 0.1";
    } else if constexpr (requires(const Function& function, std::uint64_t iteration) {
                           { function(iteration) } -> std::same_as<bool>;
                         }) {
      found.got = "one that makes a bool";
    } else if constexpr (requires(const Function& function, std::uint64_t iteration) {
                           function(iteration);
                         }) {
      found.got = "one that makes something else";
    } else {
      found.got = "one that takes something else";
    }
    found.where = "learning_rate";
    return found;
  }

  static constexpr problem value = find();
};

/// A rate that a function of one's own makes.
struct own_learning_rate {
  double (*function)(std::uint64_t iteration) = nullptr;

  /// Throws `error` if the function makes what no rate can be.
  constexpr double at(std::uint64_t iteration) const {
    const double rate = function(iteration);
    if (!(rate >= 0 && rate <= 1e30)) {
      raise_error(
          "The function that is the learning_rate must return a finite number of at least 0.");
    }
    return rate;
  }

  constexpr problem fault() const {
    return function == nullptr ? refuse("a function as learning_rate", "none") : problem{};
  }
};

/// What `learning_rate` is in the settings of an optimizer, made of a number, of one of the decays,
/// of a `warm_up` around one of them, or of a function of one's own:
///
///   {.learning_rate = 0.01F}
///   {.learning_rate = cosine_decay{.initial_learning_rate = 0.1F, .decay_steps = 1000}}
///   {.learning_rate = [](std::uint64_t iteration) { return iteration < 100 ? 0.1 : 0.01; }}
///
/// A plain value without memory of its own.
class learning_rate_schedule {
  /// What it is made of is known where it is made, so that a program has the code of its own
  /// decays alone. In front of what takes their addresses: clang evaluates a template only behind
  /// its definition.
  template <auto Held>
  static constexpr double rate_of(const learning_rate_schedule& schedule, std::uint64_t iteration) {
    return (schedule.*Held).at(iteration);
  }

  template <auto Held>
  [[gnu::cold]] static constexpr problem fault_of(const learning_rate_schedule& schedule) {
    return (schedule.*Held).fault();
  }

  /// The functions of one kind of decay.
  struct rules {
    double (*rate)(const learning_rate_schedule& schedule, std::uint64_t iteration);
    problem (*fault)(const learning_rate_schedule& schedule);
  };

  template <auto Held>
  static constexpr rules rules_of() {
    return {rate_of<Held>, fault_of<Held>};
  }

 public:
  constexpr learning_rate_schedule(float rate)
      : rules_(rules_of<&learning_rate_schedule::constant_>()),
        is_constant_(true),
        constant_{rate} {}

  constexpr learning_rate_schedule(const piecewise_constant_decay& schedule)
      : rules_(rules_of<&learning_rate_schedule::piecewise_constant_>()),
        piecewise_constant_(schedule) {}

  constexpr learning_rate_schedule(const exponential_decay& schedule)
      : rules_(rules_of<&learning_rate_schedule::exponential_>()), exponential_(schedule) {}

  constexpr learning_rate_schedule(const inverse_time_decay& schedule)
      : rules_(rules_of<&learning_rate_schedule::inverse_time_>()), inverse_time_(schedule) {}

  constexpr learning_rate_schedule(const polynomial_decay& schedule)
      : rules_(rules_of<&learning_rate_schedule::polynomial_>()), polynomial_(schedule) {}

  constexpr learning_rate_schedule(const cosine_decay& schedule)
      : rules_(rules_of<&learning_rate_schedule::cosine_>()), cosine_(schedule) {}

  constexpr learning_rate_schedule(const cosine_decay_restarts& schedule)
      : rules_(rules_of<&learning_rate_schedule::cosine_restarts_>()), cosine_restarts_(schedule) {}

  constexpr learning_rate_schedule(const warm_up& schedule);

  /// Its numbers must be finite and at least 0, or the update that asks for one throws.
  template <typename Function>
    requires std::convertible_to<const Function&, double (*)(std::uint64_t)>
  constexpr learning_rate_schedule(const Function& function)
      : rules_(rules_of<&learning_rate_schedule::own_>()), own_{function} {}

  /// The same of a lambda that returns any other number and captures nothing.
  template <typename Function>
    requires(!std::convertible_to<const Function&, double (*)(std::uint64_t)> &&
             std::is_empty_v<Function> && std::default_initializable<Function> &&
             returns_rate<Function>)
  constexpr learning_rate_schedule(const Function&)
      : rules_(rules_of<&learning_rate_schedule::own_>()),
        own_{[](std::uint64_t iteration) { return static_cast<double>(Function()(iteration)); }} {}

  /// Refused with a sentence: any other function.
  template <callable_object Function>
    requires(!std::convertible_to<const Function&, double (*)(std::uint64_t)> &&
             !(std::is_empty_v<Function> && std::default_initializable<Function> &&
               returns_rate<Function>))
  constexpr learning_rate_schedule(const Function&) : learning_rate_schedule(0.0F) {
    static_assert(diagnose<rate_function_fault_of<Function>>());
  }

  /// The rate of an iteration, the first being 0, as Keras counts them.
  constexpr double at(std::uint64_t iteration) const {
    const auto warm_up_steps = static_cast<std::uint64_t>(warm_up_steps_);
    if (iteration >= warm_up_steps) {
      return rate_behind_warm_up(iteration - warm_up_steps);
    }
    const auto from = static_cast<double>(warm_up_from_);
    const double done = static_cast<double>(iteration) / static_cast<double>(warm_up_steps);
    return from + elementary::product(rate_behind_warm_up(0) - from, done);
  }

  /// Whether it is one rate that stays.
  constexpr bool is_constant() const { return is_constant_ && !warms_up_; }

  /// The rate of an update, the first being 1, as `numbers(update)` counts them.
  constexpr double of_update(std::uint64_t update) const { return at(update - 1); }

  /// What is wrong with it. Looked at once, by whoever takes settings of an optimizer.
  [[gnu::cold, gnu::noinline]] constexpr problem fault() const {
    if (warm_up_twice_) {
      return refuse("one warm_up", "one within another");
    }
    if (warms_up_ && is_constant_ && rate_behind_warm_up(0) == 0) {
      return refuse("a schedule that a warm_up leads to", "none, or a rate of 0",
                    "write .schedule = 0.01F in it, or a decay");
    }
    settings_check check;
    if (warms_up_) {
      check.steps("warmup_steps", warm_up_steps_);
      check.not_negative("initial_learning_rate", warm_up_from_);
    }
    check.take(rules_.fault(*this));
    return check.fault;
  }

 private:
  constexpr double rate_behind_warm_up(std::uint64_t iteration) const {
    return rules_.rate(*this, iteration);
  }

  rules rules_;
  bool is_constant_ = false;
  bool warms_up_ = false;
  bool warm_up_twice_ = false;
  float warm_up_from_ = 0;
  std::int64_t warm_up_steps_ = 0;

  union {
    constant_learning_rate constant_;
    piecewise_constant_decay piecewise_constant_;
    exponential_decay exponential_;
    inverse_time_decay inverse_time_;
    polynomial_decay polynomial_;
    cosine_decay cosine_;
    cosine_decay_restarts cosine_restarts_;
    own_learning_rate own_;
  };
};

/// From initial_learning_rate in a straight line to what the schedule begins with, within
/// warmup_steps; then the schedule from its beginning, as in Keras's later CosineDecay. Refused
/// without a schedule:
///
///   {.learning_rate = warm_up{.warmup_steps = 100, .schedule = cosine_decay{...}}}
struct warm_up {
  float initial_learning_rate = 0;
  std::int64_t warmup_steps = 0;
  learning_rate_schedule schedule = 0.0F;
};

constexpr learning_rate_schedule::learning_rate_schedule(const warm_up& schedule)
    : learning_rate_schedule(schedule.schedule) {
  warm_up_twice_ = warms_up_;
  warms_up_ = true;
  warm_up_from_ = schedule.initial_learning_rate;
  warm_up_steps_ = schedule.warmup_steps;
}

}  // namespace ipu_dsl
