// SPDX-License-Identifier: MIT
// From the plan back to code: something for each distinct kernel of a program.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
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

/// What is wrong with the code of a call.
struct code_fault {
  problem found;
  bool has_no_code = false;  ///< for what the family's rules give to emit.call
};

/// What keeps a kernel from being called, told by its family. What exchanges with whoever runs the
/// program is ours, and not there for a predictor.
struct kernel_fault {
  using entry = code_fault;

  template <const family* Family, auto Call, const family* Ending>
  static consteval entry of() {
    entry made;
    if constexpr (fault_of_ending<Ending>().found()) {
      made.found = fault_of_ending<Ending>();
      made.found.where = label("the family ") << Ending->name;
    } else if constexpr (transfer_of(*Family) == transfer_kind::none) {
      made.found = find<Family, Call, Ending>();
      made.found.where = label("the family ") << Family->name;
      made.has_no_code =
          !has_operators<Family> || std::is_same_v<decltype(Call), const unknown_key>;
    }
    return made;
  }

 private:
  /// What is wrong with the rule of the optimizer that a call ends with.
  template <const family* Ending>
  static constexpr problem fault_of_ending() {
    if constexpr (has_operators<Ending> && names_its_key<Ending>) {
      return fault_in_rule<Ending, typename operators<Ending>::key{}>();
    } else {
      return {};
    }
  }

  // A kernel of a rule that cannot be called is not even looked at: its body would be compiled.
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
    } else if constexpr (fault_in_rule<Family, Call>().found()) {
      return fault_in_rule<Family, Call>();
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

/// What is missing is said of the rule where code is there for every rule.
constexpr problem say_of_rule(const code_fault& fault, const call_key& key) {
  if (!fault.has_no_code || key.joined_by().empty()) {
    return fault.found;
  }
  problem found = refuse(label("a specialisation of ") << key.joined_by() << " for it", "none",
                         text<191>("in front of compile<...> write template <> struct ipu_dsl::")
                             << key.joined_by() << "<&your_family> { using type = your_rule; };");
  found.where = fault.found.where;
  return found;
}

/// The first kernel of a program that cannot be called, as a problem.
template <compiled_model C, program_kind Kind>
consteval problem fault_of_kernels() {
  constexpr auto table = make_kernel_table<C, Kind, kernel_fault>();
  for (std::size_t i = 0; i < kernel_count_of<C, Kind>; ++i) {
    if (table.entries[i].found.found()) {
      return say_of_rule(table.entries[i], distinct_kernels_of<C, Kind>.distinct[i].key);
    }
  }
  return {};
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
