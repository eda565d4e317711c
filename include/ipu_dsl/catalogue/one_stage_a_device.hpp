// SPDX-License-Identifier: MIT
// What schedules share that give every stage a device of its own.
#pragma once

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

/// Stage s on device s, any number of micro-batches. `Derived` brings `name` and `make`, and hides
/// `fits` if it asks for more.
template <typename Derived>
struct one_stage_a_device : placed_schedule<Derived> {
  static constexpr problem fits(int devices, int stages, int) {
    return rules::stages_a_device(Derived::name, devices, stages, 1);
  }

  static constexpr list<int> place(int devices, int stages) {
    return neighbouring_placement(devices, stages);
  }
};

}  // namespace ipu_dsl
