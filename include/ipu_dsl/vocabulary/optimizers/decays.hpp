// SPDX-License-Identifier: MIT
// Learning rates that fall from iteration to iteration: tf.keras.optimizers.schedules by its names,
// arguments and defaults. An iteration is an update, counted from 0 as Keras does it. Rates are
// computed in double by functions of our own, so that their bits are the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <ipu_dsl/core/elementary.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/vocabulary/optimizers/settings_check.hpp>

namespace ipu_dsl {

/// A few numbers in braces: `{1000, 2000}`. How many were given is known beyond `most` as well.
template <typename Number>
struct schedule_numbers {
  static constexpr std::size_t most = 16;

  Number values[most] = {};
  std::size_t count = 0;

  constexpr schedule_numbers(std::initializer_list<Number> given) {
    for (const Number number : given) {
      if (count < most) {
        values[count] = number;
      }
      ++count;
    }
  }
};

/// The first value up to and at the first boundary, the second one from there up to and at the
/// second, the last one behind the last: one value more than boundaries, at most 16.
struct piecewise_constant_decay {
  schedule_numbers<std::int64_t> boundaries = {};
  schedule_numbers<float> values = {};

  constexpr double at(std::uint64_t iteration) const {
    std::size_t piece = 0;
    while (piece < boundaries.count &&
           iteration > static_cast<std::uint64_t>(boundaries.values[piece])) {
      ++piece;
    }
    return static_cast<double>(values.values[piece]);
  }

  constexpr problem fault() const {
    if (values.count > values.most) {
      return refuse(label("at most ") << values.most << " values", label() << values.count);
    }
    if (values.count != boundaries.count + 1) {
      return refuse("one value more than boundaries",
                    label() << values.count << " values and " << boundaries.count << " boundaries");
    }
    settings_check check;
    for (std::size_t i = 0; i < values.count; ++i) {
      check.not_negative("learning_rate", values.values[i]);
    }
    for (std::size_t i = 0; i < boundaries.count; ++i) {
      const std::int64_t before = i == 0 ? -1 : boundaries.values[i - 1];
      if (boundaries.values[i] <= before && !check.fault.found()) {
        check.fault = refuse("boundaries of at least 0 that ascend",
                             label() << boundaries.values[i] << " behind " << before);
      }
    }
    return check.fault;
  }
};

/// How far an iteration has come, in decays; whole ones only with a staircase.
constexpr double decays_done(std::uint64_t iteration, std::int64_t decay_steps, bool staircase) {
  const double done = static_cast<double>(iteration) / static_cast<double>(decay_steps);
  return staircase ? elementary::floor_of(done) : done;
}

/// Looks at a rate that falls, and at how many steps that takes.
constexpr settings_check check_fall(float initial_learning_rate, std::string_view name,
                                    std::int64_t steps) {
  settings_check check;
  check.positive("initial_learning_rate", initial_learning_rate);
  check.steps(name, steps);
  return check;
}

/// initial_learning_rate decay_rate^(iteration / decay_steps).
struct exponential_decay {
  float initial_learning_rate = 0;
  std::int64_t decay_steps = 0;
  float decay_rate = 0;
  bool staircase = false;

  constexpr double at(std::uint64_t iteration) const {
    const double done = decays_done(iteration, decay_steps, staircase);
    return elementary::product(static_cast<double>(initial_learning_rate),
                               elementary::power(static_cast<double>(decay_rate), done));
  }

  constexpr problem fault() const {
    settings_check check = check_fall(initial_learning_rate, "decay_steps", decay_steps);
    check.positive("decay_rate", decay_rate);
    return check.fault;
  }
};

/// initial_learning_rate / (1 + decay_rate iteration / decay_steps).
struct inverse_time_decay {
  float initial_learning_rate = 0;
  std::int64_t decay_steps = 0;
  float decay_rate = 0;
  bool staircase = false;

  constexpr double at(std::uint64_t iteration) const {
    const double done = decays_done(iteration, decay_steps, staircase);
    return static_cast<double>(initial_learning_rate) /
           (1 + elementary::product(static_cast<double>(decay_rate), done));
  }

  constexpr problem fault() const {
    settings_check check = check_fall(initial_learning_rate, "decay_steps", decay_steps);
    check.positive("decay_rate", decay_rate);
    return check.fault;
  }
};

/// (initial_learning_rate - end_learning_rate) (1 - iteration / decay_steps)^power +
/// end_learning_rate; behind decay_steps it stays at its end, or with a cycle goes on with the
/// lowest multiple of decay_steps that is not below the iteration in their place.
struct polynomial_decay {
  float initial_learning_rate = 0;
  std::int64_t decay_steps = 0;
  float end_learning_rate = 0.0001F;
  float power = 1;
  bool cycle = false;

  constexpr double at(std::uint64_t iteration) const {
    const auto end = static_cast<double>(end_learning_rate);
    const double range = static_cast<double>(initial_learning_rate) - end;
    const double left = elementary::power(1 - done(iteration), static_cast<double>(power));
    return elementary::product(range, left) + end;
  }

  constexpr problem fault() const {
    settings_check check;
    check.not_negative("initial_learning_rate", initial_learning_rate);
    check.not_negative("end_learning_rate", end_learning_rate);
    check.steps("decay_steps", decay_steps);
    check.positive("power", power);
    return check.fault;
  }

 private:
  /// In [0, 1].
  constexpr double done(std::uint64_t iteration) const {
    const auto steps = static_cast<std::uint64_t>(decay_steps);
    if (iteration <= steps) {
      return decays_done(iteration, decay_steps, false);
    }
    const std::uint64_t turns = iteration / steps + (iteration % steps > 0 ? 1 : 0);
    return cycle ? static_cast<double>(iteration) / static_cast<double>(turns * steps) : 1.0;
  }
};

/// Half a cosine from `height` down to `alpha` of initial_learning_rate (Loshchilov and Hutter,
/// "SGDR", 2017); `done` in [0, 1].
constexpr double cosine_at(double done, float initial_learning_rate, double height, float alpha) {
  const double cosine =
      elementary::product(0.5 * height, 1 + elementary::cosine_of_half_turns(done));
  const auto lowest = static_cast<double>(alpha);
  return elementary::product(static_cast<double>(initial_learning_rate),
                             elementary::product(1 - lowest, cosine) + lowest);
}

/// From initial_learning_rate down to alpha of it within decay_steps, along half a cosine.
struct cosine_decay {
  float initial_learning_rate = 0;
  std::int64_t decay_steps = 0;
  float alpha = 0;

  constexpr double at(std::uint64_t iteration) const {
    const double done = iteration < static_cast<std::uint64_t>(decay_steps)
                            ? decays_done(iteration, decay_steps, false)
                            : 1.0;
    return cosine_at(done, initial_learning_rate, 1, alpha);
  }

  constexpr problem fault() const {
    settings_check check = check_fall(initial_learning_rate, "decay_steps", decay_steps);
    check.fraction("alpha", alpha);
    return check.fault;
  }
};

/// Half a cosine after the other, each t_mul times as long and m_mul times as high as the one
/// before it.
struct cosine_decay_restarts {
  float initial_learning_rate = 0;
  std::int64_t first_decay_steps = 0;
  float t_mul = 2;
  float m_mul = 1;
  float alpha = 0;

  constexpr double at(std::uint64_t iteration) const {
    double done = decays_done(iteration, first_decay_steps, false);
    double height = 1;
    if (t_mul <= 1) {
      const double restarts = elementary::floor_of(done);
      done -= restarts;
      height = elementary::power(static_cast<double>(m_mul), restarts);
    } else {
      // Counted instead of computed by logarithms as in Keras, which miss a restart by rounding.
      double length = 1;
      while (done >= length) {
        done -= length;
        length = elementary::product(length, static_cast<double>(t_mul));
        height = elementary::product(height, static_cast<double>(m_mul));
      }
      done /= length;
    }
    return cosine_at(done, initial_learning_rate, height, alpha);
  }

  constexpr problem fault() const {
    settings_check check =
        check_fall(initial_learning_rate, "first_decay_steps", first_decay_steps);
    check.finite("t_mul", t_mul);
    check.require(t_mul >= 1, "t_mul", " of at least 1", t_mul);
    check.positive("m_mul", m_mul);
    check.fraction("alpha", alpha);
    return check.fault;
  }
};

}  // namespace ipu_dsl
