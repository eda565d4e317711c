// SPDX-License-Identifier: MIT
// What the actions of a schedule really do: rows of kernel calls over buffers.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/graph/access.hpp>
#include <ipu_dsl/graph/buffer_ref.hpp>
#include <ipu_dsl/graph/call_key.hpp>
#include <ipu_dsl/graph/family.hpp>
#include <ipu_dsl/graph/tensor.hpp>

namespace ipu_dsl {

/// A piece of memory that calls read and write.
struct buffer {
  buffer_role role = buffer_role::value;
  buffer_life life = buffer_life::micro_batch;
  storage lies = storage::rows;
  dtype type = dtype::float32;
  std::int32_t tensor = -1;  ///< whose value, gradient, ... it is; -1 for scratch
  std::int32_t index = 0;    ///< which slot of the optimizer, which stage of the update, which
                             ///< scratch; of a contribution and an accumulator the place in
                             ///< graph_view::operands of what its node reads or keeps
  std::int32_t stage = 0;    ///< the stage of the node that asked for it first
  std::int32_t samples = 1;  ///< of it for each sample of a micro-batch
  shape extents;             ///< of one sample, or of the whole parameter
};

/// How long what belongs to a tensor in a role lives.
constexpr buffer_life life_of(buffer_role role, const tensor& of) {
  switch (role) {
    case buffer_role::accumulator:
    case buffer_role::optimizer_slot:
      return buffer_life::persistent;
    case buffer_role::value:
      if (of.role == tensor_role::result) {
        return buffer_life::each_micro_batch;
      }
      // A value of the run has no memory.
      return per_sample(of) || of.role == tensor_role::run_value ? buffer_life::micro_batch
                                                                 : buffer_life::persistent;
    case buffer_role::contribution:
      return of.role == tensor_role::state ? buffer_life::each_micro_batch
                                           : buffer_life::micro_batch;
    case buffer_role::gradient:
    case buffer_role::parameter_sums:
    case buffer_role::scratch:
      break;
  }
  return buffer_life::micro_batch;
}

enum class call_phase : std::uint8_t { forward, input_gradient, weight_gradient, update };

/// The rule of a family that appends the calls of a phase: "input_gradient".
constexpr std::string_view rule_of(call_phase phase) {
  switch (phase) {
    case call_phase::forward:
      return "forward";
    case call_phase::input_gradient:
      return "input_gradient";
    case call_phase::weight_gradient:
      return "weight_gradient";
    case call_phase::update:
      break;
  }
  return "update";
}

/// Of which replica of a model the operands of a call are.
enum class replica_reach : std::uint8_t {
  own,    ///< of the replica that performs the call
  first,  ///< of the first, whichever performs the call or a part of it
  each    ///< operand i is that of replica i
};

/// The replica that operand `operand` of a call is of.
constexpr std::int32_t replica_of_operand(replica_reach reach, std::int32_t operand,
                                          std::int32_t performer) {
  switch (reach) {
    case replica_reach::first:
      return 0;
    case replica_reach::each:
      return operand;
    case replica_reach::own:
      break;
  }
  return performer;
}

/// One kernel call for one micro-batch (or one update). It is what runs, so that it does not say
/// whose kernel it is: whatever points to a family has all its rules compiled into the program.
struct call {
  call_key key;
  float scalars[2] = {};           ///< slopes, rates: what no code depends on
  std::int32_t given_scalars = 0;  ///< by the rule; others its kernel does not read
  /// Of each scalar: the number of the run value that it is, counted from 1; 0: none.
  std::int32_t run_values[2] = {};
  float loss_weight = 1;  ///< by which what a sample's loss counts is multiplied
  call_phase phase = call_phase::forward;
  replica_reach operands_of = replica_reach::own;
  std::int32_t node = -1;  ///< -1: of no node, such as the infeed
  std::int32_t stage = 0;
  std::int32_t first_operand = 0;  ///< what it writes, then what it reads
  std::int32_t writes = 0;
  std::int32_t reads = 0;
  std::int32_t samples = 1;     ///< that it sees of each sample of the model: see `sequence_view`
  std::int32_t steps = 1;       ///< how often its kernel runs, each time with the next step
  std::int64_t operations = 0;  ///< multiply-adds, or elements where there are none: what it costs
};

/// Whether the host tells a call something before a run.
constexpr bool reads_run_values(const call& row) {
  return row.run_values[0] != 0 || row.run_values[1] != 0;
}

/// A call as a family's rules append it.
struct emitted_call : call {
  const family* code = nullptr;
  const family* ending = nullptr;  ///< the optimizer with whose update it ends, or null
  std::uint32_t in_place = 0;  ///< bit i: the kernel reads an element of read i before it writes
                               ///< that element of the first operand, which may lie over it
};

/// The calls of one program and the buffers they work on.
struct call_list {
  list<buffer> buffers;
  list<emitted_call> calls;
  list<std::int32_t> operands;  ///< numbers of buffers
  access_list accesses;         ///< of the calls for which they are noted
  index_range noted;            ///< these calls
  bool notes_accesses = false;  ///< whether the newest is among them
  problem fault;                ///< the first thing that a rule asked for and there is not
};

}  // namespace ipu_dsl
