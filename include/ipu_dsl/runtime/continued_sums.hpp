// SPDX-License-Identifier: MIT
// Whether a call that sums up gradients starts anew and goes on as it is told, over sums that are
// known.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <ipu_dsl/runtime/copied_call.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// A call whose operand `access` is a sum of gradients over the micro-batches of an update. Its
/// kernel runs three times on copies: as that of the first micro-batch over poison and over known
/// sums, which must make no difference, and as that of a later one over the same sums, which must
/// leave them and the gradient.
class continued_sums {
 public:
  continued_sums(copied_call& at_hand, const operand_access& access)
      : at_hand_(&at_hand), memory_(&at_hand.memory_of(access)) {
    at_hand.for_each_reached(access, at_hand.whole_block(),
                             [this](std::int64_t element) { elements_.push_back(element); });
  }

  /// What the kernel does not do, or nothing.
  std::string_view find(const resolved_call& resolved, run_context context, const float* scalars) {
    // Where a gradient is complete it may end in an update instead.
    context.completes = false;
    context.continues = false;
    const std::vector<float> anew = run(resolved, context, scalars);
    note_sums(anew);
    const std::vector<float> over_sums = run(resolved, context, scalars);
    context.continues = true;
    const std::vector<float> onwards = run(resolved, context, scalars);
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      if (std::bit_cast<std::uint32_t>(anew[i]) != std::bit_cast<std::uint32_t>(over_sums[i])) {
        return "does not start anew where context.continues is false";
      }
      if (std::isfinite(anew[i]) && !is_sum(onwards[i], sums_[i], anew[i])) {
        return "does not add to the sums that it finds where context.continues is true";
      }
    }
    return {};
  }

 private:
  std::vector<float> run(const resolved_call& resolved, const run_context& context,
                         const float* scalars) {
    at_hand_->restore();
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      if (sums_.empty()) {
        memory_->poison(elements_[i]);
      } else {
        memory_->put(elements_[i], sums_[i]);
      }
    }
    at_hand_->run(resolved, context, scalars);
    std::vector<float> left;
    for (const std::int64_t element : elements_) {
      left.push_back(memory_->number(element));
    }
    return left;
  }

  /// Sums that differ from their neighbours and beside which the gradients are small: by how much
  /// these are rounded, on whatever way the kernel adds them, is then smaller still.
  void note_sums(const std::vector<float>& gradients) {
    float largest = 1;
    for (const float gradient : gradients) {
      largest = std::isfinite(gradient) ? std::fmax(largest, std::fabs(gradient)) : largest;
    }
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      sums_.push_back(largest * static_cast<float>(8 + i % 7) * beside_gradients);
    }
  }

  /// To an eighth of the difference between two neighbours.
  static bool is_sum(float found, float before, float gradient) {
    return std::fabs(found - (before + gradient)) <= before / 128;
  }

  static constexpr float beside_gradients = 4096;

  copied_call* at_hand_;
  operand_memory* memory_;
  std::vector<std::int64_t> elements_;
  std::vector<float> sums_;  ///< by element, once they are known
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
