// SPDX-License-Identifier: MIT
// From the plan back to code: something for each distinct kernel of a program.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <ipu_dsl/plan/compile.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <typename Entry, std::size_t Count>
struct kernel_table {
  Entry entries[Count + 1] = {};

  constexpr std::span<const Entry> view() const { return {entries, Count}; }

  constexpr const Entry& operator[](std::size_t kernel) const { return entries[kernel]; }
};

/// Built by a consteval function, so that its long list of indices is part of no emitted name.
template <compiled_model C, program_kind Kind, typename What>
consteval auto make_kernel_table() {
  constexpr std::size_t count = plan_sizes_of<C, Kind>.codes;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    constexpr const auto& codes = planned_program_of<C, Kind>.codes;
    return kernel_table<typename What::entry, count>{
        {What::template of<codes[I].rule, codes[I].signature>()..., {}}};
  }(std::make_index_sequence<count>());
}

/// By distinct kernel of a program, what `What::of<family, signature>()` makes of it, a
/// `What::entry`.
template <compiled_model C, program_kind Kind, typename What>
inline constexpr kernel_table<typename What::entry, plan_sizes_of<C, Kind>.codes> kernel_table_of =
    make_kernel_table<C, Kind, What>();

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
