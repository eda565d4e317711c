// SPDX-License-Identifier: MIT
// Where a family meets its code.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/graph/attributes.hpp>
#include <ipu_dsl/graph/call.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/layout/architecture.hpp>
#include <ipu_dsl/operators/final_value.hpp>
#include <ipu_dsl/operators/run_context.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The code of a family. Specialise it for a family of your own:
///
///   template <>
///   struct operators<&my_family> {
///     using key = my_call;
///     template <my_call Call>
///     static void run(const run_context&, void* const* operands, const float* scalars) noexcept;
///   };
///
/// `my_call` is the plain struct that the family's rules put into their calls. A family whose calls
/// can be shared by several workers says so:
///
///     template <my_call Call>
///     static constexpr bool in_grains = true;
///
/// and computes the part of the output that `run_context::part` tells, each element as it would be
/// computed alone. What reads more of what the call before it wrote than the same part says so:
///
///     template <my_call Call>
///     static constexpr bool reads_all_parts = true;
template <const family* Family>
struct operators;

/// Whether the family has code.
template <const family* Family>
concept has_operators = requires { sizeof(operators<Family>); };

/// Whether the code of a family says what it is instantiated for.
template <const family* Family>
concept names_its_key = requires { typename operators<Family>::key; };

/// What the rules of a family put into a call, where its code does not know that.
struct unknown_key {};

/// Whether the code of a family takes what its rules put into a call.
template <const family* Family>
consteval bool takes_key(const call_key& packed) {
  if constexpr (names_its_key<Family>) {
    return packed.is<typename operators<Family>::key>();
  } else {
    return false;
  }
}

/// What a call is instantiated for, as the family's own struct if its code takes that.
template <const family* Family, bool Taken>
consteval auto key_of(const call_key& packed) {
  if constexpr (Taken) {
    return packed.as<typename operators<Family>::key>();
  } else {
    return unknown_key{};
  }
}

/// The kernel of a call. What ends with an update is told with which.
template <const family* Family, auto Call, const family* Ending>
consteval auto kernel_of() noexcept {
  if constexpr (is_null(Ending)) {
    return &operators<Family>::template run<Call>;
  } else {
    return &operators<Family>::template run<Call, Ending>;
  }
}

template <const family* Family, auto Call>
concept has_plain_kernel =
    requires(const run_context& context, void* const* operands, const float* scalars) {
      { operators<Family>::template run<Call>(context, operands, scalars) } -> std::same_as<void>;
    };

template <const family* Family, auto Call, const family* Ending>
concept has_ending_kernel =
    requires(const run_context& context, void* const* operands, const float* scalars) {
      {
        operators<Family>::template run<Call, Ending>(context, operands, scalars)
      } -> std::same_as<void>;
    };

/// Whether there is one, which can be called as kernels are.
template <const family* Family, auto Call, const family* Ending>
concept has_kernel = (is_null(Ending) && has_plain_kernel<Family, Call>) ||
                     (!is_null(Ending) && has_ending_kernel<Family, Call, Ending>);

/// Whether a kernel cannot throw, as far as it has to say so: that of a feed may.
template <const family* Family, auto Call, const family* Ending>
concept runs_silently =
    transfer_of(*Family) != transfer_kind::none ||
    noexcept(kernel_of<Family, Call, Ending>()(run_context{}, nullptr, nullptr));

/// What is wrong with the rule that the code of a family is made for, where it says so as `template
/// <key Call> static constexpr problem fault()`; nothing otherwise.
template <const family* Family, auto Call>
constexpr problem fault_in_rule() {
  if constexpr (requires { operators<Family>::template fault<Call>(); }) {
    return operators<Family>::template fault<Call>();
  } else {
    return {};
  }
}

/// Whether the calls of a kernel can be shared by several workers.
template <const family* Family, auto Call>
consteval bool has_grains() {
  if constexpr (requires { operators<Family>::template in_grains<Call>; }) {
    return operators<Family>::template in_grains<Call>;
  } else {
    return false;
  }
}

/// Whether a part of a kernel's call reads what all parts of a call before it have written.
template <const family* Family, auto Call>
consteval bool has_dependent_grains() {
  if constexpr (requires { operators<Family>::template reads_all_parts<Call>; }) {
    return operators<Family>::template reads_all_parts<Call>;
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

/// What a loss or a metric counts.
inline double* doubles(void* operand) {
  return static_cast<double*>(operand);
}

/// What makes the number that is reported of a node: what its family's code says as `static double
/// final_value(std::span<const double>)`, which may be a template of the node's options, or else
/// the mean.
template <const family* Family, attributes Options = attributes{}>
consteval final_value_function final_value_of() {
  if constexpr (requires { &operators<Family>::template final_value<Options>; }) {
    return &operators<Family>::template final_value<Options>;
  } else if constexpr (requires { &operators<Family>::final_value; }) {
    return &operators<Family>::final_value;
  } else {
    return &mean_of;
  }
}

/// What makes the numbers of a metric that reports several: what its family's code says as `static
/// void final_values(std::span<const double> counted, double* reported)`, or null.
template <const family* Family>
consteval final_values_function final_values_of() {
  if constexpr (requires { &operators<Family>::final_values; }) {
    return &operators<Family>::final_values;
  } else {
    return nullptr;
  }
}

/// How many numbers are reported of what counts so many: what the code of its family says as
/// `static constexpr std::int32_t reported(std::int32_t counted)`, or else one.
template <const family* Family>
consteval std::int32_t reported_of(std::int32_t counted) {
  if constexpr (requires { operators<Family>::reported(counted); }) {
    return operators<Family>::reported(counted);
  } else {
    return 1;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
