// SPDX-License-Identifier: MIT
// A kernel as those see it who call it.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/parameter_rules.hpp>
#include <ipu_dsl/graph/transfer.hpp>

namespace ipu_dsl {

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
  float penalty_scale = 1;           ///< how often an update's gradient counts the loss
  const float* optimizer = nullptr;  ///< the optimizer's numbers: learning rate, momentum, ...
  const float* values = nullptr;     ///< of the run, by number; null: those that were planned
  feed_reference* feed = nullptr;    ///< where inputs and targets come from
  stop_token stop = {};              ///< of a feed that waits: whether the run has failed elsewhere
  std::int32_t* valid = nullptr;     ///< [micro-batches] samples that the feed gave
  float* const* outputs = nullptr;   ///< of each output [samples, elements]; null: nobody's
  std::uint64_t first_handed_out = 0;  ///< the sample whose outputs are the first there
  std::int32_t samples = 1;            ///< of the call for each sample of the model: its steps
  std::int32_t step = 0;               ///< of a call that runs once for each of its steps
  grain part = {};                     ///< what of the output to compute, where calls have grains

  /// Of what the call sees as samples: how many the feed gave.
  constexpr std::int32_t valid_samples() const { return valid[micro_batch] * samples; }

  /// The same: how many came before this micro-batch.
  constexpr std::uint64_t samples_before() const {
    return first_sample * static_cast<std::uint64_t>(samples);
  }
};

/// A kernel with its operands' addresses: first what it writes, then what it reads. Only the infeed
/// may throw, because its feed may.
using kernel_function = void (*)(const run_context& context, void* const* operands,
                                 const float* scalars);

/// What a parameter adds to the loss, from where it lies.
using penalty_function = double (*)(const parameter_extents& parameter,
                                    const parameter_rules& rules, float* stored);

/// What a program knows of a distinct kernel.
struct kernel_code {
  kernel_function run = nullptr;
  bool in_grains = false;
  bool reads_all_parts = false;  ///< of what the call before it wrote
};

}  // namespace ipu_dsl
