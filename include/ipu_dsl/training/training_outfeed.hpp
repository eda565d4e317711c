// SPDX-License-Identifier: MIT
// What a session finds while it trains, through a bounded queue: losses, and outputs of the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/queues/outfeed_queue.hpp>
#include <ipu_dsl/training/outfeed.hpp>
#include <ipu_dsl/training/run_listener.hpp>
#include <ipu_dsl/training/session_interface.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What an element of a training outfeed is.
enum class outfeed_sum : std::uint8_t {
  none,     ///< a micro-batch, with replicas one of each
  float32,  ///< the sum over the micro-batches of an update, one by one in float32
  float64,  ///< the same in float64, rounded once at the end
};

/// Enqueues what the micro-batches of updates found, each a row of numbers of the same tensors.
/// With replicas there is an axis of them in front of the extents of every tensor. Elements come
/// when an update is done. It hears the session, which tells one alone, as long as both live; what
/// has come by then is there to be dequeued.
class update_outfeed : public outfeed_queue, private run_listener {
 public:
  /// How the micro-batches of an update come, and what becomes of them.
  struct shape_of_update {
    std::int32_t replicas = 1;
    std::int32_t gradient_accumulation = 1;
    outfeed_sum sum = outfeed_sum::none;
  };

 protected:
  ~update_outfeed() = default;

  /// `tensors` of a micro-batch: the loss first, then the outputs of these numbers out of so many.
  update_outfeed(session_engine& engine, const shape_of_update& update,
                 std::vector<outfeed_tensor> tensors, const std::vector<std::int32_t>& outputs,
                 std::span<const std::size_t> numbers_of_outputs, const outfeed_options& options)
      : outfeed_queue(with_replicas(std::move(tensors), update.replicas), options),
        update_(update),
        outputs_(outputs),
        listening_(engine, *this) {
    if (options.mode == outfeed_mode::last && update.sum != outfeed_sum::none) {
      raise_error("An outfeed of sums over updates is of mode all: each is enqueued.");
    }
    const auto micro_batches = static_cast<std::size_t>(update.replicas) *
                               static_cast<std::size_t>(update.gradient_accumulation);
    for (const std::size_t numbers : numbers_of_outputs) {
      staged_.emplace_back(micro_batches * numbers);
      rows_.push_back(staged_.back().data());
    }
    sums_.resize(update.sum == outfeed_sum::none ? 0 : form().numbers());
  }

 private:
  static std::vector<outfeed_tensor> with_replicas(std::vector<outfeed_tensor> tensors,
                                                   std::int32_t replicas) {
    for (outfeed_tensor& each : tensors) {
      if (replicas > 1) {
        each.extents.insert(each.extents.begin(), replicas);
      }
    }
    return tensors;
  }

  bool sums() const { return update_.sum != outfeed_sum::none; }

  void expect_losses(std::int64_t micro_batches) override {
    expect(micro_batches / update_.replicas / (sums() ? update_.gradient_accumulation : 1));
  }

  list_view<float*> training_rows() override { return {rows_.data(), rows_.size()}; }

  void lose_session() noexcept override { listening_.lose_session(); }

  void take_losses(std::span<const float> losses) override {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (std::int32_t i = 0; i < update_.gradient_accumulation; ++i) {
      if (sums()) {
        add(losses, i);
      } else {
        write(losses, i, room());
        push();
      }
    }
    if (sums()) {
      const std::span<float> element = room();
      std::transform(sums_.begin(), sums_.end(), element.begin(),
                     [](double sum) { return static_cast<float>(sum); });
      push();
    }
  }

  /// The micro-batches of this number of all replicas lie one behind the other, as in an element.
  const float* numbers_of(std::span<const float> losses, std::size_t tensor,
                          std::int32_t micro_batch) const {
    const float* const first =
        tensor == 0 ? losses.data() : rows_[static_cast<std::size_t>(outputs_[tensor - 1])];
    const std::int64_t numbers = form().tensors()[tensor].numbers();
    return first + numbers * micro_batch;
  }

  void write(std::span<const float> losses, std::int32_t micro_batch,
             std::span<float> element) const {
    for (std::size_t i = 0; i < form().tensors().size(); ++i) {
      std::copy_n(numbers_of(losses, i, micro_batch), form().tensors()[i].numbers(),
                  element.data() + form().first(i));
    }
  }

  void add(std::span<const float> losses, std::int32_t micro_batch) {
    for (std::size_t i = 0; i < form().tensors().size(); ++i) {
      const float* const added = numbers_of(losses, i, micro_batch);
      double* const to = sums_.data() + form().first(i);
      for (std::int64_t number = 0; number < form().tensors()[i].numbers(); ++number) {
        const double sum = to[number] + static_cast<double>(added[number]);
        to[number] = update_.sum == outfeed_sum::float32
                         ? static_cast<double>(static_cast<float>(sum))
                         : sum;
      }
    }
  }

  shape_of_update update_;
  std::vector<std::int32_t> outputs_;       ///< by tensor behind the loss
  std::vector<std::vector<float>> staged_;  ///< of each output, what an update writes
  std::vector<float*> rows_;
  std::vector<double> sums_;  ///< of an element; empty: none are made
  listening_scope listening_;
};

/// The loss of every micro-batch that a session trains on, as it is reported by `history`: elements
/// of one tensor "loss", a number, or with replicas [replicas]; or its sum over each update.
///
///   loss_outfeed losses(run, {.depth = 500});
///   run.fit(data, {.steps_per_epoch = 500});
///   const outfeed_values found = losses.dequeue();   // found["loss"]: [500]
class loss_outfeed final : public update_outfeed {
 public:
  /// Throws `error` for options that are none, or if the session tells somebody else already.
  template <compiled_model C>
  explicit loss_outfeed(session<C>& run, const outfeed_options& options = {},
                        outfeed_sum sum = outfeed_sum::none)
      : update_outfeed(
            run.listened_to(),
            {C::compiled::settings.replicas, C::compiled::settings.gradient_accumulation, sum},
            {{"loss", {}}}, {}, {}, options) {}
};

/// What is wrong with asking for the outputs of training.
template <compiled_model C>
struct outputs_of_training_fault_of {
  static constexpr problem find() {
    problem found;
    if (!C::settings.outfeed_outputs) {
      found = refuse("a model that is compiled with outfeed_outputs",
                     "one whose training hands out none",
                     "write compile<your model, ..., outfeed_outputs>, or take a loss_outfeed");
      found.where = "training_outfeed";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// The loss and the outputs of every micro-batch that a session trains on, by name, as the weights
/// were: tensors "loss", then [micro_batch, extents of the output...] as of `output_outfeed`; or
/// their sums over each update. The model is compiled with `outfeed_outputs`.
///
///   training_outfeed results(run, {.depth = 500});
///   run.fit(data, {.steps_per_epoch = 500});
///   const outfeed_values found = results.dequeue();   // found["logits"]: [500, 32, 10]
class training_outfeed final : public update_outfeed {
 public:
  /// With a mask, as in the reference, the outputs at which it is true are not enqueued. Throws
  /// `error` for options that are none, for two tensors of one name, for a mask that is not of the
  /// model's outputs, or if the session tells somebody else already.
  template <compiled_model C>
  explicit training_outfeed(session<C>& run, const outfeed_options& options = {},
                            outfeed_sum sum = outfeed_sum::none, const std::vector<bool>& mask = {})
      : update_outfeed(
            run.listened_to(),
            {C::compiled::settings.replicas, C::compiled::settings.gradient_accumulation, sum},
            tensors_of<typename C::compiled>(mask),
            output_tensors<typename C::compiled>::enqueued(mask),
            numbers_of<typename C::compiled>(), options) {
    static_assert(diagnose<outputs_of_training_fault_of<typename C::compiled>>());
  }

 private:
  template <compiled_model C>
  static std::vector<outfeed_tensor> tensors_of(const std::vector<bool>& mask) {
    std::vector<outfeed_tensor> tensors{{"loss", {}}};
    for (const std::int32_t output : output_tensors<C>::enqueued(mask)) {
      tensors.push_back(output_tensors<C>::at(output));
    }
    return tensors;
  }

  /// Of a micro-batch, by output.
  template <compiled_model C>
  static std::vector<std::size_t> numbers_of() {
    std::vector<std::size_t> numbers;
    for (std::int32_t i = 0; i < output_tensors<C>::model.output_count; ++i) {
      numbers.push_back(static_cast<std::size_t>(output_tensors<C>::at(i).numbers()));
    }
    return numbers;
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
