// SPDX-License-Identifier: MIT
// A model for prediction whose BatchNormalization layers are part of the layers before them.
#pragma once

#include <array>
#include <cstddef>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/model/changed_model.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/model/normalization_folder.hpp>
#include <ipu_dsl/model/one_step.hpp>

namespace ipu_dsl {

/// The model `M` without each BatchNormalization that reads what a Dense, Conv1D, Conv2D, Conv3D or
/// DepthwiseConv2D alone makes, if nobody else reads that and no activation stands between: its
/// factor and shift of each channel become part of the kernel and the bias before it, which has one
/// then. Others stay. For predictors:
///
///   weights_of<normalization_folded<resnet>> weights;
///   copy_folded(run.weights(), weights);  // of a session of resnet, or weights_of<resnet>
///   predictor<normalization_folded<resnet>> classify(weights);
///
/// Weights are rounded once more, so that bits differ: in
/// `tests/inference/normalization_folded.cpp` by less than 1e-5 of the largest number; by more
/// where a channel's mean is many times its deviation, so that most of a sum cancels. Refused if
/// there is none to fold.
template <typename M>
struct normalization_folded {};

template <typename M>
inline constexpr bool steps_one_by_one<normalization_folded<M>> = steps_one_by_one<M>;

template <typename M>
struct model_fold<normalization_folded<M>> {
  /// Of the whole model as it stands there: to fold it again would take most of a compiler's steps.
  static constexpr graph make() {
    graph made;
    if constexpr (!model_type<M>) {
      made.fault = refuse("a model", type_name<M>(),
                          "write normalization_folded<resnet> for a struct resnet : model<...> {}");
      made.fault.where = "normalization_folded<...>";
    } else if (!is_valid<M>()) {
      made.fault = fault_of<M>::value;
    } else {
      made = fold_whole();
    }
    return made;
  }

  static constexpr problem refuse_late() { return refuse_whole_late<normalization_folded<M>, M>(); }

 private:
  static constexpr graph fold_whole() {
    normalization_folder folder(graph_of<M>);
    graph made;
    if (folder.finds_any()) {
      made = folder.fold();
      made.automatic = frozen_graph_of<M>.automatic;
      made.by_step = frozen_graph_of<M>.by_step;
    } else {
      made.fault = refuse("a BatchNormalization that reads what a Dense or a convolution makes",
                          "none that nobody else reads", "predict the model as it is");
      made.fault.where = "normalization_folded<...>";
    }
    return made;
  }
};

template <typename M>
constexpr std::size_t count_folded_parameters() {
  return normalization_folder(graph_of<M>).parameters().size();
}

template <typename M>
constexpr auto get_folded_parameters() {
  std::array<folded_parameter, count_folded_parameters<M>()> made;
  const list<folded_parameter> found = normalization_folder(graph_of<M>).parameters();
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = found[i];
  }
  return made;
}

/// What the parameters and states of `normalization_folded<M>` are made of, in their order.
template <typename M>
inline constexpr auto folded_parameters_of = get_folded_parameters<M>();

}  // namespace ipu_dsl
