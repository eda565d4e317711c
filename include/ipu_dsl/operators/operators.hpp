// SPDX-License-Identifier: MIT
// Where a family meets its code.
#pragma once

#include <concepts>
#include <cstdint>

#include <ipu_dsl/graph/call.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/layout/architecture.hpp>
#include <ipu_dsl/operators/run_context.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The code of a family. Specialise it for a family of your own:
///
///   template <>
///   struct operators<&my_family> {
///     template <call_signature Signature>
///     static void run(const run_context&, void* const* operands, const float* scalars) noexcept;
///   };
///
/// `Signature` is what the family's rules put into their calls. A family whose calls can be shared
/// by several workers says so:
///
///     template <call_signature Signature>
///     static constexpr bool in_grains = true;
///
/// and computes the part of the output that `run_context::part` tells, each element as it would be
/// computed alone.
template <const family* Family>
struct operators;

/// Whether the family has code.
template <const family* Family>
concept has_operators = requires { sizeof(operators<Family>); };

/// Whether the code of a family can be called for a signature.
template <const family* Family, call_signature Signature>
concept has_kernel =
    requires(const run_context& context, void* const* operands, const float* scalars) {
      {
        operators<Family>::template run<Signature>(context, operands, scalars)
      } -> std::same_as<void>;
    };

/// Whether the code of a signature cannot throw, as far as it has to say so: that of a feed may.
template <const family* Family, call_signature Signature>
concept runs_silently =
    transfer_of(*Family) != transfer_kind::none ||
    noexcept(operators<Family>::template run<Signature>(run_context{}, nullptr, nullptr));

/// Whether the calls of a signature can be shared by several workers.
template <const family* Family, call_signature Signature>
consteval bool has_grains() {
  if constexpr (requires { operators<Family>::template in_grains<Signature>; }) {
    return operators<Family>::template in_grains<Signature>;
  } else {
    return false;
  }
}

/// An operand as numbers.
inline float* floats(void* operand) {
  return static_cast<float*>(operand);
}

inline std::int32_t* integers(void* operand) {
  return static_cast<std::int32_t*>(operand);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
