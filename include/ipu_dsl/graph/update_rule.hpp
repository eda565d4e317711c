// SPDX-License-Identifier: MIT
// Where the family of an optimizer meets its rule.
#pragma once

#include <concepts>
#include <type_traits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/update_rule.hpp>
#include <ipu_dsl/graph/family.hpp>

namespace ipu_dsl {

/// The rule of an optimizer, specialised in its own header; that of no optimizer, or of one without
/// a rule, is `no_update`.
template <const family* Optimizer>
struct update_rule {
  using type = no_update;
};

template <>
struct update_rule<nullptr> {
  using type = no_update;
};

/// That of an optimizer that is another one adapted follows from the other's.
template <const family* Optimizer>
  requires(!is_null(Optimizer->adapted.of))
struct update_rule<Optimizer> {
  static constexpr adapted_update adapted = Optimizer->adapted;
  using by_value =
      adapted_rule<typename update_rule<adapted.of>::type, adapted.clips, adapted.decays>;
  using clipped = std::conditional_t<adapted.clips_norm, norm_clipped_rule<by_value>, by_value>;
  using type = std::conditional_t<adapted.averages, averaged_rule<clipped>, clipped>;
};

/// Whether an optimizer's update follows from a rule.
template <const family* Optimizer>
concept updates_by_rule = !std::same_as<typename update_rule<Optimizer>::type, no_update>;

}  // namespace ipu_dsl
