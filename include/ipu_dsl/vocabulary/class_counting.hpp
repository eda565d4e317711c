// SPDX-License-Identifier: MIT
// What the metrics have in common that say something of each class: how many samples of a class the
// output takes for which.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/checked_numbers.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/counting.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/result_check.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>
#include <ipu_dsl/vocabulary/threshold.hpp>

namespace ipu_dsl {

/// The samples of each class by what they were taken for, the sum over all that were judged.
struct confusion_counts {
  counted_sums counted;  ///< [classes, classes]: the class it is, the class that the output says
  std::int32_t classes;

  double of(std::int32_t is, std::int32_t said) const { return counted[is * classes + said]; }

  /// Those that are of a class, and those that were taken for it.
  double all_that_are(std::int32_t is) const {
    double sum = 0;
    for (std::int32_t said = 0; said < classes; ++said) {
      sum += of(is, said);
    }
    return sum;
  }

  double all_said(std::int32_t said) const {
    double sum = 0;
    for (std::int32_t is = 0; is < classes; ++is) {
      sum += of(is, said);
    }
    return sum;
  }
};

/// No such rule. One is:
///
///   struct my_rule {
///     // How many numbers are reported.
///     static constexpr std::int32_t reported(std::int32_t classes);
///
///     // Which: [reported(classes)].
///     static void final_values(const confusion_counts& counts, reported_numbers values);
///   };
struct no_class_rule {};

/// The rule of a metric of the confusion matrix, specialised in its own header.
template <const family* Judge>
struct class_rule {
  using type = no_class_rule;
};

/// Whether a metric is made of the confusion matrix and its rule is known.
template <const family* Judge>
concept judges_classes = !std::same_as<typename class_rule<Judge>::type, no_class_rule>;

/// Writes the result, [classes x classes]; reads output, target, weights.
struct class_call {
  static constexpr std::string_view joined_by = "class_rule";

  std::int32_t batch;
  std::int32_t units;    ///< numbers of a sample; of one alone there are two classes
  std::int32_t classes;  ///< that are told apart
  std::int32_t labels;   ///< 1: targets are numbers of classes
  weighing weights;
};

namespace class_rules {

/// More would not lie beside each other for every micro-batch of an update.
inline constexpr std::int32_t most_classes = 256;

/// Scores of classes, by labels, or by floats where the loss is told these; or one probability, by
/// a float that is 0 or not.
constexpr problem shapes(node_draft& draft) {
  const shape scores = draft.input(0);
  if (scores.rank != 1) {
    return refuse("a vector, one score a class", describe(scores));
  }
  if (scores[0] > most_classes) {
    return refuse(label("at most ") << most_classes << " classes", describe(scores));
  }
  const bool yes_or_no = scores[0] == 1;
  const std::int32_t classes = yes_or_no ? 2 : scores[0];
  if (yes_or_no || draft.others_are_told_floats()) {
    draft.target(scores, dtype::float32);
  } else {
    draft.target({}, dtype::int32, classes);
  }
  draft.result(classes * classes);
  if (yes_or_no) {
    return check_probabilities(draft);
  }
  // The largest score is the largest probability: training needs no softmax for this.
  if (made_by(draft, activation_kind::softmax)) {
    draft.pass_over_producer();
  }
  return {};
}

constexpr void forward(emitter& emit) {
  const std::int32_t units = emit.input_shape(0)[0];
  const class_call key = {.batch = emit.batch(),
                          .units = units,
                          .classes = units == 1 ? 2 : units,
                          .labels = emit.input_shape(1).rank == 0 ? 1 : 0,
                          .weights = sample_weights_rules::of(emit)};
  call_draft call = emit.call(key);
  check_result(emit, call, std::int64_t{key.classes} * key.classes);
  const axis_id number = call.over(std::int64_t{key.classes} * key.classes);
  const axis_id sample = call.all(key.batch);
  const axis_id unit = call.all(key.units);
  call.writes(emit.output_value(0), {number}).reads(emit.input_value(0), {sample, unit});
  if (key.labels != 0) {
    call.reads(emit.input_value(1), {sample});
  } else {
    call.reads(emit.input_value(1), {sample, unit});
  }
  sample_weights_rules::read(emit, call, sample);
  call.costs(std::int64_t{key.batch} * key.units);
}

}  // namespace class_rules

}  // namespace ipu_dsl
