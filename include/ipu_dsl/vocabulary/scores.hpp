// SPDX-License-Identifier: MIT
// What cross-entropies have in common: what the model's output is taken for, and smoothed targets.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>

namespace ipu_dsl {

/// What the model's output is taken for.
enum class score_kind : std::int32_t {
  logits,                ///< any numbers: the loss applies softmax or sigmoid itself
  probabilities,         ///< of a softmax or a sigmoid at the end of the model
  clipped_probabilities  ///< clipped to [1e-7, 1 - 1e-7], as Keras does with what is made otherwise
};

inline constexpr option_key scores_key{"from_logits or from_probabilities"};
inline constexpr option_key label_smoothing_key{
    "label_smoothing", "loss<categorical_crossentropy, label_smoothing<0.1F>>"};

/// The output holds logits: the default, unlike Keras's, because it is what trains well.
struct from_logits {
  static constexpr option as_option{&scores_key, 0};
};

/// The output holds probabilities, from a softmax or a sigmoid.
struct from_probabilities {
  static constexpr option as_option{&scores_key, 1};
};

/// The output is taken for probabilities clipped to [1e-7, 1 - 1e-7], as Keras
/// does.
struct from_clipped_probabilities {
  static constexpr option as_option{&scores_key, 2};
};

/// Moves targets towards the uniform ones by this share: `label_smoothing<0.1F>`.
template <auto Share>
struct label_smoothing {
  static constexpr option as_option = real_option(&label_smoothing_key, Share);
};

/// What cross-entropies of float targets accept.
inline constexpr const option_key* smoothed_keys[] = {&scores_key, &label_smoothing_key};

constexpr problem check_smoothing(float share) {
  if (share >= 0.0F && share < 1.0F) {
    return {};
  }
  return refuse("a label_smoothing of at least 0 and below 1", label() << share,
                "label_smoothing<0.1F> takes a tenth from what the targets say");
}

/// A model that ends in `last` (softmax, or sigmoid) trains on the logits before it, whatever was
/// asked, as Keras does: the gradient of the logarithm is exact there, and a second softmax would
/// be wrong. Where a loss cannot read these logits as they lie, behind a Reshape, or positions of a
/// loss of single numbers, the output is taken for clipped probabilities, as is all else that has
/// gone through a sigmoid or a softmax. Probabilities of a model that ends otherwise are refused,
/// unless Keras's clipping is asked for by name. `Options` have `scores`.
template <typename Options>
constexpr problem choose_scores(node_draft& draft, activation_kind last) {
  auto options = draft.options<Options>();
  if (made_by(draft, last) && draft.pass_over_producer()) {
    options.scores = score_kind::logits;
    draft.choose(options);
    return {};
  }
  if (makes_probabilities(draft.activation_behind(0))) {
    options.scores = score_kind::clipped_probabilities;
    draft.choose(options);
    return {};
  }
  if (options.scores == score_kind::probabilities) {
    return refuse(label("an output of ") << name_of(last) << " for a loss from probabilities",
                  label("one without ") << name_of(last),
                  "drop from_probabilities to train on logits, or write from_clipped_probabilities "
                  "for Keras's clipping of the output");
  }
  return {};
}

}  // namespace ipu_dsl
