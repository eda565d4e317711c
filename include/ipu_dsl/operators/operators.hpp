// SPDX-License-Identifier: MIT
// Where a family meets its code.
#pragma once

#include <concepts>
#include <cstdint>

#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/partition.hpp>
#include <ipu_dsl/graph/call.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/layout/architecture.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What an operator is told besides its operands. It must not depend on anything else: not on the
/// worker, the device or the time.
struct run_context {
  std::int32_t micro_batch = 0;  ///< within the run
  bool continues = false;        ///< gradients add to those of earlier micro-batches
  bool completes = false;        ///< gradients are those of the last micro-batch of the update
  bool training = false;
  std::uint64_t seed = 0;          ///< of the session
  std::uint64_t first_sample = 0;  ///< how many samples came before this micro-batch
  std::uint32_t micro_batch_size = 0;
  std::uint64_t stream = 0;          ///< of the random numbers of the call's node
  float loss_scale = 1;              ///< what a sample's loss counts
  const float* optimizer = nullptr;  ///< the optimizer's numbers: learning rate, momentum, ...
  feed_reference* feed = nullptr;    ///< where features and labels come from
  std::int32_t* valid = nullptr;     ///< [micro-batches] samples that the feed gave
  float* loss = nullptr;             ///< [micro-batches] scaled sum of the samples' losses
  std::int32_t* hits = nullptr;      ///< [micro-batches] samples whose class was found
  float* output = nullptr;           ///< [samples, elements] for predict
  grain part = {};                   ///< what of the output to compute, where calls have grains

  constexpr std::int32_t valid_samples() const { return valid[micro_batch]; }
};

/// A kernel with its operands' addresses: first what it writes, then what it reads. Only the infeed
/// may throw, because its feed may.
using kernel_function = void (*)(const run_context& context, void* const* operands,
                                 const float* scalars);

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

/// What a program knows of a distinct kernel.
struct kernel_code {
  kernel_function run = nullptr;
  bool in_grains = false;
};

/// An operand as numbers.
inline float* floats(void* operand) {
  return static_cast<float*>(operand);
}

inline std::int32_t* integers(void* operand) {
  return static_cast<std::int32_t*>(operand);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
