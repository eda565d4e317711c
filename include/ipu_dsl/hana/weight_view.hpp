// SPDX-License-Identifier: MIT
// Opt-in: one weight of a session or of predictors, with extents that the compiler knows.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/fixed_length.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/type_name.hpp>

namespace ipu_dsl {

/// What is wrong with what a weight is to be copied to or from.
template <shape Extents, typename Values, bool AreFloats>
struct weight_copy_fault_of {
  static constexpr problem find() {
    problem found;
    if (!AreFloats) {
      found = refuse("floats one behind the other", type_name<std::remove_const_t<Values>>(),
                     "a std::array, a std::vector or a span of float");
    } else if (!fits()) {
      found = refuse(label() << Extents.elements() << " values of shape " << describe(Extents),
                     label() << length());
    }
    found.where = "a copy of the weight";
    return found;
  }

  static constexpr std::size_t length() {
    if constexpr (AreFloats && fixed_length_range<Values>) {
      return static_length_of<Values>;
    }
    return std::dynamic_extent;
  }

  static constexpr bool fits() {
    return length() == std::dynamic_extent ||
           length() == static_cast<std::size_t>(Extents.elements());
  }

  static constexpr problem value = find();
};

/// What is wrong with values for the weights of what is const.
template <typename Held>
struct constant_weight_fault_of {
  static constexpr problem find() {
    problem found;
    if (std::is_const_v<Held>) {
      found = refuse("a session or weights that may be changed", "those of a const");
      found.where = "set of a weight";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// One weight of a session or of predictors, which it refers to: its extents are part of the type,
/// its values are copied, in the order of its extents; inside they lie in panels.
template <shape Extents, typename Held>
class weight_view {
 public:
  static constexpr shape extents = Extents;

  /// How many values it has.
  static constexpr std::size_t size = static_cast<std::size_t>(Extents.elements());

  constexpr weight_view(Held& held, std::size_t number) : held_(&held), number_(number) {}

  /// "logits/kernel"
  std::string name() const { return held_->name(number_); }

  /// A copy of its values.
  std::vector<float> get() const {
    std::vector<float> values(size);
    held_->get(number_, values);
    return values;
  }

  /// Copies them where a span of floats goes. Another number of values is a compile error where
  /// the compiler knows it, and otherwise an `error`; nothing is written then.
  template <typename Values>
  void get(Values&& values) const {
    constexpr bool floats = std::convertible_to<Values, std::span<float>>;
    if constexpr (check_copy<std::remove_reference_t<Values>, floats>()) {
      held_->get(number_, std::span<float>(values));
    }
  }

  /// Copies values in; the same is refused, and nothing is changed then.
  template <typename Values>
  void set(const Values& values) const {
    constexpr bool floats = std::convertible_to<const Values&, std::span<const float>>;
    static_assert(diagnose<constant_weight_fault_of<Held>>());
    if constexpr (check_copy<const Values, floats>() && !std::is_const_v<Held>) {
      held_->set(number_, std::span<const float>(values));
    }
  }

 private:
  /// Whether there is something to copy; if there is not, it has been said.
  template <typename Values, bool AreFloats>
  static constexpr bool check_copy() {
    using found = weight_copy_fault_of<Extents, Values, AreFloats>;
    return diagnose<found>() && !found::value.found();
  }

  Held* held_;
  std::size_t number_;
};

/// What stands in for a weight whose name was refused, so that the one sentence stays the only
/// error.
struct refused_weight {
  static constexpr shape extents{};
  static constexpr std::size_t size = 1;

  std::string name() const { return {}; }

  std::vector<float> get() const { return {}; }

  template <typename Values>
  void get(Values&&) const {}

  template <typename Values>
  void set(const Values&) const {}
};

}  // namespace ipu_dsl
