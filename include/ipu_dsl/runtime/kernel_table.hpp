// SPDX-License-Identifier: MIT
// From the plan back to code: something for each distinct kernel of a program.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/plan/compile.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <typename Entry, std::size_t Count>
struct kernel_table {
  Entry entries[Count + 1] = {};

  constexpr list_view<Entry> view() const { return {entries, Count}; }

  template <std::integral Index>
  constexpr const Entry& operator[](Index kernel) const {
    return entries[kernel];
  }
};

/// What `What` makes of a distinct kernel of a program.
template <compiled_model C, program_kind Kind, typename What, std::size_t Kernel>
consteval typename What::entry entry_of() {
  constexpr const auto& code = distinct_kernels_of<C, Kind>.distinct[Kernel];
  return What::template of<code.rule, key_of<code.rule, takes_key<code.rule>(code.key)>(code.key),
                           code.ending>();
}

/// Built by a consteval function, so that its long list of indices is part of no emitted name.
template <compiled_model C, program_kind Kind, typename What>
consteval auto make_kernel_table() {
  constexpr std::size_t count = kernel_count_of<C, Kind>;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return kernel_table<typename What::entry, count>{{entry_of<C, Kind, What, I>()..., {}}};
  }(std::make_index_sequence<count>());
}

/// By distinct kernel of a program, what `What::of<family, key, ending>()` makes of it, a
/// `What::entry`.
template <compiled_model C, program_kind Kind, typename What>
inline constexpr kernel_table<typename What::entry, kernel_count_of<C, Kind>> kernel_table_of =
    make_kernel_table<C, Kind, What>();

/// What keeps a kernel from being called, told by its family. What exchanges with whoever runs the
/// program is ours, and not there for a predictor.
struct kernel_fault {
  using entry = problem;

  template <const family* Family, auto Call, const family* Ending>
  static consteval entry of() {
    problem found;
    if constexpr (transfer_of(*Family) == transfer_kind::none) {
      found = find<Family, Call, Ending>();
    }
    if (found.found()) {
      found.where = label("the family ") << Family->name;
    }
    return found;
  }

 private:
  template <const family* Family, auto Call, const family* Ending>
  static consteval problem find() {
    if constexpr (!has_operators<Family>) {
      return refuse("code for every family of layers", "none for this one",
                    "specialise operators<&its family> before a session or a predictor is made");
    } else if constexpr (!names_its_key<Family>) {
      return refuse("code that says what it is instantiated for", "none of that kind",
                    "in operators<&its family> write using key = the struct that its rules give "
                    "to emit.call");
    } else if constexpr (std::is_same_v<decltype(Call), const unknown_key>) {
      return refuse("code for what the family's rules give to emit.call",
                    label() << "code for " << type_name<typename operators<Family>::key>(),
                    "let operators<&its family>::key name the same struct");
    } else if constexpr (!has_kernel<Family, Call, Ending>) {
      return refuse("code that can be called as a kernel", "none of that kind",
                    "write template <key Call> static void run(const run_context&, void* const* "
                    "operands, const float* scalars) noexcept");
    } else if constexpr (!runs_silently<Family, Call, Ending>) {
      return refuse("code that is noexcept, since only a feed may throw", "run that may throw",
                    "say noexcept behind the parameters of operators<...>::run");
    } else {
      return {};
    }
  }
};

/// The first kernel of a program that cannot be called, as a problem.
template <compiled_model C, program_kind Kind>
consteval problem fault_of_kernels() {
  for (const problem& found : make_kernel_table<C, Kind, kernel_fault>().entries) {
    if (found.found()) {
      return found;
    }
  }
  return {};
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
