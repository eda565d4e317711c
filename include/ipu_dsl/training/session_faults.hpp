// SPDX-License-Identifier: MIT
// What is wrong with what a session of a compiled model is asked for.
#pragma once

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/training/data_check.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What is wrong with a type of data for a compiled model.
template <compiled_model C, auto Inputs, auto Targets, auto Weights>
struct form_fault_of {
  static constexpr problem value =
      check_data(planned_graph_of<C>.view(), {Inputs, Targets, {Weights.data(), Weights.size()}});
};

/// The same by the type: several data of one form are one mistake.
template <compiled_model C, dataset Data>
using data_fault_of = form_fault_of<C, datasets::inputs_of<Data>(), datasets::targets_of<Data>(),
                                    datasets::weight_sources_of<Data>()>;

/// The same of data that are predicted from: of their inputs alone.
template <compiled_model C, auto Inputs>
struct inputs_fault_of {
  static constexpr problem value = check_inputs(planned_graph_of<C>.view(), Inputs);
};

template <compiled_model C, dataset Data>
using predicted_data_fault_of = inputs_fault_of<C, datasets::inputs_of<Data>()>;

/// What is wrong with the rank of a batch.
template <compiled_model C, int Rank>
struct rank_fault_of {
  static constexpr problem value = check_rank(planned_graph_of<C>.view(), Rank);
};

/// What is wrong with training or evaluating a compiled model.
template <compiled_model C>
struct loss_fault_of {
  static constexpr problem value = check_loss(planned_graph_of<C>.view());
};

/// What is wrong with asking for the averages of weights.
template <compiled_model C>
struct averages_fault_of {
  static constexpr problem find() {
    if (C::settings.optimizer->adapted.averages) {
      return {};
    }
    problem found = refuse("an optimizer that keeps moving averages of the weights",
                           label() << C::settings.optimizer->name,
                           "write optimizer<adam, moving_average<0.99F>>");
    found.where = "averaged_weights";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with asking for gradients.
template <compiled_model C>
struct gradients_fault_of {
  static constexpr problem find() {
    problem found;
    if (!C::settings.gradients_in_hand) {
      found =
          refuse("a model that is compiled with gradients_in_hand", "one whose updates are fused",
                 "write compile<your model, ..., gradients_in_hand>");
      found.where = "compute_gradients";
    }
    return found;
  }

  static constexpr problem value = find();
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
