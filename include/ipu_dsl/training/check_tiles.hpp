// SPDX-License-Identifier: MIT
// Whether the tiles of a simulated machine would compute what a session computes: a training step
// of a compiled model, block by block, with the session's own kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/runtime/block_check.hpp>
#include <ipu_dsl/runtime/executor.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/training/program_code.hpp>
#include <ipu_dsl/training/result_sums.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// How much of a step is run block by block.
struct tile_check_settings {
  int updates = 1;
  std::int64_t most_blocks = 64;  ///< of a call; of more, the first, the last and some between
  std::uint64_t seed = 1;         ///< of weights, samples and labels
};

/// What was found.
struct tile_check {
  block_count count;
  std::string fault;  ///< which call of which layer is not as it declares; empty if all are

  bool passed() const { return fault.empty(); }
};

/// Floats drawn in [-1, 1), integers among their classes, any bytes.
class drawn_feed {
 public:
  drawn_feed(const model_interface& model, std::uint64_t seed)
      : count_(model.wanted(true).size()), seed_(seed) {
    for (std::size_t i = 0; i < count_; ++i) {
      const source_interface& source = model.sources[i];
      forms_[i] = {source.type, source.extents.elements(), source.classes};
    }
  }

  std::int32_t next(const feed_rows& rows) {
    for (std::int32_t row = 0; row < rows.micro_batch; ++row) {
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < rows.sources.size(); ++i) {
        word = draw(rows.sources[i], forms_[i], row, word);
      }
      ++drawn_;
    }
    return rows.micro_batch;
  }

  void restart() { drawn_ = 0; }

  std::span<const source_form> sources() const { return {forms_, count_}; }

  std::optional<std::int64_t> length() const { return {}; }

 private:
  /// Draws a row from the words of its sample; returns the next of them.
  std::uint64_t draw(const source_rows& to, const source_form& form, std::int32_t row,
                     std::uint64_t word) const {
    for (std::int32_t i = 0; i < to.stride; ++i) {
      const bool padding = i >= to.elements;
      const std::uint32_t drawn = padding ? 0 : random_word(seed_, drawn_, word);
      word += padding ? 0 : 1;
      const auto index = static_cast<std::size_t>(i);
      if (form.type == dtype::int32) {
        const auto below = static_cast<std::uint32_t>(form.classes);
        to.integers(row)[index] =
            padding ? 0 : static_cast<std::int32_t>(uniform_below(drawn, below));
      } else if (form.type == dtype::uint8) {
        to.bytes(row)[index] = static_cast<std::uint8_t>(drawn);
      } else {
        to.floats(row)[index] = padding ? 0.0F : 2 * uniform_unit(drawn) - 1;
      }
    }
    return word;
  }

  source_form forms_[most_sources];
  std::size_t count_;
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

/// What a step left behind.
struct step_bits {
  std::uint64_t weights = 0;
  std::vector<double> results;  ///< of the loss and the metrics, by micro-batch

  friend bool operator==(const step_bits&, const step_bits&) = default;
};

/// What the loss and the metrics counted in every micro-batch.
inline std::vector<double> results_of(const session_parts& parts, const region_set& memory) {
  std::vector<double> counted;
  for (int micro_batch = 0; micro_batch < parts.settings.micro_batches_of_update(); ++micro_batch) {
    for (std::size_t i = 0; i < parts.results.size(); ++i) {
      const double* const found = result_sums::counted_in(memory, parts.train.results[i],
                                                          micro_batch, parts.settings.replicas);
      counted.insert(counted.end(), found, found + parts.results[i].numbers);
    }
  }
  return counted;
}

/// Trains from fresh weights on drawn samples; `make(memory)` makes what runs the program.
template <typename Make>
step_bits train_on_drawn(const session_parts& parts, const optimizer_reference& optimizer,
                         const tile_check_settings& settings, const Make& make) {
  const region_set memory(std::vector<program_plan_view>{parts.train.plan},
                          parts.settings.replicas);
  parameters weights(parts.places, memory);
  weights.initialize(settings.seed);
  parameters(parts.kept, memory).initialize(optimizer);
  drawn_feed source(parts.model, settings.seed);
  feed_reference feed(source);
  const auto micro_batches = static_cast<std::size_t>(parts.settings.micro_batches_of_update());
  std::vector<std::int32_t> valid(micro_batches);
  run_context context;
  context.training = true;
  context.seed = settings.seed;
  context.micro_batch_size = static_cast<std::uint32_t>(parts.settings.micro_batch);
  context.loss_scale = 1.0F / static_cast<float>(parts.settings.micro_batch);
  context.feed = &feed;
  context.valid = valid.data();
  float values[most_run_values];
  for (std::size_t i = 0; i < std::size_t{most_run_values}; ++i) {
    const float start = parts.model.values[i].start;
    values[i] = is_non_finite(start) ? 0.5F : start;
  }
  context.values = values;
  auto&& runner = make(memory);
  float numbers[most_optimizer_numbers] = {};
  context.optimizer = numbers;
  for (int update = 0; update < settings.updates; ++update) {
    optimizer.write(static_cast<std::uint64_t>(update) + 1, numbers);
    runner.run(context);
    context.first_sample += micro_batches * context.micro_batch_size;
  }
  return {weights.fingerprint(), results_of(parts, memory)};
}

/// What is known of the training of a compiled model by buffer and by call, apart from the calls
/// themselves, which point to families.
template <compiled_model C>
struct known_of_training {
  static constexpr lowered_view program = calls_of<C, program_kind::train>();

  static constexpr list<label> name_calls() {
    const graph_view model = planned_graph_of<C>.view();
    list<label> names;
    for (const emitted_call& row : program.calls) {
      label place = rule_of(row.phase);
      place << " of "
            << (row.node < 0 ? label(row.code->name) : model.place_of(model.node_at(row.node)));
      names.push_back(place);
    }
    return names;
  }

  static constexpr auto places = freeze_list<program.calls.size()>(name_calls());
  static constexpr auto buffers = freeze_list<program.buffers.size()>(program.buffers);
};

/// The training of a compiled model with what its calls declare.
template <compiled_model C>
declared_program declared_training(const session_parts& parts) {
  return {.plan = parts.train.plan,
          .functions = parts.train.functions(),
          .buffers = known_of_training<C>::buffers.view(),
          .accesses = listed_accesses<C, program_kind::train>::value.view(),
          .places = known_of_training<C>::places.view(),
          .batch = parts.settings.micro_batch,
          .replicas = parts.settings.replicas};
}

/// What is wrong with what the rules append before anything runs: what is read and never written,
/// what learns and is not updated, and positions that no kernel can have.
template <typename C>
struct rules_fault_of {
  static constexpr problem find() {
    if constexpr (definition_fault_of<C, program_kind::train>::value.found()) {
      return definition_fault_of<C, program_kind::train>::value;
    } else {
      return access_fault_of<C, program_kind::train>::value;
    }
  }

  static constexpr problem value = find();
};

/// Trains a compiled model for an update on drawn samples, block by block: every call runs again
/// for each block that a tile of `target` would compute, on private memory that holds what the call
/// declares to read and poison elsewhere, and the bits of the block must be those of the session.
/// What sums up gradients also runs over sums that are known, as the first micro-batch of an update
/// and as a later one. Returns how many blocks that were, or the first call that reads or writes
/// what it does not declare, or does not sum up as it is told. `optimizer` are the numbers that the
/// session would be given. Throws `error` if the target has no tile.
///
///   const tile_check found = check_tiles<training>(ipu2);
template <compiled_model Compiled>
tile_check check_tiles(
    const machine_target& target, const tile_check_settings& settings = {},
    const typename Compiled::compiled::optimizer_type::settings& optimizer = {}) {
  using compiled = typename Compiled::compiled;
  static_assert(compiled::settings.has_loss,
                "ipu_dsl: check_tiles runs a training step: compile the model with loss<...>");
  static_assert(diagnose<rules_fault_of<compiled>>());
  constexpr session_parts parts = parts_of<Compiled>();
  const auto numbers = optimizer_reference::of<typename compiled::optimizer_type>(optimizer);
  tile_check found;
  const step_bits by_blocks =
      train_on_drawn(parts, numbers, settings, [&](const region_set& memory) {
        struct counting {
          block_check runs;
          tile_check* found;

          void run(const run_context& context) {
            runs.run(context);
            found->count = runs.count();
            found->fault = runs.fault();
          }
        };
        return counting{block_check(declared_training<compiled>(parts), memory, target.tiles,
                                    settings.most_blocks),
                        &found};
      });
  if (!found.passed()) {
    return found;
  }
  worker_pool one(1);
  const step_bits by_session =
      train_on_drawn(parts, numbers, settings, [&](const region_set& memory) {
        return executor(parts.train.plan, parts.train.functions(), memory, one,
                        parts.settings.replicas);
      });
  if (by_blocks != by_session) {
    found.fault = "The blocks' weights and losses are not those of the session.";
  }
  return found;
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
