// SPDX-License-Identifier: MIT
// In which order a micro-batch meets the work of the stages, and which of it each kind of action
// does: the one place that knows that a whole backward is two halves.
#pragma once

#include <cstdint>

#include <ipu_dsl/schedule/action.hpp>

namespace ipu_dsl {

/// An action of every micro-batch: the kind of work of one stage.
struct step {
  int stage = 0;
  action_kind kind = action_kind::forward;

  friend constexpr bool operator==(const step&, const step&) = default;
};

/// What an action is to the edges of its stage, in the order of a micro-batch's life. Whole and
/// split backward are brought together: a whole backward both begins and ends the stage's backward,
/// an input gradient begins it, a weight gradient ends it.
enum class step_role : std::uint8_t { forward, recompute, backward_begin, backward_end };

/// Roles a stage; the row of a role in a table is stage x this + role.
inline constexpr int step_roles = 4;

constexpr int role_row(int stage, step_role role) {
  return stage * step_roles + static_cast<int>(role);
}

// What follows is by kind of action. Arrays and not functions, because every call costs steps of
// constant evaluation. The entries of kinds that use no edges are not looked at, unless said.

/// The first role, in which an action writes; it reads in all of its roles.
inline constexpr step_role first_role[action_kinds] = {
    step_role::forward,      step_role::backward_begin, step_role::backward_begin,
    step_role::backward_end, step_role::recompute,      step_role::forward,
    step_role::forward,      step_role::forward};

/// The last role, after which what an action read is free.
inline constexpr step_role last_role[action_kinds] = {
    step_role::forward,      step_role::backward_end, step_role::backward_begin,
    step_role::backward_end, step_role::recompute,    step_role::forward,
    step_role::forward,      step_role::forward};

/// Whether the action begins a backward; false for kinds that use no edges.
inline constexpr bool begins_backward[action_kinds] = {false, true, true};

/// Whether the action ends one, and so adds to the gradients of the stage; likewise.
inline constexpr bool ends_backward[action_kinds] = {false, true, false, true};

/// By role: the kind that does this and no more.
inline constexpr action_kind part_of_role[step_roles] = {
    action_kind::forward, action_kind::recompute, action_kind::input_gradient,
    action_kind::weight_gradient};

/// The last of the parts that an action consists of: a whole backward ends with its weight
/// gradient, the others are parts themselves.
constexpr action_kind last_part(action_kind kind) {
  const int index = static_cast<int>(kind);
  return uses_edges(kind) ? part_of_role[static_cast<int>(last_role[index])] : kind;
}

/// Whether an action does the work of a step; a whole backward does that of both halves.
constexpr bool does(const action& what, const step& work) {
  const int done = static_cast<int>(what.kind);
  const int wanted = static_cast<int>(work.kind);
  if (what.stage != work.stage || !uses_edges(what.kind) || !uses_edges(work.kind)) {
    return what.stage == work.stage && what.kind == work.kind;
  }
  return first_role[done] <= first_role[wanted] && last_role[wanted] <= last_role[done];
}

/// How the backwards of a program are done. In `halves` all input gradients of a stage come before
/// all of its weight gradients, and what both need is kept from the one to the other; whole ones go
/// node by node, which keeps less.
enum class backward_form : std::uint8_t { whole, halves };

/// Whether a kind of action is a backward, or a part of one, as programs of the form have it.
constexpr bool is_backward_of(action_kind kind, backward_form form) {
  const int index = static_cast<int>(kind);
  const bool both = begins_backward[index] && ends_backward[index];
  const bool either = begins_backward[index] || ends_backward[index];
  return either && both == (form == backward_form::whole);
}

// Positions number the steps in an order in which a micro-batch can meet them: F0, F1, ..., then
// recomputation and beginning of the backward of the last stage down to those of stage 0, then the
// ends of the backwards alike.

constexpr int positions_of(int stages) {
  return step_roles * stages;
}

/// The position of an action's first role; -1 for kinds that use no edges.
constexpr int position_of(const step& what, int stages) {
  const int from_last = stages - 1 - what.stage;
  switch (uses_edges(what.kind) ? first_role[static_cast<int>(what.kind)] : step_role{step_roles}) {
    case step_role::forward:
      return what.stage;
    case step_role::recompute:
      return stages + 2 * from_last;
    case step_role::backward_begin:
      return stages + 2 * from_last + 1;
    case step_role::backward_end:
      return 3 * stages + from_last;
  }
  return -1;
}

/// The step at a position, of a program whose backwards have the form.
constexpr step step_at(int position, int stages, backward_form form) {
  if (position < stages) {
    return {position, action_kind::forward};
  }
  if (position >= 3 * stages) {
    return {4 * stages - 1 - position, action_kind::weight_gradient};
  }
  const int stage = stages - 1 - (position - stages) / 2;
  if ((position - stages) % 2 == 0) {
    return {stage, action_kind::recompute};
  }
  return {stage,
          form == backward_form::whole ? action_kind::backward : action_kind::input_gradient};
}

}  // namespace ipu_dsl
