// SPDX-License-Identifier: MIT
// What a session knows of the options of a compilation.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// What of the options of a compilation matters at run time, as values.
struct run_settings {
  std::int32_t micro_batch = 32;
  std::int32_t gradient_accumulation = 1;
  std::int32_t devices = 1;
  std::int32_t replicas = 1;
  bool mean_gradients = false;
  bool has_loss = false;           ///< without: predict only
  bool gradients_in_hand = false;  ///< no update is fused into a weight gradient
  bool outfeed_outputs = false;    ///< training hands out outputs

  /// Of all replicas.
  constexpr std::int32_t micro_batches_of_update() const {
    return gradient_accumulation * replicas;
  }
};

}  // namespace ipu_dsl
