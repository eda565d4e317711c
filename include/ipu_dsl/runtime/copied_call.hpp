// SPDX-License-Identifier: MIT
// A call with what lay in its operands before it, and copies of them on which its kernel runs
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/runtime/execution_step.hpp>
#include <ipu_dsl/runtime/operand_memory.hpp>
#include <ipu_dsl/runtime/reached_elements.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The call at hand of a run: operands that are one buffer share one memory. What is written in
/// place of what is read has one of its own here, so that each is seen for itself.
class copied_call {
 public:
  /// One of a program whose calls access `all`.
  copied_call(const access_view& all, std::int32_t batch) : all_(all), batch_(batch) {}

  /// Keeps what lies in the operands before the call; `buffer_of(operand)` says how.
  template <typename BufferOf>
  void keep(const call_access& declared, const std::vector<void*>& operands, std::int32_t step,
            const BufferOf& buffer_of) {
    declared_ = declared;
    step_ = step;
    memories_.clear();
    buffers_.clear();
    memory_of_operand_.assign(operands.size(), 0);
    for (const operand_access& access : accesses()) {
      const auto operand = static_cast<std::size_t>(access.operand);
      const buffer* const of = &buffer_of(access.operand);
      std::size_t found = 0;
      while (found < memories_.size() &&
             !(memories_[found].address() == operands[operand] && buffers_[found] == of)) {
        ++found;
      }
      if (found == memories_.size()) {
        memories_.emplace_back(operands[operand], *of, access.samples > 0,
                               access.mode == access_mode::read, batch_);
        buffers_.push_back(of);
      }
      memory_of_operand_[operand] = found;
    }
    copies_.clear();
    for (const std::size_t memory : memory_of_operand_) {
      copies_.push_back(memories_[memory].copy());
    }
  }

  list_view<operand_access> accesses() const { return operands_of(all_, declared_); }

  std::int32_t nests() const { return declared_.nests; }

  list_view<access_axis> axes() const { return axes_of(all_, declared_); }

  std::vector<operand_memory>& memories() { return memories_; }

  operand_memory& memory_of(const operand_access& access) {
    return memories_[memory_of_operand_[static_cast<std::size_t>(access.operand)]];
  }

  /// Whether another buffer lies where this one does: the call writes one in place of the other.
  bool shares_its_place(const operand_memory& memory) const {
    std::size_t there = 0;
    for (const operand_memory& each : memories_) {
      there += each.address() == memory.address() ? std::size_t{1} : std::size_t{0};
    }
    return there > 1;
  }

  /// A block of the step at hand.
  nest_block at_step(nest_block block) const {
    const list_view<access_axis> along = axes();
    for (std::size_t i = 0; i < along.size(); ++i) {
      if (along[i].step) {
        block.ranges[i] = {step_, step_ + 1};
      }
    }
    return block;
  }

  /// All iterations of all nests, of the step at hand.
  nest_block whole_block() const {
    nest_block made;
    const list_view<access_axis> along = axes();
    for (std::size_t i = 0; i < along.size(); ++i) {
      made.ranges[i] = {0, along[i].extent};
    }
    return at_step(made);
  }

  /// Calls `visit` with the number of every element of an operand that a block reaches.
  template <typename Visit>
  void for_each_reached(const operand_access& access, const nest_block& block,
                        const Visit& visit) const {
    ipu_dsl::for_each_reached(all_, access, block, batch_, visit);
  }

  /// By memory: the elements that the call declares to write, or those that it declares to read.
  std::vector<std::vector<bool>> declared(bool written) {
    std::vector<std::vector<bool>> marks;
    for (const operand_memory& memory : memories_) {
      marks.emplace_back(static_cast<std::size_t>(memory.elements()), false);
    }
    for (const operand_access& access : accesses()) {
      if (access.mode == access_mode::update || written == (access.mode == access_mode::write)) {
        std::vector<bool>& of_memory =
            marks[memory_of_operand_[static_cast<std::size_t>(access.operand)]];
        for_each_reached(access, whole_block(), [&of_memory](std::int64_t element) {
          of_memory[static_cast<std::size_t>(element)] = true;
        });
      }
    }
    return marks;
  }

  /// All elements of all copies become poison.
  void poison() {
    for (operand_memory& memory : memories_) {
      memory.poison();
    }
  }

  /// The copies are what lay there before the call.
  void restore() {
    for (operand_memory& memory : memories_) {
      memory.reveal_all();
    }
  }

  /// The kernel on the copies.
  void run(const resolved_call& resolved, const run_context& context, const float* scalars) {
    resolved.run(context, copies_.data(), scalars);
  }

 private:
  access_view all_;
  std::int32_t batch_;
  call_access declared_;
  std::int32_t step_ = 0;
  std::vector<void*> copies_;
  std::vector<operand_memory> memories_;
  std::vector<const buffer*> buffers_;  ///< by memory
  std::vector<std::size_t> memory_of_operand_;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
