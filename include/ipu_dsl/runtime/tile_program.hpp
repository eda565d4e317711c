// SPDX-License-Identifier: MIT
// From the plan back to code for tiles: what each distinct kernel of a program is there.
#pragma once

#include <ipu_dsl/operators/tile_activation.hpp>
#include <ipu_dsl/operators/tile_dense.hpp>
#include <ipu_dsl/operators/tile_elementwise.hpp>
#include <ipu_dsl/operators/tile_results.hpp>
#include <ipu_dsl/operators/tile_sgd.hpp>
#include <ipu_dsl/runtime/kernel_table.hpp>
#include <ipu_dsl/runtime/tile_executor.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The code of a kernel for tiles; null for a family without.
struct code_for_tiles {
  using entry = tile_jobs_function;

  template <const family* Family, call_signature>
  static consteval entry of() {
    if constexpr (has_tile_operators<Family>) {
      return &tile_operators<Family>::jobs;
    } else {
      return nullptr;
    }
  }
};

/// The code of a compiled model's program for a `tile_executor`.
template <compiled_model C, program_kind Kind>
inline constexpr const auto& tile_code_of = kernel_table_of<C, Kind, code_for_tiles>;

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
