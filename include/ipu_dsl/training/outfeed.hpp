// SPDX-License-Identifier: MIT
// What a model predicts, through a bounded queue.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/queues/outfeed_queue.hpp>
#include <ipu_dsl/training/run_listener.hpp>
#include <ipu_dsl/training/session_interface.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The outputs of a compiled model as tensors of an element.
template <compiled_model C>
struct output_tensors {
  static constexpr model_interface model = interface_of(planned_graph_of<C>.view());

  /// Of a micro-batch: an output whose layer has no name is called "output", with its number behind
  /// it if there are several.
  static outfeed_tensor at(std::int32_t output) {
    static constexpr auto names = names_of_outputs();
    outfeed_tensor made{std::string(names[static_cast<std::size_t>(output)].view()), {}};
    if (C::settings.micro_batch > 1) {
      made.extents.push_back(C::settings.micro_batch);
    }
    for (std::int32_t axis = 0; axis < model.outputs[output].axes(); ++axis) {
      made.extents.push_back(model.outputs[output][axis]);
    }
    return made;
  }

  /// Those at which the mask is not true; without a mask all. Throws `error` for a mask that is not
  /// of the model's outputs.
  static std::vector<std::int32_t> enqueued(const std::vector<bool>& mask) {
    if (!mask.empty() && mask.size() != static_cast<std::size_t>(model.output_count)) {
      raise_error({"The mask of an outfeed has an entry for each of the ", model.output_count,
                   " outputs of the model, got ", mask.size(), "."});
    }
    std::vector<std::int32_t> kept;
    for (std::int32_t i = 0; i < model.output_count; ++i) {
      if (mask.empty() || !mask[static_cast<std::size_t>(i)]) {
        kept.push_back(i);
      }
    }
    return kept;
  }

 private:
  static constexpr std::array<label, most_outputs> names_of_outputs() {
    const graph_view of = planned_graph_of<C>.view();
    std::array<label, most_outputs> names;
    for (std::size_t i = 0; i < of.outputs.size(); ++i) {
      const auto number = static_cast<std::int32_t>(i);
      if (!of.name_of_output(number).empty()) {
        names[i] << of.name_of_output(number);
      } else if (of.outputs.size() == 1) {
        names[i] = "output";
      } else {
        names[i] << "output_" << number;
      }
    }
    return names;
  }
};

/// An outfeed of something else than a compiled model: of a model, say.
template <typename T>
struct outfeed_fault_of {
  static constexpr problem find() {
    problem found = refuse("a compiled model", type_name<T>(),
                           "write struct body : compile<your model, micro_batch<1>> {}; and take "
                           "an output_outfeed<body>");
    found.where = "output_outfeed";
    return found;
  }

  static constexpr problem value = find();
};

/// Refused with a sentence: what is no compiled model.
template <typename C>
class output_outfeed final : public outfeed_queue, public output_listener {
 public:
  explicit output_outfeed(const outfeed_options& options = {}, const std::vector<bool>& = {})
      : outfeed_queue(std::vector<outfeed_tensor>(), options) {
    static_assert(diagnose<outfeed_fault_of<C>>());
  }

  void expect_outputs(std::int64_t) override {}

  list_view<float*> rows() override { return {}; }

  void take_outputs(std::int32_t, std::int32_t) override {}
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
class output_outfeed<C> final : public outfeed_queue, public output_listener {
  using compiled = typename C::compiled;
  static constexpr model_interface model = interface_of(planned_graph_of<compiled>.view());

 public:
  /// With a mask, as in the reference, the outputs at which it is true are not enqueued. Throws
  /// `error` for options that are none, for two outputs of one name, and for a mask that is not of
  /// the model's outputs.
  explicit output_outfeed(const outfeed_options& options = {}, const std::vector<bool>& mask = {})
      : outfeed_queue(form_of(mask), options), enqueued_(output_tensors<compiled>::enqueued(mask)) {
    for (std::int32_t i = 0; i < model.output_count; ++i) {
      staged_.emplace_back(micro_batches * numbers_of(i));
      rows_.push_back(staged_.back().data());
    }
  }

  void expect_outputs(std::int64_t elements) override { expect(elements); }

  list_view<float*> rows() override { return {rows_.data(), rows_.size()}; }

  void take_outputs(std::int32_t micro_batch, std::int32_t samples) override {
    const std::span<float> element = room();
    for (std::size_t i = 0; i < enqueued_.size(); ++i) {
      const std::size_t numbers = numbers_of(enqueued_[i]);
      const std::size_t valid = numbers / static_cast<std::size_t>(compiled::settings.micro_batch) *
                                static_cast<std::size_t>(samples);
      const float* const from = rows_[static_cast<std::size_t>(enqueued_[i])] +
                                numbers * static_cast<std::size_t>(micro_batch);
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

  /// An output of a micro-batch.
  static std::size_t numbers_of(std::int32_t output) {
    return static_cast<std::size_t>(compiled::settings.micro_batch) *
           static_cast<std::size_t>(model.outputs[output].elements());
  }

  static std::vector<outfeed_tensor> form_of(const std::vector<bool>& mask) {
    std::vector<outfeed_tensor> tensors;
    for (const std::int32_t output : output_tensors<compiled>::enqueued(mask)) {
      tensors.push_back(output_tensors<compiled>::at(output));
    }
    return tensors;
  }

  std::vector<std::vector<float>> staged_;  ///< of each output, what a run writes
  std::vector<float*> rows_;
  std::vector<std::int32_t> enqueued_;  ///< outputs that no mask takes out
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
