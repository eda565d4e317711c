// SPDX-License-Identifier: MIT
// What the rules of all families need to know of the program that they lower for.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/storage.hpp>
#include <ipu_dsl/graph/family.hpp>

namespace ipu_dsl {

/// What a program is for.
enum class program_kind : std::uint8_t { train, evaluate, predict };

/// What a program is lowered for. Who reads tensor t within the program stands in `readers`, as
/// positions in graph_view::operands, from `first_reader[t]` to `first_reader[t + 1]`; of a
/// parameter these are its uses.
struct lowering_facts {
  program_kind program = program_kind::train;
  std::int32_t batch = 1;
  const family* optimizer = nullptr;
  std::int32_t replicas = 1;  ///< of the model, which update together
  bool fuses_updates = true;  ///< into weight gradients, where that can be
  list<std::int32_t> first_reader;
  list<std::int32_t> readers;
  list<storage> gradient_lies;  ///< by tensor
  /// By tensor: the activation that its gradient is put through where it is written; linear: none.
  list<activation_kind> put_through;
  /// By tensor: the activation behind it, if that is applied where the tensor would have been
  /// written, as nobody else reads it; linear: none.
  list<activation_kind> applied;
  /// And what is written then, the output of that activation; -1: the tensor itself.
  list<std::int32_t> applied_to;
  /// By position of an input in graph_view::operands: the output of the same node in whose gradient
  /// that of the input lies, as nothing has to be made of it; -1: it is written.
  list<std::int32_t> handed_on;

  constexpr std::int32_t reader_count(std::int32_t tensor) const {
    const auto index = static_cast<std::size_t>(tensor);
    return first_reader[index + 1] - first_reader[index];
  }
};

}  // namespace ipu_dsl
