// SPDX-License-Identifier: MIT
// From the plan back to code for tiles: what each distinct kernel of a program is there.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <ipu_dsl/operators/tile_activation.hpp>
#include <ipu_dsl/operators/tile_dense.hpp>
#include <ipu_dsl/operators/tile_elementwise.hpp>
#include <ipu_dsl/operators/tile_results.hpp>
#include <ipu_dsl/operators/tile_sgd.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/runtime/tile_executor.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Null for a family without.
template <const family* Family>
consteval tile_jobs_function tile_jobs_of() {
  if constexpr (has_tile_operators<Family>) {
    return &tile_operators<Family>::jobs;
  } else {
    return nullptr;
  }
}

/// By distinct kernel of the program.
template <std::size_t Count>
struct tile_code_table {
  tile_jobs_function code[Count + 1] = {};

  constexpr std::span<const tile_jobs_function> view() const { return {code, Count}; }
};

/// Built by a consteval function, so that its list of indices is part of no emitted name.
template <compiled_model C, program_kind Kind>
consteval auto make_tile_code() {
  constexpr std::size_t count = plan_sizes_of<C, Kind>.codes;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    constexpr const auto& codes = frozen_plan_of<C, Kind>.codes;
    return tile_code_table<count>{{tile_jobs_of<codes[I].rule>()..., nullptr}};
  }(std::make_index_sequence<count>());
}

/// The code of a compiled model's program for a `tile_executor`.
template <compiled_model C, program_kind Kind>
inline constexpr tile_code_table<plan_sizes_of<C, Kind>.codes> tile_code_of =
    make_tile_code<C, Kind>();

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
