// SPDX-License-Identifier: MIT
// Families of the calls that no layer asks for: samples in, results out, sums at fan-out.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/source_form.hpp>
#include <ipu_dsl/core/storage.hpp>
#include <ipu_dsl/graph/family.hpp>

namespace ipu_dsl {

/// One tensor that the infeed writes.
struct infeed_source {
  std::int32_t elements;  ///< of a sample
  dtype type;
};

struct infeed_call {
  std::int32_t batch;
  std::int32_t sources;
  std::int32_t inputs;  ///< of the sources: they come first, what is judged by behind them
  infeed_source source[most_sources];
};

/// Writes the inputs, and the targets where they are wanted, of the next micro-batch of the feed.
inline constexpr family infeed_family{.name = "infeed"};

struct outfeed_call {
  std::int32_t output;  ///< of the model
  std::int32_t batch;
  std::int32_t elements;  ///< of a sample
};

/// Reads an output of the model and hands its rows to whoever runs the program.
inline constexpr family outfeed_family{.name = "outfeed"};

struct gradient_sum_call {
  std::int32_t readers;
  std::int32_t rows;      ///< of a micro-batch: samples, or their positions
  std::int32_t elements;  ///< of a row
  /// What the sum goes through on its way, by the value that it is the gradient of.
  activation_kind through = activation_kind::linear;
};

/// Writes the sum of what it reads, in order, put through an activation or as it is.
inline constexpr family gradient_sum_family{.name = "gradient sum"};

struct transpose_call {
  std::int32_t rows;  ///< of what it reads
  std::int32_t columns;
};

/// Writes what it reads with rows and columns exchanged.
inline constexpr family transpose_family{.name = "transpose"};

struct repack_call {
  std::int32_t batch;
  std::int32_t positions;  ///< of a sample
  std::int32_t features;   ///< of a position
  std::int32_t to_rows;    ///< from positions, otherwise to them
};

/// Writes what it reads with other padding: from rows to positions or back.
inline constexpr family repack_family{.name = "repack"};

/// A whole parameter, as the calls know it that work on all of its elements alike.
struct parameter_extents {
  static constexpr std::string_view joined_by = "update_rule";

  storage lies;
  shape extents;
};

struct accumulator_sum_call {
  std::int32_t terms;
  parameter_extents parameter;
};

/// Writes into the first of its operands the sum of all, in their order: the accumulators that the
/// replicas of a model have for one use of a parameter, or those of all uses.
inline constexpr family accumulator_sum_family{.name = "accumulator sum"};

/// What a call exchanges with whoever runs the program.
enum class transfer_kind : std::uint8_t { none, infeed, outfeed };

/// What the calls of a family exchange.
constexpr transfer_kind transfer_of(const family& rule) {
  if (same_address(&rule, &infeed_family)) {
    return transfer_kind::infeed;
  }
  return same_address(&rule, &outfeed_family) ? transfer_kind::outfeed : transfer_kind::none;
}

}  // namespace ipu_dsl
