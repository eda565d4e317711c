// SPDX-License-Identifier: MIT
// A compiled model trained twice: by the executor with its kernels, and tile by tile.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/runtime/tile_program.hpp>
#include <ipu_dsl/training/session.hpp>

#include "support/catch2.hpp"

namespace ipu_dsl::tests {

/// Numbers in [-1, 1), labels drawn apart from them: enough to move every weight.
template <shape Sample, int Classes>
labelled_dataset<Sample, Classes, float> drawn_samples(std::int64_t samples, std::uint64_t seed) {
  std::vector<float> features;
  std::vector<std::int32_t> labels;
  const auto elements = static_cast<std::uint64_t>(Sample.elements());
  for (std::uint64_t sample = 0; sample < static_cast<std::uint64_t>(samples); ++sample) {
    for (std::uint64_t i = 0; i < elements; ++i) {
      features.push_back(2 * uniform_unit(random_word(seed, sample, i)) - 1);
    }
    labels.push_back(static_cast<std::int32_t>(
        uniform_below(random_word(seed, sample, elements), static_cast<std::uint32_t>(Classes))));
  }
  return {std::move(features), std::move(labels)};
}

/// What training left behind.
struct trained_bits {
  std::uint64_t weights = 0;
  std::vector<float> losses;
  std::vector<std::int32_t> hits;

  friend bool operator==(const trained_bits&, const trained_bits&) = default;
};

/// The memory and weights of a compiled model, with everything that a run of it needs but who runs.
template <compiled_model C, typename Data>
class tile_check {
 public:
  using compiled = typename C::compiled;

  explicit tile_check(const Data& data) : data_(data) {}

  /// `updates` updates by the kernels.
  trained_bits by_kernels(int updates) const {
    return train(updates, [](const session_parts& parts, const region_set& memory) {
      return by_executor(parts, memory);
    });
  }

  /// The same tile by tile; `account` is that of the last run.
  trained_bits by_tiles(int updates, std::int64_t tiles, tile_account* account = nullptr) const {
    return by_tiles_with(tile_code_of<compiled, program_kind::train>.view(), updates, tiles,
                         account);
  }

  /// The same with other code for tiles.
  trained_bits by_tiles_with(std::span<const tile_jobs_function> code, int updates,
                             std::int64_t tiles, tile_account* account = nullptr) const {
    return train(updates, [&](const session_parts& parts, const region_set& memory) {
      return by_tile_executor{tile_executor(parts.train.plan, parts.train.functions, code, memory,
                                            tiles, parts.settings.replicas),
                              account};
    });
  }

 private:
  struct by_executor {
    by_executor(const session_parts& parts, const region_set& memory)
        : workers(1),
          runs(parts.train.plan, parts.train.functions, memory, workers, parts.settings.replicas) {}

    void run(const run_context& context) { runs.run(context); }

    worker_pool workers;
    executor runs;
  };

  struct by_tile_executor {
    void run(const run_context& context) {
      runs.run(context);
      if (account != nullptr) {
        *account = runs.account();
      }
    }

    tile_executor runs;
    tile_account* account;
  };

  template <typename Make>
  trained_bits train(int updates, const Make& make) const {
    const session_parts parts = parts_of<compiled>();
    const region_set memory(std::vector<program_plan_view>{parts.train.plan},
                            parts.settings.replicas);
    parameters weights(parts.places, memory);
    weights.initialize(7);
    auto runner = make(parts, memory);
    auto source = make_feed(data_ | repeated(), 1);
    feed_reference feed(source);
    trained_bits bits;
    bits.losses.resize(static_cast<std::size_t>(parts.settings.micro_batches_of_update()));
    bits.hits.resize(bits.losses.size());
    std::vector<std::int32_t> valid(bits.losses.size());
    const std::array<float, 4> numbers{0.05F, 0.9F};
    run_context context;
    context.training = true;
    context.seed = 3;
    context.micro_batch_size = static_cast<std::uint32_t>(parts.settings.micro_batch);
    context.loss_scale = 1.0F / static_cast<float>(parts.settings.micro_batch);
    context.optimizer = numbers.data();
    context.feed = &feed;
    context.valid = valid.data();
    context.loss = bits.losses.data();
    context.hits = bits.hits.data();
    for (int update = 0; update < updates; ++update) {
      runner.run(context);
      context.first_sample += bits.losses.size() * context.micro_batch_size;
    }
    bits.weights = weights.fingerprint();
    return bits;
  }

  Data data_;
};

/// Trains with kernels and with all tile counts; returns how many blocks were computed.
template <compiled_model C, typename Data>
std::int64_t check_tiles(const Data& data, int updates, std::span<const int> tile_counts) {
  const tile_check<C, Data> check(data);
  const trained_bits expected = check.by_kernels(updates);
  CHECK(expected.weights != check.by_kernels(updates + 1).weights);
  std::int64_t blocks = 0;
  for (const int tiles : tile_counts) {
    INFO(tiles << " tiles");
    tile_account account;
    const trained_bits found = check.by_tiles(updates, tiles, &account);
    CHECK(found.weights == expected.weights);
    CHECK(found.losses == expected.losses);
    CHECK(found.hits == expected.hits);
    CHECK(account.supersteps > 0);
    CHECK(account.blocks >= account.supersteps);
    CHECK((tiles > 1 || account.blocks == account.supersteps));
    blocks += account.blocks;
  }
  return blocks;
}

}  // namespace ipu_dsl::tests
