// SPDX-License-Identifier: MIT
// A model for prediction whose BatchNormalization layers are part of the layers before them.
#pragma once

#include <array>
#include <cstddef>

#include <ipu_dsl/model/changed_model.hpp>
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
/// Weights are rounded once more, so that bits differ: what a layer makes by 1e-5 of its largest
/// number at most (`tests/inference/normalization_folded.cpp`). Refused if there is none to fold.
template <typename M>
struct normalization_folded {};

template <typename M>
inline constexpr bool steps_one_by_one<normalization_folded<M>> = steps_one_by_one<M>;

template <typename M>
struct model_fold<normalization_folded<M>> {
  static constexpr graph make() {
    return fold_changed<normalization_folded<M>, M>(
        "normalization_folded<...>",
        "write normalization_folded<resnet> for a struct resnet : model<...> {}", fold_away);
  }

  static constexpr problem refuse_late() { return refuse_whole_late<normalization_folded<M>, M>(); }

 private:
  static constexpr void fold_away(graph& made) {
    normalization_folder folder(made);
    if (folder.finds_any()) {
      made = folder.fold(made);
      return;
    }
    made.fault = refuse("a BatchNormalization that reads what a Dense or a convolution makes",
                        "none that nobody else reads", "predict the model as it is");
    made.fault.where = "normalization_folded<...>";
  }
};

template <typename M>
constexpr std::size_t count_folded_parameters() {
  return normalization_folder(fold<M>()).parameters().size();
}

template <typename M>
constexpr auto get_folded_parameters() {
  std::array<folded_parameter, count_folded_parameters<M>()> made;
  const list<folded_parameter> found = normalization_folder(fold<M>()).parameters();
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = found[i];
  }
  return made;
}

/// What the parameters and states of `normalization_folded<M>` are made of, in their order.
template <typename M>
inline constexpr auto folded_parameters_of = get_folded_parameters<M>();

}  // namespace ipu_dsl
