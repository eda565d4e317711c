// SPDX-License-Identifier: MIT
// Which calls are the same code: the distinct families and keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/call.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/schedule/frozen.hpp>

namespace ipu_dsl {

/// A kernel to instantiate: `operators<rule>::run<key>`, or `run<key, ending>`.
struct code {
  const family* rule = nullptr;
  call_key key;
  const family* ending = nullptr;  ///< see emitted_call

  friend constexpr bool operator==(const code& left, const code& right) {
    return same_address(left.rule, right.rule) && left.key == right.key &&
           same_address(left.ending, right.ending);
  }
};

/// What is left of a distinct kernel when a program runs: enough to name it.
struct kernel_name {
  std::string_view family;
  call_key key;
  transfer_kind transfer = transfer_kind::none;
};

/// Of a kernel, for the compiler: it reads the family.
constexpr kernel_name name_of(const code& kernel) {
  return {kernel.rule->name, kernel.key, transfer_of(*kernel.rule)};
}

struct code_table {
  list<code> distinct;
  list<std::int32_t> of_call;  ///< by call
};

/// The same in static storage.
template <std::size_t Calls, std::size_t Kernels>
struct frozen_code_table {
  frozen_list<code, Kernels> distinct;
  frozen_list<std::int32_t, Calls> of_call;

  constexpr explicit frozen_code_table(const code_table& made)
      : distinct(freeze_list<Kernels>(made.distinct)), of_call(freeze_list<Calls>(made.of_call)) {}
};

/// The same without families, of which only the compiler knows: the rules of families would be
/// compiled into every program that has it.
template <std::size_t Calls, std::size_t Kernels>
struct named_code_table {
  frozen_list<kernel_name, Kernels> distinct;
  frozen_list<std::int32_t, Calls> of_call;

  constexpr explicit named_code_table(const frozen_code_table<Calls, Kernels>& known)
      : of_call(known.of_call) {
    for (std::size_t i = 0; i < Kernels; ++i) {
      distinct.elements[i] = name_of(known.distinct.elements[i]);
    }
  }
};

/// A hash of the key alone: pointers have no value during constant evaluation.
constexpr std::size_t hash_of(const call_key& key) {
  std::uint64_t hash = 14695981039346656037U;
  const auto mix = [&hash](std::int32_t word) {
    hash = (hash ^ static_cast<std::uint32_t>(word)) * 1099511628211U;
  };
  for (std::size_t word = 0; word < key.size(); ++word) {
    mix(key[word]);
  }
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

/// Numbers the distinct code of `calls` in order of first use, by open addressing: a search
/// through all of it for every call would be quadratic.
constexpr code_table distinct_code(list_view<emitted_call> calls) {
  code_table made;
  std::size_t places = 16;
  while (places < 2 * calls.size()) {
    places *= 2;
  }
  list<std::int32_t> entry(places, -1);
  for (const emitted_call& row : calls) {
    const code wanted{row.code, row.key, row.ending};
    std::size_t place = hash_of(row.key) & (places - 1);
    while (entry[place] >= 0 && !(made.distinct[entry[place]] == wanted)) {
      place = (place + 1) & (places - 1);
    }
    if (entry[place] < 0) {
      entry[place] = static_cast<std::int32_t>(made.distinct.size());
      made.distinct.push_back(wanted);
    }
    made.of_call.push_back(entry[place]);
  }
  return made;
}

}  // namespace ipu_dsl
