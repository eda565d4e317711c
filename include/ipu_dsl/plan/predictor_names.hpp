// SPDX-License-Identifier: MIT
// The names of what <ipu_dsl/inference.hpp> defines: of a program that did not include it a
// compiler says that these are incomplete, once, and not that it knows none of the words.
#pragma once

#include <ipu_dsl/layout/architecture.hpp>
#include <ipu_dsl/plan/options.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// A model's weights, in memory of their own.
template <typename M>
class weights_of;  // defined by <ipu_dsl/inference.hpp>

/// Predicts micro-batches of a model.
template <typename M, typename Batch = micro_batch<1>>
class predictor;  // defined by <ipu_dsl/inference.hpp>

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
