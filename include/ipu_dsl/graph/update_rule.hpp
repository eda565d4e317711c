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

/// Whether an optimizer's update is elementwise and known.
template <const family* Optimizer>
concept updates_elementwise = !std::same_as<typename update_rule<Optimizer>::type, no_update>;

}  // namespace ipu_dsl
