// SPDX-License-Identifier: MIT
// A call while a family's rule writes it down: its axes, what it writes, what it reads.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <ipu_dsl/graph/buffer_index.hpp>
#include <ipu_dsl/graph/call.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// The newest call of a program. First come its axes, then what it writes, then what it reads:
///
///   call_draft call = emit.call(key);
///   const auto [sample, unit] = call.over(key.batch, key.units);
///   const axis_id input = call.all(key.inputs);
///   call.writes(emit.output_value(0), {sample, unit})
///       .reads(emit.input_value(0), {sample, input})
///       .reads(emit.parameter_value(0), {input, unit});
///
/// The kernel gets its operands in this order. Of an operand without reaches it takes all, and then
/// runs on one tile.
class call_draft {
 public:
  constexpr call_draft(const graph_view& model, buffer_index& index, call_list& made,
                       std::int64_t batch)
      : model_(&model), index_(&index), made_(&made), batch_(batch) {}

  /// An axis that tiles may share: each iteration writes elements of its own.
  constexpr axis_id over(std::int64_t extent) { return axis(extent, true); }

  /// Two of them, the second within the first.
  constexpr axis_pair over(std::int64_t first, std::int64_t second) {
    const axis_id outer = over(first);
    return {outer, over(second)};
  }

  /// Three, each within the one before; of more each has a call of its own.
  constexpr axis_triple over(std::int64_t first, std::int64_t second, std::int64_t third) {
    const axis_pair outer = over(first, second);
    return {outer.first, outer.second, over(third)};
  }

  /// An axis that is never shared: a reduction, or what a kernel looks at in one piece.
  constexpr axis_id all(std::int64_t extent) { return axis(extent, false); }

  /// An axis whose iterations come one after the other: the kernel runs for each of them, as
  /// `run_context::step` tells, and sees what the iterations before have written. A call has one.
  constexpr axis_id steps(std::int64_t extent) {
    const axis_id made = axis(extent, false);
    newest().steps = static_cast<std::int32_t>(extent);
    if (made_->notes_accesses) {
      made_->accesses.axes.back().step = true;
    }
    return made;
  }

  /// What follows are the axes of another nest, which shares nothing with those before it but what
  /// both read.
  constexpr void beside() {
    ++nest_;
    product_ = 1;
  }

  /// Notes the first thing that is wrong with a call, which only the rule that makes it knows.
  constexpr void refuse_here(const problem& found) {
    if (!made_->fault.found()) {
      const emitted_call& row = newest();
      made_->fault = found;
      made_->fault.where =
          row.node < 0 ? label(row.code->name) : model_->place_of(model_->node_at(row.node));
    }
  }

  /// A number that the kernel is given, and no code depends on; there are two.
  constexpr call_draft& scalar(float number) {
    if (scalars_ == most_scalars) {
      refuse_here(refuse(label("at most ") << most_scalars << " scalars of a call", "one more"));
      return *this;
    }
    newest().scalars[scalars_] = number;
    ++scalars_;
    newest().given_scalars = scalars_;
    return *this;
  }

  /// The same of a number that the host gives before a run.
  constexpr call_draft& scalar(const run_value_ref& value) {
    const std::int32_t place = scalars_;
    scalar(value.start);
    if (place < most_scalars) {
      newest().run_values[place] = value.number + 1;
    }
    return *this;
  }

  /// Where the gradient is complete, the kernel ends with the update of this optimizer, of which it
  /// is told as `run<key, optimizer>`; none if it is null.
  constexpr call_draft& ends_with(const family* optimizer) {
    newest().ending = optimizer;
    return *this;
  }

  /// Every element within reach, whatever was there before.
  constexpr call_draft& writes(const buffer_ref& named, std::initializer_list<reach> at = {}) {
    return write(named, access_mode::write, at);
  }

  /// Every element within reach, which is read before: a sum that goes on.
  constexpr call_draft& updates(const buffer_ref& named, std::initializer_list<reach> at = {}) {
    return write(named, access_mode::update, at);
  }

  /// Without writing it. What another nest reads as well is one operand.
  constexpr call_draft& reads(const buffer_ref& named, std::initializer_list<reach> at = {}) {
    if (nest_ > 0 && note_again(named, at)) {
      return *this;
    }
    emitted_call& row = newest();
    if (made_->notes_accesses) {
      note(named, access_mode::read, at, row.writes + row.reads);
    }
    append(named, row.stage);
    ++row.reads;
    return *this;
  }

  /// The same where the kernel has read each element before it writes the same element of the first
  /// operand, so that the two may share their memory. `at` is what that is written at. It is heeded
  /// of the first 32 reads of a call that writes one operand, in one step.
  constexpr call_draft& reads_in_place(const buffer_ref& named, std::initializer_list<reach> at) {
    const std::int32_t before = newest().reads;
    reads(named, at);
    if (newest().reads > before && before < 32) {
      newest().in_place |= std::uint32_t{1} << before;
    }
    return *this;
  }

  /// What the call costs, where the axes do not say it.
  constexpr call_draft& costs(std::int64_t operations) {
    newest().operations = operations;
    return *this;
  }

 private:
  constexpr emitted_call& newest() { return made_->calls.back(); }

  constexpr void cost_at_least(std::int64_t operations) {
    std::int64_t& known = newest().operations;
    known = operations > known ? operations : known;
  }

  constexpr axis_id axis(std::int64_t extent, bool cut) {
    product_ *= extent;
    cost_at_least(product_);
    if (made_->notes_accesses) {
      made_->accesses.axes.push_back(
          {.extent = static_cast<std::int32_t>(extent), .cut = cut, .nest = nest_});
      call_access& noted = made_->accesses.calls.back();
      ++noted.axes;
      noted.nests = nest_ + 1;
    }
    return {.number = axes_++, .nest = nest_};
  }

  constexpr call_draft& write(const buffer_ref& named, access_mode mode,
                              std::initializer_list<reach> at) {
    emitted_call& row = newest();
    if (row.reads > 0) {
      refuse_here(refuse("a call that says first what it writes, then what it reads",
                         label("a write after a read in a rule for ") << rule_of(row.phase),
                         "the kernel finds its operands in this order"));
      return *this;
    }
    if (at.size() == 0) {
      cost_at_least(named.extents.elements() * (named.samples > 0 ? named.samples * batch_ : 1));
    }
    if (made_->notes_accesses) {
      note(named, mode, at, row.writes);
    }
    append(named, row.stage);
    ++row.writes;
    return *this;
  }

  /// Where accesses are asked for, nobody asks which buffers the other calls work on.
  constexpr void append(const buffer_ref& named, std::int32_t stage) {
    made_->operands.push_back(made_->noted.end == 0 || made_->notes_accesses
                                  ? index_->number_of(*model_, named, stage, made_->buffers)
                                  : -1);
  }

  /// Notes another access to an operand that the call reads already. Returns whether it does.
  constexpr bool note_again(const buffer_ref& named, std::initializer_list<reach> at) {
    if (made_->noted.end > 0 && !made_->notes_accesses) {
      return false;
    }
    const std::int32_t number = index_->number_of(*model_, named, newest().stage, made_->buffers);
    const emitted_call& row = newest();
    for (std::int32_t i = row.writes; i < row.writes + row.reads; ++i) {
      if (made_->operands[row.first_operand + i] == number) {
        if (made_->notes_accesses) {
          note(named, access_mode::read, at, i);
        }
        return true;
      }
    }
    return false;
  }

  /// Only where accesses are asked for.
  constexpr void note(const buffer_ref& named, access_mode mode, std::initializer_list<reach> at,
                      std::int32_t operand) {
    operand_access noted{.operand = operand,
                         .mode = mode,
                         .whole = at.size() == 0,
                         .samples = named.samples,
                         .extents = named.extents,
                         .first_reach = static_cast<std::int32_t>(made_->accesses.reaches.size()),
                         .reaches = static_cast<std::int32_t>(at.size())};
    for (const reach& each : at) {
      noted.nest = each.nest >= 0 ? each.nest : noted.nest;
      made_->accesses.reaches.push_back(each);
    }
    made_->accesses.operands.push_back(noted);
    ++made_->accesses.calls.back().operands;
  }

  static constexpr std::int32_t most_scalars = 2;

  const graph_view* model_;
  buffer_index* index_;
  call_list* made_;
  std::int64_t batch_;
  std::int64_t product_ = 1;  ///< of the axes of the nest at hand
  std::int16_t axes_ = 0;
  std::int16_t nest_ = 0;
  std::int32_t scalars_ = 0;
};

}  // namespace ipu_dsl
