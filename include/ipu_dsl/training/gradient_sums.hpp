// SPDX-License-Identifier: MIT
// The gradients of an update, complete before it: what the update would sum is summed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/program_plan_view.hpp>
#include <ipu_dsl/runtime/regions.hpp>

namespace ipu_dsl {

/// The accumulators of all uses of parameters: those of first uses come first.
class gradient_sums {
 public:
  gradient_sums(list_view<parameter_place> accumulators, const region_set& memory,
                std::int32_t replicas)
      : accumulators_(accumulators), memory_(&memory), replicas_(replicas) {}

  /// Those of first uses, one a parameter that learns.
  list_view<parameter_place> first_uses() const {
    std::size_t count = 0;
    while (count < accumulators_.size() && first_use_of(count) == count) {
      ++count;
    }
    return {accumulators_.data(), count};
  }

  /// Adds up what the update would, in its order: the replicas of each use, then the uses. The sum
  /// stands in the accumulator of the first use; the others become -0, which added to anything
  /// leaves it as it is.
  void complete() const {
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      for (std::int32_t replica = 1; replica < replicas_; ++replica) {
        move(floats(i, replica), floats(i, 0));
      }
    }
    for (std::size_t i = first_uses().size(); i < accumulators_.size(); ++i) {
      move(floats(i, 0), floats(first_use_of(i), 0));
    }
  }

 private:
  /// Of the parameter of accumulator `i`.
  std::size_t first_use_of(std::size_t i) const {
    const tensor& wanted = accumulators_[i].stored;
    std::size_t first = 0;
    while (accumulators_[first].stored.owner != wanted.owner ||
           accumulators_[first].stored.name != wanted.name) {
      ++first;
    }
    return first;
  }

  std::span<float> floats(std::size_t i, std::int32_t replica) const {
    const parameter_place& place = accumulators_[i];
    std::byte* const begin = memory_->at({.region = place.region, .offset = place.offset}, replica);
    return {reinterpret_cast<float*>(begin), place.floats};
  }

  static void move(std::span<float> from, std::span<float> to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[i] += from[i];
      from[i] = -0.0F;
    }
  }

  list_view<parameter_place> accumulators_;
  const region_set* memory_;
  std::int32_t replicas_;
};

/// Refuses an update without gradients.
[[noreturn]] inline void refuse_missing_gradients() {
  raise_error(
      "There are no gradients to apply: compute_gradients comes first, and an update uses them "
      "up.");
}

/// Refuses what would lose gradients that have been computed.
[[noreturn]] inline void refuse_unapplied_gradients(const char* wanted) {
  raise_error({"There are gradients that are not applied yet, and ", wanted,
               " would lose them: call apply_gradients before."});
}

}  // namespace ipu_dsl
