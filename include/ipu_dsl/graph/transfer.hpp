// SPDX-License-Identifier: MIT
// Families of the calls that no layer asks for: samples in, results out, sums at fan-out.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/family.hpp>

namespace ipu_dsl {

/// Writes the features [and labels] of the next micro-batch of the feed.
/// Extents: {batch, elements of a sample, has labels}.
inline constexpr family infeed_family{.name = "infeed"};

/// Reads the model's output and hands its rows to whoever runs the program.
/// Extents: {batch, elements of a sample}.
inline constexpr family outfeed_family{.name = "outfeed"};

/// Writes the sum of what it reads, in order. Extents: {number of reads, batch, elements}.
inline constexpr family gradient_sum_family{.name = "gradient sum"};

/// Writes what it reads with rows and columns exchanged. Extents: {rows, columns} of what it reads.
inline constexpr family transpose_family{.name = "transpose"};

/// Writes into the first of its operands the sum of all, in their order: the accumulators that the
/// replicas of a model have for one parameter. The variant is the number of replicas, the extents
/// are {how the parameter lies, its rank, its extents}.
inline constexpr family replica_sum_family{.name = "replica sum"};

/// What a call exchanges with whoever runs the program.
enum class transfer_kind : std::uint8_t { none, infeed, outfeed };

/// What the calls of a family exchange.
constexpr transfer_kind transfer_of(const family& rule) {
  if (&rule == &infeed_family) {
    return transfer_kind::infeed;
  }
  return &rule == &outfeed_family ? transfer_kind::outfeed : transfer_kind::none;
}

}  // namespace ipu_dsl
