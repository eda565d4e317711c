// SPDX-License-Identifier: MIT
// The simulated machine: facts about IPUs, each of which a user's own target may set otherwise.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>

namespace ipu_dsl {

/// What a model of a machine is told about it. Whatever is computed from these numbers is an
/// estimate of that model, not a measurement.
struct machine_target {
  std::string_view name;
  std::int32_t tiles = 0;                     ///< of one device
  std::int32_t workers_per_tile = 0;          ///< threads that take turns on a tile
  std::int64_t bytes_per_tile = 0;            ///< SRAM, for code and data
  double clock_hertz = 0;                     ///< cycles a second
  std::int32_t exchange_bytes_per_cycle = 0;  ///< that a tile receives from other tiles

  constexpr std::int64_t bytes() const { return tiles * bytes_per_tile; }
};

/// Mk1, GC2. Tiles, workers and clock: Louw and McIntosh-Smith, "Using the Graphcore IPU for
/// traditional HPC applications" (2021), section II; memory: 304 MiB in all, as Poplar reports it.
inline constexpr machine_target ipu1{.name = "ipu1",
                                     .tiles = 1216,
                                     .workers_per_tile = 6,
                                     .bytes_per_tile = 256 * 1024,
                                     .clock_hertz = 1.6e9,
                                     .exchange_bytes_per_cycle = 4};

/// Mk2, GC200. 897 MiB in all and 8,832 workers, as Poplar's profiles report them; the clock is
/// that of Poplar's IPU model, and `Target::getExchangeBytesPerCycle()` is 4.
inline constexpr machine_target ipu2{.name = "ipu2",
                                     .tiles = 1472,
                                     .workers_per_tile = 6,
                                     .bytes_per_tile = 624 * 1024,
                                     .clock_hertz = 1.33e9,
                                     .exchange_bytes_per_cycle = 4};

/// Bow: Mk2 at a higher clock, by the data sheet of the Bow-2000.
inline constexpr machine_target bow{.name = "bow",
                                    .tiles = 1472,
                                    .workers_per_tile = 6,
                                    .bytes_per_tile = 624 * 1024,
                                    .clock_hertz = 1.85e9,
                                    .exchange_bytes_per_cycle = 4};

/// What is wrong with a target.
constexpr problem check_target(const machine_target& target) {
  if (target.tiles < 1) {
    return refuse("a target of at least 1 tile", label() << target.tiles);
  }
  if (target.bytes_per_tile < 1) {
    return refuse("a target with at least 1 byte a tile", label() << target.bytes_per_tile);
  }
  return {};
}

}  // namespace ipu_dsl
