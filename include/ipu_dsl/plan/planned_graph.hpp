// SPDX-License-Identifier: MIT
// The graph that is planned: a model with its losses, every layer in its stage.
#pragma once

#include <cstddef>

#include <ipu_dsl/plan/automatic_stages.hpp>
#include <ipu_dsl/plan/compiled_model.hpp>
#include <ipu_dsl/plan/lowering.hpp>
#include <ipu_dsl/schedule/frozen.hpp>

namespace ipu_dsl {

/// Refuses micro-batches that make a tensor larger than one may be. Rows are counted with the
/// padding that short ones have.
constexpr problem check_micro_batch(const graph_view& model, std::int32_t samples) {
  constexpr std::int64_t shortest_row = 64;
  std::int64_t longest = shortest_row;
  for (const tensor& atom : model.tensors) {
    const std::int64_t elements = per_sample(atom) ? atom.samples * atom.extents.elements() : 0;
    longest = elements > longest ? elements : longest;
  }
  problem found;
  if (samples > most_elements / longest) {
    found = refuse(label("a micro_batch of at most ") << most_elements / longest << " samples",
                   label() << samples,
                   text<191>("a tensor holds at most ") << most_elements << " elements");
    found.where = "compile";
  }
  return found;
}

/// The model's graph with its losses and metrics, stages as the model has them.
template <compiled_model C>
constexpr graph fold_with_loss() {
  graph model = frozen_graph_of<typename C::model_type>.thawed();
  if (!model.fault.found()) {
    model.fault = C::check_options();
  }
  if (!model.fault.found() && C::settings.has_loss) {
    model.fault =
        attach_results(model, C::settings.losses, C::settings.metrics, C::settings.micro_batch);
  }
  if (!model.fault.found()) {
    model.fault = check_micro_batch(model.view(), C::settings.micro_batch);
  }
  return model;
}

/// How many layers an `auto_pipeline` has; of other models none.
template <compiled_model C>
constexpr std::size_t count_automatic_layers() {
  if constexpr (frozen_graph_of<typename C::model_type>.automatic) {
    const graph model = fold_with_loss<C>();
    return model.fault.found() ? 0 : listed_layers(model.view());
  } else {
    return 0;
  }
}

template <compiled_model C>
inline constexpr std::size_t automatic_layers = count_automatic_layers<C>();

/// The stages of the layers of an `auto_pipeline`: [layers]; empty for other models.
template <compiled_model C>
constexpr list<int> automatic_stages() {
  if constexpr (automatic_layers<C> == 0) {
    return {};
  } else {
    const graph model = fold_with_loss<C>();
    const program_kind kind = C::settings.has_loss ? program_kind::train : program_kind::predict;
    const graph_view view = model.view();
    const lowered_program lowered =
        lowering(view, kind, C::settings.micro_batch, C::settings.optimizer).lower();
    return choose_stages<typename C::schedule_type>(costs_of_layers(view, lowered.view()),
                                                    model.stages, C::settings.devices,
                                                    C::settings.gradient_accumulation);
  }
}

/// Chosen once: everything else about the model asks for them.
template <compiled_model C>
inline constexpr frozen_list<int, automatic_layers<C>> automatic_stages_of =
    freeze_list<automatic_layers<C>>(automatic_stages<C>());

/// The graph that is planned. `fault` holds the first mistake.
template <compiled_model C>
constexpr graph fold_planned() {
  graph model = fold_with_loss<C>();
  if (model.automatic && !model.fault.found()) {
    assign_stages(model, automatic_stages_of<typename C::compiled>.view());
  }
  return model;
}

template <compiled_model C>
inline constexpr graph_sizes planned_graph_sizes_of = sizes_of(fold_planned<C>());

template <compiled_model C>
inline constexpr frozen_graph<planned_graph_sizes_of<C>.tensors, planned_graph_sizes_of<C>.nodes,
                              planned_graph_sizes_of<C>.operands, planned_graph_sizes_of<C>.layers>
    planned_graph_of{fold_planned<C>()};

}  // namespace ipu_dsl
