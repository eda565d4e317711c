// SPDX-License-Identifier: MIT
// What a plan takes of the tiles' memory on each device, and the sentence if that is too much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/machine/target.hpp>

namespace ipu_dsl {

/// Bytes on the busiest tile of a device, by what they hold. Modelled: tensors are dealt over the
/// tiles as `tile_map` does it, without code, stacks and the messages of the exchange.
struct tile_use {
  std::int64_t parameters = 0;       ///< and states
  std::int64_t optimizer_slots = 0;  ///< velocities
  std::int64_t accumulators = 0;     ///< of gradients
  std::int64_t kept = 0;             ///< between actions, for all micro-batches in flight
  std::int64_t temporary = 0;        ///< the largest superstep: scratch, and copies of operands

  constexpr std::int64_t always_live() const {
    return parameters + optimizer_slots + accumulators + kept;
  }

  constexpr std::int64_t total() const { return always_live() + temporary; }
};

/// What most of the bytes hold, and what makes it less.
struct largest_use {
  std::string_view what;
  std::int64_t bytes = 0;
  std::string_view hint;
};

/// What grows with the parameters counts together: one remedy serves all of it. Of equals the
/// first. Temporaries of a single sample are copies of weights as well.
constexpr largest_use largest_of(const tile_use& use, std::int32_t samples) {
  constexpr std::string_view fewer_weights =
      "cut the model into more stages, or its layers smaller";
  const largest_use candidates[] = {
      {"parameters and what is kept for each",
       use.parameters + use.optimizer_slots + use.accumulators, fewer_weights},
      {"activations kept", use.kept,
       samples > 1 ? "take fewer samples a micro_batch, or a schedule with fewer of them in flight"
                   : "take a schedule with fewer micro-batches in flight"},
      {"temporaries", use.temporary,
       samples > 1 ? "take fewer samples a micro_batch, or smaller layers" : fewer_weights}};
  largest_use most = candidates[0];
  for (const largest_use& candidate : candidates) {
    most = candidate.bytes > most.bytes ? candidate : most;
  }
  return most;
}

/// The memory of a plan on a target, modelled; with replicas that of each.
struct device_memory {
  const machine_target* target = nullptr;
  list_view<tile_use> devices;  ///< [devices]
  std::int32_t samples = 1;     ///< in a micro-batch

  /// Whether the busiest tile of every device holds what lies there.
  constexpr bool fits() const { return !fault().found(); }

  /// The first device that does not hold what lies there.
  constexpr problem fault() const {
    for (std::size_t device = 0; device < devices.size(); ++device) {
      if (devices[device].total() > target->bytes_per_tile) {
        return refuse_device(device);
      }
    }
    return {};
  }

 private:
  constexpr problem refuse_device(std::size_t device) const {
    const largest_use most = largest_of(devices[device], samples);
    problem found =
        refuse(label("at most ") << target->bytes_per_tile << " bytes on its busiest tile",
               label() << devices[device].total() << " by the model, the most for " << most.what
                       << " (" << most.bytes << ")",
               most.hint);
    found.where = label("device ") << device << " on<" << target->name << ">";
    return found;
  }
};

/// Of no target: it holds nothing, which fits everywhere.
inline constexpr device_memory unknown_memory{};

}  // namespace ipu_dsl
