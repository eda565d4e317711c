// SPDX-License-Identifier: MIT
// What a session hands out while it works, through a bounded queue: losses and outputs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/queues/outfeed_queue.hpp>
#include <ipu_dsl/training/run_listener.hpp>
#include <ipu_dsl/training/session_interface.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The loss of every micro-batch that a session trains on, as it is reported by `history`: elements
/// of one tensor "loss", which is one number, or with replicas [replicas]. They come when an update
/// is done. As long as it lives it hears the session, which must outlive it and tells one alone.
///
///   loss_outfeed losses(run, {.depth = 500});
///   run.fit(data, {.steps_per_epoch = 500});
///   const outfeed_values found = losses.dequeue();   // found["loss"]: [500]
class loss_outfeed final : public outfeed_queue, private run_listener {
 public:
  /// Throws `error` for options that are none, or if the session tells somebody else already.
  template <compiled_model C>
  explicit loss_outfeed(session<C>& run, const outfeed_options& options = {})
      : outfeed_queue(form_of(C::compiled::settings.replicas), options),
        replicas_(C::compiled::settings.replicas),
        listening_(run.listen(*this)) {}

 private:
  static std::vector<outfeed_tensor> form_of(std::int32_t replicas) {
    outfeed_tensor loss{"loss", {}};
    if (replicas > 1) {
      loss.extents.push_back(replicas);
    }
    return {loss};
  }

  void expect_losses(std::int64_t micro_batches) override { expect(micro_batches / replicas_); }

  void take_losses(std::span<const float> losses) override {
    const auto replicas = static_cast<std::size_t>(replicas_);
    for (std::size_t first = 0; first < losses.size(); first += replicas) {
      const std::span<const float> element = losses.subspan(first, replicas);
      std::copy(element.begin(), element.end(), room().begin());
      push();
    }
  }

  std::int64_t replicas_;
  listening_scope listening_;
};

/// The outputs of predictions by name, an element a micro-batch: tensors [micro_batch, extents of
/// the output...], without the first of these where a micro-batch is one sample. An output whose
/// layer has no name is called "output", with its number behind it if there are several. Behind the
/// end of the data an element's last rows are zero. Of no session: `hand_out` is told where to.
///
///   output_outfeed<graph> results({.depth = 10});
///   run.hand_out(infeed, 10, results);
///   const outfeed_values found = results.dequeue();   // found["d1"]: [10, 800]
template <compiled_model C>
class output_outfeed final : public outfeed_queue, public output_listener {
  using compiled = typename C::compiled;

 public:
  /// Throws `error` for options that are none, and for two outputs of one name.
  explicit output_outfeed(const outfeed_options& options = {}) : outfeed_queue(form_of(), options) {
    for (const outfeed_tensor& each : form().tensors()) {
      staged_.emplace_back(micro_batches * static_cast<std::size_t>(each.numbers()));
    }
    for (std::vector<float>& each : staged_) {
      rows_.push_back(each.data());
    }
  }

  void expect_outputs(std::int64_t elements) override { expect(elements); }

  list_view<float*> rows() override { return {rows_.data(), rows_.size()}; }

  void take_outputs(std::int32_t micro_batch, std::int32_t samples) override {
    const std::span<float> element = room();
    for (std::size_t i = 0; i < staged_.size(); ++i) {
      const auto numbers = static_cast<std::size_t>(form().tensors()[i].numbers());
      const std::size_t valid = numbers / static_cast<std::size_t>(compiled::settings.micro_batch) *
                                static_cast<std::size_t>(samples);
      const float* const from = staged_[i].data() + numbers * static_cast<std::size_t>(micro_batch);
      float* const to = element.data() + form().first(i);
      std::copy_n(from, valid, to);
      std::fill(to + valid, to + numbers, 0.0F);
    }
    push();
  }

 private:
  /// Of one run.
  static constexpr auto micro_batches = static_cast<std::size_t>(
      frozen_plan_of<compiled, program_kind::predict>.view().actions.micro_batches);

  static std::vector<outfeed_tensor> form_of() {
    constexpr auto model = interface_of(planned_graph_of<compiled>.view());
    static constexpr auto names = names_of_outputs();
    std::vector<outfeed_tensor> tensors;
    for (std::int32_t i = 0; i < model.output_count; ++i) {
      outfeed_tensor made{std::string(names[static_cast<std::size_t>(i)].view()), {}};
      if (compiled::settings.micro_batch > 1) {
        made.extents.push_back(compiled::settings.micro_batch);
      }
      for (std::int32_t axis = 0; axis < model.outputs[i].axes(); ++axis) {
        made.extents.push_back(model.outputs[i][axis]);
      }
      tensors.push_back(std::move(made));
    }
    return tensors;
  }

  static constexpr std::array<label, most_outputs> names_of_outputs() {
    const graph_view model = planned_graph_of<compiled>.view();
    std::array<label, most_outputs> names;
    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
      const auto number = static_cast<std::int32_t>(i);
      if (!model.name_of_output(number).empty()) {
        names[i] << model.name_of_output(number);
      } else if (model.outputs.size() == 1) {
        names[i] = "output";
      } else {
        names[i] << "output_" << number;
      }
    }
    return names;
  }

  std::vector<std::vector<float>> staged_;  ///< of each output, what a run writes
  std::vector<float*> rows_;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
