// SPDX-License-Identifier: MIT
// What a functional model may call beside single layers and models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/model/at_steps.hpp>

namespace ipu_dsl {

/// What deals its inputs to its parts gives each as many as it takes, or none at all.
constexpr problem check_dealt(const layer_record& record, list_view<std::int32_t> inputs) {
  const element& dealer = dealer_in(*record.source);
  const std::size_t wanted = static_cast<std::size_t>(dealer.deals_inputs) * dealer.parts.size();
  const std::size_t given = inputs.size() - 1;
  if (wanted == 0 || given == 0 || given == wanted) {
    return {};
  }
  return refuse(how_many(wanted, "initial state") << " behind the sequence, or none",
                label() << given,
                "those of the way from the first step, then those of the way from the last");
}

/// The name that `named` gives what a call names: that of the one layer in a sequence as well.
constexpr std::string_view own_name(const element& piece) {
  const bool is_alone = piece.kind == element_kind::sequence && piece.parts.size() == 1;
  if (piece.kind == element_kind::foreign) {
    return {};
  }
  return is_alone && piece.name.empty() ? own_name(*piece.parts[0]) : piece.name;
}

/// What is called by one name has no other.
constexpr problem check_call_name(const element& piece, std::string_view name) {
  const std::string_view own = own_name(piece);
  if (own.empty() || own == name) {
    return {};
  }
  return refuse("one name", label() << own << " in named<...> and " << name << " in the call",
                "leave one of them out");
}

/// Layers in combinators are called on one tensor; stages are told by `stage`.
constexpr problem check_combinator(const layer_record& record, list_view<std::int32_t> inputs) {
  const element& piece = *record.source;
  if (piece.kind == element_kind::stage || piece.kind == element_kind::pipeline) {
    return refuse("a layer", describe(piece),
                  "write build.stage(1) and call its layers one by one");
  }
  if (piece.kind == element_kind::sequence && piece.parts.size() > 1 && !record.name.empty()) {
    return refuse("a name for a layer", describe(piece), "name its layers");
  }
  if (takes_call(piece) && !inputs.empty()) {
    return check_dealt(record, inputs);
  }
  if (inputs.size() != 1) {
    return refuse("1 input", label() << inputs.size(),
                  "join them before it, with Add or Concatenate");
  }
  return {};
}

}  // namespace ipu_dsl
