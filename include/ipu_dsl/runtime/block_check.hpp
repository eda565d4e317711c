// SPDX-License-Identifier: MIT
// Runs a planned program, and each of its calls once more for every block of it, on private memory
// in which everything that the call did not declare is poison.
// Over 300 lines: one run, from a program to its blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/runtime/continued_sums.hpp>
#include <ipu_dsl/runtime/copied_call.hpp>
#include <ipu_dsl/runtime/execution_table.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// A program with what its calls declare.
struct declared_program {
  program_plan_view plan;
  list<kernel_code> functions;
  list_view<buffer> buffers;
  access_view accesses;
  list_view<label> places;  ///< by call: whose it is, for a sentence
  std::int32_t batch = 1;
  std::int32_t replicas = 1;
};

/// What was run block by block.
struct block_count {
  std::int64_t calls = 0;
  std::int64_t blocks = 0;
  std::int64_t elements = 0;  ///< whose bits were compared
};

/// Executes one program on the calling thread, in the order of its proof, replicas in turn. Every
/// call runs as always. Then, for each block that a tile of the machine would compute, the whole
/// kernel runs again on private memory that holds what the call declares to read for this block and
/// poison elsewhere: the elements of the block must have the same bits. So the kernels that run are
/// those of the simulated tiles, and a declaration that is wrong is found. Each call runs twice
/// more for what it leaves alone, and what sums up gradients three times over known sums.
class block_check {
 public:
  /// `tiles` of each device, of which each replica has its own; of a call with more blocks than
  /// `most_blocks` so many of them. Throws `error` if either is less than one.
  block_check(const declared_program& program, const region_set& memory, std::int64_t tiles,
              std::int64_t most_blocks)
      : program_(program),
        table_(program.plan, program.functions, memory, 1, program.replicas),
        tiles_(tiles),
        most_blocks_(most_blocks),
        at_hand_(program.accesses, program.batch) {
    if (tiles < 1 || most_blocks < 1) {
      raise_error({"A device has at least 1 tile, and at least 1 block of a call is checked, got ",
                   tiles, " and ", most_blocks, "."});
    }
  }

  /// One run: all micro-batches, and the update if the program has one. Ends with the first fault.
  void run(const run_context& context) {
    table_.tell_values(context.values);
    for (const execution_step& step : table_.row(0)) {
      // What replicas share is done once, in full, where the part of the first stands.
      if (!step.shared || step.replica == 0) {
        run_context local = context;
        tell(local, step, table_.replicas());
        perform(step, local);
      }
    }
  }

  const block_count& count() const { return count_; }

  /// The first call that is not as it declares, as a sentence; empty if there is none.
  const std::string& fault() const { return fault_; }

 private:
  /// A call that has written sums of gradients.
  struct summed {
    const std::byte* address;
    std::size_t call;
  };

  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

  void perform(const execution_step& step, run_context context) {
    summed_.clear();
    for (const resolved_call& resolved : table_.calls(step)) {
      if (!fault_.empty()) {
        return;
      }
      call_ = at(resolved.number);
      resolved_ = &resolved;
      context_ = context;
      tell(context_, resolved, context.loss_scale);
      perform(step.what.micro_batch);
    }
  }

  const call& row() const { return program_.plan.calls[call_]; }

  const buffer& buffer_of(std::int32_t operand) const {
    const auto entry = at(row().first_operand + operand);
    return program_.buffers[at(program_.plan.operands[entry])];
  }

  void perform(std::int32_t micro_batch) {
    operands_.clear();
    for (std::int32_t i = 0; i < resolved_->operands; ++i) {
      operands_.push_back(table_.address(resolved_->first_operand + i, micro_batch));
    }
    for (context_.step = 0; context_.step < resolved_->steps && fault_.empty(); ++context_.step) {
      perform_step();
    }
  }

  void perform_step() {
    const auto code = at(program_.plan.code_of_call[call_]);
    const bool exchanges = program_.plan.codes[code].transfer != transfer_kind::none;
    if (exchanges || row().writes == 0) {
      resolved_->run(context_, operands_.data(), resolved_->scalars);
      return;
    }
    at_hand_.keep(program_.accesses.calls[call_], operands_, context_.step,
                  [this](std::int32_t operand) -> const buffer& { return buffer_of(operand); });
    resolved_->run(context_, operands_.data(), resolved_->scalars);
    ++count_.calls;
    poison_scalars();
    check_untouched();
    for (std::int32_t nest = 0; nest < at_hand_.nests() && fault_.empty(); ++nest) {
      check_nest(nest);
    }
    if (fault_.empty()) {
      check_sums();
    }
  }

  /// What the call left where it does not declare to write is what was there, whatever that was.
  void check_untouched() {
    const std::vector<std::vector<bool>> written = at_hand_.declared(true);
    refuse_written(written, [this](const operand_memory& memory, std::int64_t i) {
      return memory.kept(i) || at_hand_.shares_its_place(memory);
    });
    // The very value that lay there is another one on the copies: of all that is not read, so that
    // what is computed is what the session computes; then of what is read as well.
    const std::vector<std::vector<bool>> read = at_hand_.declared(false);
    at_hand_.restore();
    poison_beside(written, read);
    run_on_copies();
    refuse_written(written, [&](const operand_memory& memory, std::int64_t i) {
      return read[number_of(memory)][at(i)] || memory.poisoned(i);
    });
    refuse_padding();
    at_hand_.poison();
    run_on_copies();
    refuse_written(written,
                   [](const operand_memory& memory, std::int64_t i) { return memory.poisoned(i); });
  }

  std::size_t number_of(const operand_memory& memory) {
    return static_cast<std::size_t>(&memory - at_hand_.memories().data());
  }

  /// Poisons what is neither declared to be written nor to be read.
  void poison_beside(const std::vector<std::vector<bool>>& written,
                     const std::vector<std::vector<bool>>& read) {
    for (operand_memory& memory : at_hand_.memories()) {
      const std::size_t number = number_of(memory);
      for (std::int64_t i = 0; i < memory.elements(); ++i) {
        if (!written[number][at(i)] && !read[number][at(i)]) {
          memory.poison(i);
        }
      }
    }
  }

  /// What lies behind a row stays zero, as layers that read whole vectors expect it.
  void refuse_padding() {
    for (const operand_access& access : at_hand_.accesses()) {
      if (fault_.empty() && !at_hand_.memory_of(access).keeps_padding()) {
        refuse(access, "writes other numbers than zero behind the elements of a row", "");
      }
    }
  }

  template <typename Kept>
  void refuse_written(const std::vector<std::vector<bool>>& written, const Kept& kept) {
    for (const operand_access& access : at_hand_.accesses()) {
      const operand_memory& memory = at_hand_.memory_of(access);
      const std::vector<bool>& marks = written[number_of(memory)];
      for (std::int64_t i = 0; i < memory.elements() && fault_.empty(); ++i) {
        if (!marks[at(i)] && !kept(memory, i)) {
          refuse(access, "writes elements that it does not declare to write", "");
        }
      }
    }
  }

  /// A weight gradient goes on from the sums of earlier micro-batches where it is told so, and
  /// only there. Once an update, of the call that is the first of its action to write them.
  void check_sums() {
    if (row().phase != call_phase::weight_gradient || context_.continues || context_.step > 0) {
      return;
    }
    for (const operand_access& access : at_hand_.accesses()) {
      const bool sums = buffer_of(access.operand).role == buffer_role::accumulator;
      if (sums && access.mode != access_mode::read && fault_.empty() && is_first_to_sum(access)) {
        const std::string_view found =
            continued_sums(at_hand_, access).find(*resolved_, context_, scalars_);
        if (!found.empty()) {
          refuse(access, std::string(found), "");
        }
      }
    }
  }

  /// Whether no call of the action did before.
  bool is_first_to_sum(const operand_access& access) {
    const std::byte* const address = at_hand_.memory_of(access).address();
    const auto same = [&](const summed& each) {
      return each.address == address && each.call != call_;
    };
    const bool first = std::none_of(summed_.begin(), summed_.end(), same);
    summed_.push_back({address, call_});
    return first;
  }

  void check_nest(std::int32_t nest) {
    const nest_map map(at_hand_.axes(), nest, tiles_);
    const std::int64_t blocks = map.blocks() < most_blocks_ ? map.blocks() : most_blocks_;
    for (std::int64_t i = 0; i < blocks && fault_.empty(); ++i) {
      // The first and the last, and others between them.
      const std::int64_t tile = blocks == 1 ? 0 : i * (map.blocks() - 1) / (blocks - 1);
      const std::string which =
          ", block " + std::to_string(tile) + " of " + std::to_string(map.blocks());
      check_block(nest, at_hand_.at_step(map.block_of(tile)), which);
      ++count_.blocks;
    }
  }

  void check_block(std::int32_t nest, const nest_block& block, const std::string& which) {
    run_block(nest, block, nullptr);
    const operand_access* const wrong = first_disagreement(nest, block);
    if (wrong == nullptr) {
      return;
    }
    if (reads_scalar_not_given(nest, block)) {
      refuse("reads a scalar that its rule does not give it by .scalar(...)" + which);
      return;
    }
    for (const operand_access& access : at_hand_.accesses()) {
      run_block(nest, block, &access);
      if (first_disagreement(nest, block) == nullptr) {
        refuse(access, "reads elements that it does not declare to read", which);
        return;
      }
    }
    refuse(*wrong, "does not compute all elements from what it declares to read", which);
  }

  /// Whether it is the numbers that no rule gives a kernel that make a difference.
  bool reads_scalar_not_given(std::int32_t nest, const nest_block& block) {
    const float* const poisoned = scalars_;
    scalars_ = resolved_->scalars;
    run_block(nest, block, nullptr);
    scalars_ = poisoned;
    return first_disagreement(nest, block) == nullptr;
  }

  /// The numbers that a kernel is given beside its operands; what no rule gives is poison.
  void poison_scalars() {
    for (std::int32_t i = 0; i < 2; ++i) {
      told_[i] =
          i < row().given_scalars ? resolved_->scalars[i] : std::numeric_limits<float>::quiet_NaN();
    }
    scalars_ = told_;
  }

  /// The kernel on private memory, with all of one operand revealed if there is such.
  void run_block(std::int32_t nest, const nest_block& block, const operand_access* revealed) {
    at_hand_.poison();
    for (const operand_access& access : at_hand_.accesses()) {
      if (access.nest == nest && access.mode != access_mode::write) {
        operand_memory& memory = at_hand_.memory_of(access);
        at_hand_.for_each_reached(access, block,
                                  [&memory](std::int64_t element) { memory.reveal(element); });
      }
    }
    if (revealed != nullptr) {
      at_hand_.memory_of(*revealed).reveal_all();
    }
    run_on_copies();
  }

  void run_on_copies() { at_hand_.run(*resolved_, context_, scalars_); }

  /// What the block writes and the call did not write so, or null.
  const operand_access* first_disagreement(std::int32_t nest, const nest_block& block) {
    for (const operand_access& access : at_hand_.accesses()) {
      if (access.nest != nest || access.mode == access_mode::read) {
        continue;
      }
      bool agrees = true;
      const operand_memory& memory = at_hand_.memory_of(access);
      at_hand_.for_each_reached(access, block, [&](std::int64_t element) {
        agrees = agrees && memory.agrees(element);
        ++count_.elements;
      });
      if (!agrees) {
        return &access;
      }
    }
    return nullptr;
  }

  void refuse(const operand_access& access, const std::string& what, const std::string& which) {
    refuse(what + ", of operand " + std::to_string(access.operand) + ", " +
           name_of(buffer_of(access.operand).role) + " of " +
           std::string(describe(access.extents).view()) + which);
  }

  void refuse(const std::string& what) {
    fault_ = std::string(program_.places[call_].view()) + ": the kernel " + what + ".";
  }

  static std::string name_of(buffer_role role) {
    switch (role) {
      case buffer_role::value:
        return "a value";
      case buffer_role::gradient:
      case buffer_role::contribution:
        return "a gradient";
      case buffer_role::accumulator:
        return "an accumulator";
      case buffer_role::optimizer_slot:
        return "an optimizer slot";
      case buffer_role::parameter_sums:
        return "sums";
      case buffer_role::scratch:
        break;
    }
    return "scratch";
  }

  declared_program program_;
  execution_table table_;
  std::int64_t tiles_;
  std::int64_t most_blocks_;
  block_count count_;
  std::string fault_;

  // The call at hand.
  std::size_t call_ = 0;
  const resolved_call* resolved_ = nullptr;
  run_context context_;
  std::vector<void*> operands_;
  float told_[2] = {};
  const float* scalars_ = nullptr;  ///< of the runs on copies
  copied_call at_hand_;
  std::vector<summed> summed_;  ///< in the action at hand
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
