// SPDX-License-Identifier: MIT
// Whether data fit a model, as far as their types say.
// Over 300 lines: one sentence for each way in which they do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// The extents that are not 1: an image of one channel is an image.
constexpr shape without_unit_extents(const shape& extents) {
  shape kept;
  for (std::int32_t axis = 0; axis < extents.rank; ++axis) {
    if (extents[axis] != 1) {
      kept.extents[kept.rank] = extents[axis];
      ++kept.rank;
    }
  }
  return kept;
}

/// What data tell of their samples, as a type says it.
struct data_form {
  list_view<data_source> inputs;
  list_view<data_source> targets;
  list_view<data_source> weights = {};
};

/// Whether data have the channels of an image in front that the model has behind.
constexpr bool has_channels_in_front(const shape& data, const shape& image) {
  return data.rank == 3 && image.rank == 3 && data[0] == image[2] && data[1] == image[0] &&
         data[2] == image[1];
}

/// What to do about samples of another shape than the model's input.
constexpr text<191> hint_of_shape(const shape& data, const shape& input) {
  if (has_channels_in_front(data, input)) {
    return "the data have the channels of an image in front: here they are the last axis, so "
           "transpose the data";
  }
  if (data.rank == input.rank + 1 && data.elements() == data[0] * input.elements()) {
    return text<191>("data are single samples, of which micro_batch<")
           << data[0]
           << "> of compile makes batches; or give the model's input the shape of the data";
  }
  return "give the model's input the shape of the data";
}

/// Samples must have the shape of the model's input.
constexpr problem check_samples(const tensor& input, const data_source& data) {
  if (data.type != input.type) {
    const bool bytes_as_floats = input.type == dtype::uint8 && data.type == dtype::float32;
    return refuse(label("samples of ") << name_of(input.type), name_of(data.type),
                  bytes_as_floats
                      ? "a data set that keeps bytes gives them by as_bytes(digits); of "
                        "others give the model's input the type of the data"
                      : "give the model's input the type of the data; of several, data have their "
                        "columns in the order of the inputs");
  }
  if (!(without_unit_extents(data.extents) == without_unit_extents(input.extents))) {
    return refuse(label("samples of shape ") << describe(input.extents), describe(data.extents),
                  hint_of_shape(data.extents, input.extents));
  }
  if (input.type == dtype::int32 && data.classes > input.classes) {
    return refuse(label("integers of at most ") << input.classes << " classes",
                  label() << data.classes << " classes",
                  "give the Embedding as many rows as the data have classes");
  }
  return {};
}

/// The loss, or if there is none the metric, that judges by a target or a weight.
constexpr std::string_view judge_of(const graph_view& model, std::int32_t told) {
  for (const node& here : model.nodes) {
    for (std::int32_t i = 1; here.purpose != node_purpose::layer && i < here.inputs; ++i) {
      if (model.input_of(here, i) == told) {
        return here.rule->name;
      }
    }
  }
  return {};
}

/// Labels must be one for each position of the output.
constexpr problem check_positions(const shape& wanted, const shape& given) {
  if (given.rank == 0) {
    return refuse(
        label("labels of shape ") << describe(wanted) << ", one at each position", "one a sample",
        wanted.rank == 1 ? "for a class of the whole sequence leave out the last "
                           "return_sequences<true>, or put Flatten before Dense; for others write "
                           "label_column<classes, shape{...}>"
                         : "for a class of the whole sample put Flatten before Dense, which "
                           "multiplies the last axis alone; for others write label_column<classes, "
                           "shape{...}>");
  }
  return wanted.rank == 0
             ? refuse("one label a sample", label("labels of shape ") << describe(given),
                      "end the model in scores at each position, or give one label")
             : refuse(label("labels of shape ") << describe(wanted), describe(given),
                      "give each position of the output a label");
}

/// Labels must have no more classes than the loss tells apart, other targets its shape.
constexpr problem check_targets(const graph_view& model, std::int32_t target,
                                const data_source& data) {
  const tensor& wanted = model.at(target);
  const bool wants_labels = wanted.type == dtype::int32;
  if (wants_labels != (data.classes > 0)) {
    const std::string_view loss = judge_of(model, target);
    return wants_labels
               ? refuse(label("labels, which the loss ") << loss << " judges by", "float targets",
                        "give integers as a label_column<classes>, or take a loss of float "
                        "targets: categorical_crossentropy of one-hot rows, mean_squared_error of "
                        "numbers")
               : refuse(label("float targets, which the loss ") << loss << " judges by", "labels",
                        "take sparse_categorical_crossentropy, or give the data as a "
                        "paired_dataset");
  }
  if (wants_labels &&
      !(without_unit_extents(data.extents) == without_unit_extents(wanted.extents))) {
    return check_positions(wanted.extents, data.extents);
  }
  if (wants_labels && data.classes > wanted.classes) {
    return refuse(
        label("labels of at most ") << wanted.classes << " classes, as many as the model scores",
        label() << data.classes << " classes", "end the model in as many units as classes");
  }
  if (!wants_labels &&
      !(without_unit_extents(data.extents) == without_unit_extents(wanted.extents))) {
    return refuse(label("targets of shape ") << describe(wanted.extents), describe(data.extents),
                  "end the model in the shape of the targets");
  }
  return {};
}

/// Training and evaluating take a loss.
constexpr problem check_loss(const graph_view& model) {
  if (!is_null(model.loss())) {
    return {};
  }
  problem found = refuse(
      "a model compiled with a loss", "one without, which can only predict",
      "write loss<...> behind the model in compile: sparse_categorical_crossentropy for labels, "
      "mean_squared_error for numbers");
  found.where = "fit and evaluate";
  return found;
}

/// "2 inputs".
constexpr label count_of_sources(std::int32_t count, tensor_role role) {
  const char* const plural = count == 1 ? "" : "s";
  label words;
  words << count;
  if (role == tensor_role::weight) {
    words << " array" << plural << " of weights";
  } else {
    words << (role == tensor_role::input ? " input" : " target") << plural;
  }
  return words;
}

/// What is wrong with the number of inputs or targets of data.
constexpr problem check_data_count(const graph_view& model, tensor_role role, std::size_t given) {
  const std::int32_t wanted = model.count(role);
  // Without a loss nobody asks for targets.
  if (wanted == static_cast<std::int32_t>(given) || (role == tensor_role::target && wanted == 0)) {
    return {};
  }
  return refuse(
      count_of_sources(wanted, role), count_of_sources(static_cast<std::int32_t>(given), role),
      static_cast<std::int32_t>(given) < wanted
          ? "zipped(...) makes one data set of several: feature_column and index_column are "
            "inputs, target_column and label_column targets"
      : role == tensor_role::target
          ? "no loss and no metric asks for more: take the column out, or write a loss "
            "for_output<...> of another output"
          : "take out what the model has no input for");
}

/// Weights that the loss does not ask for; `what` is to be taken out.
constexpr problem refuse_unasked_weights(const graph_view& model, const label& expected,
                                         const label& got, std::string_view what) {
  return refuse(expected, got,
                text<191>("write loss<") << model.loss()->rule->name
                                         << ", sample_weights>, or take the " << what << " out");
}

/// What is wrong with the weights of data: a loss, or a metric, asks for each of them.
constexpr problem check_weights(const graph_view& model, list_view<data_source> given) {
  const std::int32_t wanted = model.count(tensor_role::weight);
  const auto count = static_cast<std::int32_t>(given.size());
  if (wanted == 0 && count > 0) {
    return refuse_unasked_weights(model, "data without weights, since no loss asks for them",
                                  "a column of weights", "column");
  }
  if (count < wanted) {
    const std::int32_t missing = model.source(tensor_role::weight, count);
    return refuse(label("weights of the samples, which ")
                      << judge_of(model, missing) << " asks for",
                  count == 0 ? "none" : "too few",
                  "zip them in: zipped(features, targets, weight_column(weights))");
  }
  if (count > wanted) {
    return refuse(label() << wanted << (wanted == 1 ? " column" : " columns") << " of weights",
                  label() << count, "one for each output whose loss has sample_weights");
  }
  for (std::int32_t i = 0; i < count; ++i) {
    const shape& extents = model.at(model.source(tensor_role::weight, i)).extents;
    if (!(without_unit_extents(given[i].extents) == without_unit_extents(extents))) {
      return refuse(label("weights of shape ") << describe(extents), describe(given[i].extents),
                    extents.rank == 0 ? "write weight_column(weights): one a sample"
                                      : "write weight_column<shape{...}>(weights)");
    }
  }
  return {};
}

/// Which of several columns is wrong; of one alone that it is in the data.
constexpr label place_in_data(const char* role, std::size_t number, std::size_t count) {
  return count > 1 ? label(role) << number << " of the data, counted from 0" : label("the data");
}

/// What is wrong with the inputs of data for a model.
constexpr problem check_inputs(const graph_view& model, list_view<data_source> inputs) {
  problem found = check_data_count(model, tensor_role::input, inputs.size());
  found.where = "the data";
  for (std::size_t i = 0; i < inputs.size() && !found.found(); ++i) {
    const std::int32_t input = model.source(tensor_role::input, static_cast<std::int32_t>(i));
    found = check_samples(model.at(input), inputs[i]);
    found.where = place_in_data("input ", i, inputs.size());
  }
  return found;
}

/// What is wrong with the targets of data for a model.
constexpr problem check_all_targets(const graph_view& model, list_view<data_source> targets) {
  problem found = check_data_count(model, tensor_role::target, targets.size());
  found.where = "the data";
  for (std::size_t i = 0; i < targets.size() && !found.found(); ++i) {
    const std::int32_t target = model.source(tensor_role::target, static_cast<std::int32_t>(i));
    if (target >= 0) {
      found = check_targets(model, target, targets[i]);
      found.where = place_in_data("target ", i, targets.size());
    }
  }
  return found;
}

/// What is wrong with data for a model.
constexpr problem check_data(const graph_view& model, const data_form& data) {
  problem found = check_inputs(model, data.inputs);
  if (!found.found()) {
    found = check_all_targets(model, data.targets);
  }
  if (!found.found()) {
    found = check_weights(model, data.weights);
    found.where = "the data";
  }
  return found;
}

/// What to write where another number of arrays is given.
constexpr text<191> hint_of_arrays(const graph_view& model, tensor_role role, std::int32_t wanted,
                                   std::int32_t given) {
  const auto outputs = static_cast<std::int32_t>(model.outputs.size());
  if (role == tensor_role::target && given > wanted && outputs > wanted) {
    text<191> hint = "losses and metrics judge ";
    return hint << wanted << " of the " << outputs << " outputs: give the targets of "
                << (wanted == 1 ? "that one" : "those") << ", or judge more by for_output<...>";
  }
  if (role == tensor_role::input) {
    return wanted == 1 ? "give it all features in one array"
                       : "write input_arrays{first, second} with an array for each";
  }
  if (role == tensor_role::target) {
    return wanted == 1 ? "give it all of them in one array"
                       : "write target_arrays{first, second} with an array for each";
  }
  return wanted == 1 ? "write the weights behind the targets: fit(features, labels, weights), "
                       "validation_data(features, labels, weights)"
                     : "write weight_arrays{first, second} behind the targets, with an array for "
                       "each loss with sample_weights";
}

/// Plain arrays are as many as the model takes.
constexpr problem check_array_count(const graph_view& model, tensor_role role, std::int32_t given) {
  const std::int32_t wanted = model.count(role);
  problem found;
  if (role == tensor_role::weight && wanted == 0 && given > 0) {
    found = refuse_unasked_weights(model, "no weights, since no loss asks for them",
                                   count_of_sources(given, role), "weights");
    found.where = "the batch";
  } else if (wanted != given && (role != tensor_role::target || wanted > 0)) {
    found = refuse(count_of_sources(wanted, role), count_of_sources(given, role),
                   hint_of_arrays(model, role, wanted, given));
    found.where = "the batch";
  }
  return found;
}

/// There is room for as many outputs as the model has.
constexpr problem check_output_count(const graph_view& model, std::size_t given) {
  problem found;
  if (model.outputs.size() != given) {
    found = refuse(label("room for ") << model.outputs.size()
                                      << (model.outputs.size() == 1 ? " output" : " outputs"),
                   label() << given, "write output_arrays{first, second} with an array for each");
    found.where = "predict";
  }
  return found;
}

/// Plain arrays must hold what the model takes.
constexpr problem check_array(const graph_view& model, tensor_role role, dtype given,
                              std::int32_t number = 0) {
  const std::int32_t wanted = model.source(role, number);
  if (wanted < 0 || model.at(wanted).type == given) {
    return {};
  }
  const bool floats = model.at(wanted).type == dtype::float32;
  problem found;
  if (role == tensor_role::input) {
    found = refuse(label("an input of ") << name_of(model.at(wanted).type), name_of(given),
                   floats ? "write them as float" : "write them as std::int32_t");
  } else {
    found = refuse(floats ? "targets that are floats" : "labels, std::int32_t",
                   given == dtype::float32 ? label("floats")
                   : given == dtype::int32 ? label("labels, std::int32_t")
                                           : label() << name_of(given),
                   text<191>("the loss ")
                       << judge_of(model, wanted) << " judges by these: write them as "
                       << (floats ? "float" : "std::int32_t"));
  }
  found.where = "the batch";
  return found;
}

/// A batch has one axis more than a sample.
constexpr problem check_rank(const graph_view& model, std::int32_t rank) {
  const shape& input = model.input().extents;
  if (rank == input.rank + 1) {
    return {};
  }
  problem found =
      refuse(label("a tensor of rank ") << input.rank + 1 << ": samples x " << describe(input),
             label("rank ") << rank, "the first axis counts the samples");
  found.where = "the batch";
  return found;
}

}  // namespace ipu_dsl
