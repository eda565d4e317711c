// SPDX-License-Identifier: MIT
// ActivityRegularization: a penalty on what passes through, as a layer.
#pragma once

#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/asked_of_weights.hpp>

namespace ipu_dsl {

namespace activity_regularization_rules {

constexpr problem shapes(node_draft& draft) {
  draft.view(0, draft.input(0));
  return {};
}

}  // namespace activity_regularization_rules

inline constexpr family activity_regularization_family{
    .name = "ActivityRegularization",
    .shapes = activity_regularization_rules::shapes,
    .reads = {storage::rows, storage::positions},
    .writes = {storage::rows, storage::positions},
    .passes_mask = true};

/// Hands on what it is given, and adds its penalty to the loss, as `activity_regularizer<...>` of
/// the layer before would: `ActivityRegularization<l1_l2<0.01F, 0.02F>>`. Moves nothing.
template <typename Regularizer = void>
struct ActivityRegularization {
 private:
  using asked = activity_regularizer<Regularizer>;

  static constexpr const option_key* accepted[] = {&activity_regularizer_key};
  static constexpr problem fault = options_of<asked>.find_fault(accepted);

 public:
  static constexpr element description{.kind = element_kind::layer,
                                       .rule = &activity_regularization_family,
                                       .fault = &fault,
                                       .weights = find_weight_rules<asked>()};
};

}  // namespace ipu_dsl
