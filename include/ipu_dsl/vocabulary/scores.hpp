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

inline constexpr option_key scores_key{"what the model's output is taken for"};
inline constexpr option_key label_smoothing_key{"label_smoothing"};

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

/// The activation that the numbers of the output have gone through last, of a layer or between
/// layers, whatever shape they have been given since.
constexpr activation_kind activation_behind_output(node_draft& draft) {
  const node* const last = draft.computed_by(0);
  return last == nullptr ? activation_kind::linear : last->rule->activation(last->options);
}

/// A model that ends in `last` (softmax, or sigmoid) trains on the logits before it, whatever was
/// asked, as Keras does: the gradient of the logarithm is exact there, and a second softmax would
/// be wrong. Where a loss cannot read these logits as they lie, behind a Reshape, or positions of a
/// loss of single numbers, the output is taken for clipped probabilities, as is what has gone
/// through the other of the two. Probabilities of a model that ends otherwise are refused, unless
/// Keras's clipping is asked for by name. `Options` have `scores`.
template <typename Options>
constexpr problem choose_scores(node_draft& draft, activation_kind last) {
  auto options = draft.options<Options>();
  const activation_kind through = activation_behind_output(draft);
  const bool between_zero_and_one =
      through == activation_kind::sigmoid || through == activation_kind::softmax;
  if (made_by(draft, last) && draft.pass_over_producer()) {
    options.scores = score_kind::logits;
    draft.choose(options);
    return {};
  }
  if (through == last || (between_zero_and_one && options.scores == score_kind::logits)) {
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
