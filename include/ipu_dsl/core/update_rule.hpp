// SPDX-License-Identifier: MIT
// How an optimizer moves one number of a parameter, as kernels know it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <ipu_dsl/core/elementary.hpp>
#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// The floats that an optimizer's kernels may be told for an update: rates, decays.
inline constexpr std::size_t most_optimizer_numbers = 16;

/// What an optimizer sums up over a whole parameter before it moves it: so many sums in each of its
/// stages, of which a later one knows those before it. Without any an update is elementwise.
struct whole_sums {
  static constexpr std::int32_t most_stages = 2;
  static constexpr std::int32_t most_sums = 2;

  std::int32_t of_stage[most_stages] = {};

  constexpr std::int32_t stages() const {
    std::int32_t found = 0;
    while (found < most_stages && of_stage[found] > 0) {
      ++found;
    }
    return found;
  }

  /// One more stage before these.
  constexpr whole_sums behind(std::int32_t sums) const { return {{sums, of_stage[0]}}; }

  friend constexpr bool operator==(const whole_sums&, const whole_sums&) = default;
};

/// The settings of an optimizer, without their type: what its kernels are told follows from them
/// for each update. The settings must outlive it.
class optimizer_reference {
 public:
  /// `settings.numbers(update)` makes the numbers of the rule for the update with that number, the
  /// first being 1: floats and nothing else, at most `most_optimizer_numbers`.
  ///
  /// `settings.kept_at_first(slot)` makes what the numbers kept under a name are before the first
  /// update; without it they are zero.
  template <typename Settings>
  explicit optimizer_reference(const Settings& settings)
      : optimizer_reference(settings, [](const Settings& chosen, std::uint64_t update) {
          return chosen.numbers(update);
        }) {}

  /// The numbers of an update: an optimizer may make them itself, of settings that are another's.
  template <typename Optimizer, typename Settings>
  static constexpr auto numbers_of(const Settings& settings, std::uint64_t update) {
    if constexpr (requires { Optimizer::numbers(settings, update); }) {
      return Optimizer::numbers(settings, update);
    } else {
      return settings.numbers(update);
    }
  }

  /// The same of an optimizer that may make the numbers itself.
  template <typename Optimizer, typename Settings>
  static optimizer_reference of(const Settings& settings) {
    return {settings, [](const Settings& chosen, std::uint64_t update) {
              return numbers_of<Optimizer>(chosen, update);
            }};
  }

  /// [most_optimizer_numbers]
  void write(std::uint64_t update, float* to) const { write_(settings_, update, to); }

  float kept_at_first(std::string_view slot) const { return kept_at_first_(settings_, slot); }

 private:
  template <typename Settings, typename Maker>
  optimizer_reference(const Settings& settings, Maker)
      : settings_(&settings),
        write_([](const void* object, std::uint64_t update, float* to) {
          const auto made = Maker()(*static_cast<const Settings*>(object), update);
          static_assert(sizeof(made) % sizeof(float) == 0 &&
                            sizeof(made) <= most_optimizer_numbers * sizeof(float),
                        "ipu_dsl: the numbers of an optimizer are at most 16 floats");
          std::memcpy(to, &made, sizeof(made));
        }),
        kept_at_first_([](const void* object, std::string_view slot) -> float {
          if constexpr (requires(const Settings& chosen) { chosen.kept_at_first(slot); }) {
            return static_cast<const Settings*>(object)->kept_at_first(slot);
          } else {
            return 0;
          }
        }) {}

  const void* settings_;
  void (*write_)(const void* settings, std::uint64_t update, float* to);
  float (*kept_at_first_)(const void* settings, std::string_view slot);
};

/// No update: a gradient is summed, and that is all. The rule of an optimizer whose update is
/// elementwise has the same members:
///
///   struct my_rule {
///     static constexpr int kept = 1;    // numbers kept beside each of the parameter
///     struct numbers { float rate; };   // floats, made by the host for an update
///     template <typename Math, typename Vector>
///     [[gnu::always_inline]] static void apply(Vector& w, Vector* kept, const Vector& gradient,
///                                              const numbers& of_update);
///   };
///
/// `Vector` is a float or a vector of them. `Math` has what every processor rounds alike:
/// `multiply_add(a, b, c)`, `divide(a, b)`, `square_root(a)`, and exactly `maximum(a, b)`,
/// `minimum(a, b)`, `magnitude(a)`, `sign(a)` and `choose(condition, a, b)` of a comparison; sums
/// and products are written with + and *. Padding, which is zero, must stay zero.
///
/// A rule that must know the whole parameter first says what is summed over it, and adds to the
/// sums of a stage, to which padding must add nothing. What they come to is taken into the numbers
/// of the stages behind it and of `apply`:
///
///     static constexpr whole_sums sums{{1}};
///     template <int Stage, typename Math, typename Vector>
///     [[gnu::always_inline]] static void add(Vector* sums, const Vector& w, const Vector* kept,
///                                            const Vector& gradient, const numbers& of_update);
///     template <int Stage>
///     static void take(numbers& of_update, const double* sums);
struct no_update {
  static constexpr int kept = 0;

  struct numbers {};
};

/// What a rule sums up first.
template <typename Rule>
constexpr whole_sums sums_of() {
  if constexpr (requires { Rule::sums; }) {
    return Rule::sums;
  } else {
    return {};
  }
}

/// a b, rounded whatever becomes of it: what a rule hands to another, which may add to it, must not
/// become one instruction with that on some processors.
template <typename Math, typename Vector>
[[gnu::always_inline]] inline Vector rounded_product(const Vector& a, const Vector& b) {
  return Math::multiply_add(a, b, Vector(0.0F));
}

/// A rule around another: clips the gradient to [-limit, limit], takes from the parameter what it
/// loses to decay, or both, and then is that rule.
template <typename Rule, bool Clips, bool Decays>
struct adapted_rule {
  static constexpr int kept = Rule::kept;

  struct numbers {
    typename Rule::numbers of_rule;
    float limit = 0;
    float keep_weight = 1;
  };

  static constexpr whole_sums sums = sums_of<Rule>();

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    w = decayed<Math>(w, of_update);
    Rule::template apply<Math>(w, kept_beside, clipped<Math>(gradient, of_update),
                               of_update.of_rule);
  }

  template <int Stage, typename Math, typename Vector>
  [[gnu::always_inline]] static void add(Vector* to, const Vector& w, const Vector* kept_beside,
                                         const Vector& gradient, const numbers& of_update) {
    Rule::template add<Stage, Math>(to, decayed<Math>(w, of_update), kept_beside,
                                    clipped<Math>(gradient, of_update), of_update.of_rule);
  }

  template <int Stage>
  static void take(numbers& of_update, const double* totals) {
    Rule::template take<Stage>(of_update.of_rule, totals);
  }

 private:
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector clipped(const Vector& gradient, const numbers& of_update) {
    if constexpr (Clips) {
      const Vector limit(of_update.limit);
      // In this order what is not a number stays what it is.
      return Math::minimum(limit, Math::maximum(Vector(-of_update.limit), gradient));
    } else {
      return gradient;
    }
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector decayed(const Vector& w, const numbers& of_update) {
    if constexpr (Decays) {
      return rounded_product<Math>(Vector(of_update.keep_weight), w);
    } else {
      return w;
    }
  }
};

/// A rule around another, which gets the gradient of a parameter scaled down to a norm of at most
/// `limit`.
template <typename Rule>
struct norm_clipped_rule {
  static constexpr int kept = Rule::kept;
  static constexpr whole_sums sums = sums_of<Rule>().behind(1);

  struct numbers {
    typename Rule::numbers of_rule;
    float limit = 0;
    float factor = 1;  ///< of this parameter, once its norm is known
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    Rule::template apply<Math>(w, kept_beside, scaled<Math>(gradient, of_update),
                               of_update.of_rule);
  }

  template <int Stage, typename Math, typename Vector>
  [[gnu::always_inline]] static void add(Vector* to, const Vector& w, const Vector* kept_beside,
                                         const Vector& gradient, const numbers& of_update) {
    if constexpr (Stage == 0) {
      to[0] = Math::multiply_add(gradient, gradient, to[0]);
    } else {
      Rule::template add<Stage - 1, Math>(to, w, kept_beside, scaled<Math>(gradient, of_update),
                                          of_update.of_rule);
    }
  }

  template <int Stage>
  static void take(numbers& of_update, const double* totals) {
    if constexpr (Stage == 0) {
      const double norm = elementary::square_root(totals[0]);
      const auto limit = static_cast<double>(of_update.limit);
      // A norm that is not a number leaves the gradient what it is.
      of_update.factor = norm > limit ? static_cast<float>(limit / norm) : 1.0F;
    } else {
      Rule::template take<Stage - 1>(of_update.of_rule, totals);
    }
  }

 private:
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector scaled(const Vector& gradient, const numbers& of_update) {
    return rounded_product<Math>(Vector(of_update.factor), gradient);
  }
};

/// What keeps the moving average of a parameter, beside what its optimizer keeps.
inline constexpr std::string_view average_slot = "average";

/// A rule around another: keeps a moving average of what the parameter becomes, behind what the
/// other rule keeps.
template <typename Rule>
struct averaged_rule {
  static constexpr int kept = Rule::kept + 1;
  static constexpr whole_sums sums = sums_of<Rule>();

  struct numbers {
    typename Rule::numbers of_rule;
    float keep_average = 0;
    float take_weight = 1;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    Rule::template apply<Math>(w, kept_beside, gradient, of_update.of_rule);
    Vector& average = kept_beside[Rule::kept];
    average = Math::multiply_add(Vector(of_update.take_weight), w,
                                 Vector(of_update.keep_average) * average);
  }

  template <int Stage, typename Math, typename Vector>
  [[gnu::always_inline]] static void add(Vector* to, const Vector& w, const Vector* kept_beside,
                                         const Vector& gradient, const numbers& of_update) {
    Rule::template add<Stage, Math>(to, w, kept_beside, gradient, of_update.of_rule);
  }

  template <int Stage>
  static void take(numbers& of_update, const double* totals) {
    Rule::template take<Stage>(of_update.of_rule, totals);
  }
};

}  // namespace ipu_dsl
