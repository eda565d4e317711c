// SPDX-License-Identifier: MIT
// How an optimizer moves one number of a parameter, as kernels know it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// The floats that an optimizer's kernels may be told for an update: rates, decays.
inline constexpr std::size_t most_optimizer_numbers = 12;

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

  /// The same of an optimizer that may make the numbers itself, of settings that are another's.
  template <typename Optimizer, typename Settings>
  static optimizer_reference of(const Settings& settings) {
    if constexpr (requires { Optimizer::numbers(settings, std::uint64_t{1}); }) {
      return {settings, [](const Settings& chosen, std::uint64_t update) {
                return Optimizer::numbers(chosen, update);
              }};
    } else {
      return optimizer_reference(settings);
    }
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
                        "ipu_dsl: the numbers of an optimizer are at most 12 floats");
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
struct no_update {
  static constexpr int kept = 0;

  struct numbers {};
};

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

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    Vector taken = gradient;
    if constexpr (Clips) {
      const Vector limit(of_update.limit);
      // In this order what is not a number stays what it is.
      taken = Math::minimum(limit, Math::maximum(Vector(-of_update.limit), gradient));
    }
    if constexpr (Decays) {
      w = Vector(of_update.keep_weight) * w;
    }
    Rule::template apply<Math>(w, kept_beside, taken, of_update.of_rule);
  }
};

}  // namespace ipu_dsl
