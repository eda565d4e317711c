// SPDX-License-Identifier: MIT
// What `stage_code` declares: one function for each distinct kernel that a stage is the first to
// call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/operators/library.hpp>
#include <ipu_dsl/runtime/kernel_table.hpp>
#include <ipu_dsl/training/stage_code.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The function of a kernel, and whether workers can share a call of it.
struct host_code {
  using entry = kernel_code;

  template <const family* Family, auto Call, const family* Ending>
  static consteval entry of() {
    return {kernel_of<Family, Call, Ending>(), has_grains<Family, Call>(),
            has_dependent_grains<Family, Call>()};
  }
};

/// The distinct kernels of a program, ordered by the stage that is the first to call them.
template <std::size_t Kernels, std::size_t Stages>
struct kernels_by_stage {
  std::int32_t kernels[Kernels + 1] = {};
  std::int32_t first[Stages + 1] = {};

  constexpr list_view<std::int32_t> of(std::int32_t stage) const {
    return {kernels + first[stage], first[stage + 1] - first[stage]};
  }
};

/// Of the kernels of a stage those of lower numbers come first.
template <compiled_model C, program_kind Kind>
consteval auto sort_kernels() {
  constexpr list_view<emitted_call> calls = calls_of<C, Kind>().calls;
  constexpr list_view<std::int32_t> kernel_of_call = distinct_kernels_of<C, Kind>.of_call.view();
  constexpr std::size_t count = kernel_count_of<C, Kind>;
  // By distinct kernel its first stage; every kernel is called.
  std::int32_t stages[count + 1] = {};
  for (std::int32_t& stage : stages) {
    stage = C::stages - 1;
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::int32_t& stage = stages[kernel_of_call[i]];
    stage = calls[i].stage < stage ? calls[i].stage : stage;
  }
  kernels_by_stage<count, C::stages> sorted;
  for (std::size_t kernel = 0; kernel < count; ++kernel) {
    ++sorted.first[stages[kernel] + 1];
  }
  for (std::int32_t stage = 0; stage < C::stages; ++stage) {
    sorted.first[stage + 1] += sorted.first[stage];
  }
  std::int32_t next[C::stages] = {};
  for (std::size_t kernel = 0; kernel < count; ++kernel) {
    const std::int32_t stage = stages[kernel];
    sorted.kernels[sorted.first[stage] + next[stage]++] = static_cast<std::int32_t>(kernel);
  }
  return sorted;
}

template <compiled_model C, program_kind Kind>
inline constexpr auto sorted_kernels_of = sort_kernels<C, Kind>();

/// The functions of a stage's kernels. Built by a consteval function, so that its long list of
/// indices is part of no emitted name.
template <compiled_model C, program_kind Kind, std::int32_t Stage>
consteval auto make_stage_table() {
  constexpr std::size_t count = sorted_kernels_of<C, Kind>.of(Stage).size();
  return []<std::size_t... I>(std::index_sequence<I...>) {
    constexpr list_view<std::int32_t> kernels = sorted_kernels_of<C, Kind>.of(Stage);
    return kernel_table<kernel_code, sizeof...(I)>{
        {entry_of<C, Kind, host_code, static_cast<std::size_t>(kernels[I])>()..., {}}};
  }(std::make_index_sequence<count>());
}

/// What is wrong with the number of a stage.
template <compiled_model C, std::int32_t Stage>
struct stage_number_fault_of {
  static constexpr problem find() {
    problem found;
    if (Stage < 0 || Stage >= C::stages) {
      found = refuse(label("a stage from 0 to ") << C::stages - 1, label() << Stage,
                     "declare and instantiate stage_code once for each stage");
      found.where = "stage_code";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// The code of the kernels that a stage is the first to call in a program; none of a program that
/// a model without a loss does not have.
template <compiled_model C, program_kind Kind, std::int32_t Stage>
some_functions functions_of_stage() {
  static_assert(diagnose<stage_number_fault_of<C, Stage>>());
  if constexpr (0 <= Stage && Stage < C::stages &&
                (Kind == program_kind::predict || C::settings.has_loss)) {
    static constexpr auto table = make_stage_table<C, Kind, Stage>();
    return {sorted_kernels_of<C, Kind>.of(Stage), table.view()};
  } else {
    return {};
  }
}

// Outside of the class: a member that is defined within it is inline and compiled everywhere.

template <compiled_model Compiled, std::int32_t Stage>
some_functions stage_code<Compiled, Stage>::train() {
  return functions_of_stage<typename Compiled::compiled, program_kind::train, Stage>();
}

template <compiled_model Compiled, std::int32_t Stage>
some_functions stage_code<Compiled, Stage>::evaluate() {
  return functions_of_stage<typename Compiled::compiled, program_kind::evaluate, Stage>();
}

template <compiled_model Compiled, std::int32_t Stage>
some_functions stage_code<Compiled, Stage>::predict() {
  return functions_of_stage<typename Compiled::compiled, program_kind::predict, Stage>();
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
