// SPDX-License-Identifier: MIT
// The distinct kernels of a program of a compiled model. They ask nothing of memory or proof, so
// that who only compiles kernels pays for neither.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/code_table.hpp>
#include <ipu_dsl/plan/unproven_programs.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// How many distinct kernels a program calls.
template <compiled_model C, program_kind Kind>
inline constexpr std::size_t kernel_count_of =
    distinct_code(calls_of<C, Kind>().calls).distinct.size();

/// The distinct kernels and which of them each call is; for the compiler alone, as they point to
/// families.
template <compiled_model C, program_kind Kind>
inline constexpr frozen_code_table<calls_of<C, Kind>().calls.size(), kernel_count_of<C, Kind>>
    distinct_kernels_of{distinct_code(calls_of<C, Kind>().calls)};

/// The same as it is known at run time.
template <compiled_model C, program_kind Kind>
inline constexpr named_code_table<calls_of<C, Kind>().calls.size(), kernel_count_of<C, Kind>>
    named_kernels_of{distinct_kernels_of<C, Kind>};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
