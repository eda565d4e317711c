// SPDX-License-Identifier: MIT
// Where the family of an optimizer meets its rule.
#pragma once

#include <concepts>

#include <ipu_dsl/core/update_rule.hpp>
#include <ipu_dsl/graph/family.hpp>

namespace ipu_dsl {

/// The rule of an optimizer, specialised in its own header; that of no optimizer, or of one whose
/// update is not elementwise, is `no_update`.
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
  requires(Optimizer->adapted.clips || Optimizer->adapted.decays)
struct update_rule<Optimizer> {
  static constexpr adapted_update adapted = Optimizer->adapted;
  using type = adapted_rule<typename update_rule<adapted.of>::type, adapted.clips, adapted.decays>;
};

/// Whether an optimizer's update is elementwise and known.
template <const family* Optimizer>
concept updates_elementwise = !std::same_as<typename update_rule<Optimizer>::type, no_update>;

}  // namespace ipu_dsl
