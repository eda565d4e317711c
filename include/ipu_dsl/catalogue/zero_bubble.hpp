// SPDX-License-Identifier: MIT
// 1F1B with the backward in halves: weight gradients wait for nobody but their input gradient, so
// that they fill the time in which 1F1B waits.
#pragma once

#include <string_view>

#include <ipu_dsl/catalogue/chunk_rows.hpp>
#include <ipu_dsl/catalogue/one_stage_a_device.hpp>
#include <ipu_dsl/core/list.hpp>

namespace ipu_dsl {

/// What the two schedules share: one chunk a device. `Derived` brings `name` and `pace`.
template <typename Derived>
struct zero_bubble_schedule : one_stage_a_device<Derived>, chunk_schedule<Derived> {
  static constexpr list<int> groups(int, int micro_batches) { return {micro_batches}; }
};

/// Zero Bubble's first schedule by hand: the memory of 1F1B's first device on every device, and a
/// third of its bubble when forward, input and weight gradient take as long.
///
/// From p micro-batches on, with stages that take F, I and W each, the flush bubble is
/// (p - 1) max(F, I, F + I - W) and the span bubble (p - 1) max(I, F + I - W).
struct zb_h1 : zero_bubble_schedule<zb_h1> {
  static constexpr std::string_view name = "zb-h1";

  static constexpr chunk_pace pace(int devices, int, int device, int) {
    return {devices - 1 - device, device};
  }
};

/// Zero Bubble's second schedule by hand: twice the memory, and no device waits between its first
/// and its last action if weight gradients fill the gaps (I <= F and F + I <= 2 W). Devices start
/// and end one after the other, so that the bubble is gone only for those who start the next run at
/// once.
///
/// From 2 p - 1 micro-batches on the flush bubble is (p - 1) max(F, I - F, F + I - 2 W) and the
/// span bubble (p - 1) max(0, I - F, F + I - 2 W).
struct zb_h2 : zero_bubble_schedule<zb_h2> {
  static constexpr std::string_view name = "zb-h2";

  static constexpr chunk_pace pace(int devices, int, int device, int) {
    return {2 * (devices - 1 - device), 2 * device};
  }
};

}  // namespace ipu_dsl
