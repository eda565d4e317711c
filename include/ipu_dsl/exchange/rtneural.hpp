// SPDX-License-Identifier: MIT
// Opt-in: weights of a model in RTNeural's JSON, layer by layer in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/exchange/array_part.hpp>
#include <ipu_dsl/exchange/load_report.hpp>
#include <ipu_dsl/exchange/loaded_model.hpp>
#include <ipu_dsl/exchange/model_parameters.hpp>
#include <ipu_dsl/exchange/rtneural_steps.hpp>
#include <ipu_dsl/formats/npy_header.hpp>
#include <ipu_dsl/formats/rtneural.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/model/other_type.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/gru.hpp>
#include <ipu_dsl/vocabulary/layers/prelu.hpp>

namespace ipu_dsl {

namespace exchange::rtneural {

/// A number that a file says of a layer, or does not, and that of the model.
struct layer_number {
  std::string_view what;
  std::int64_t in_file;  ///< 0: it does not say
  std::int64_t in_model;
};

/// Throws `error` if a file says another number of a layer than the model has.
inline void check_numbers(std::span<const layer_number> numbers, const model_step& ours,
                          const model_step& theirs, std::string_view file) {
  for (const layer_number& number : numbers) {
    if (number.in_file != 0 && number.in_file != number.in_model) {
      raise_error({"The ", theirs.name, " of ", file, " has ", number.what, " ", number.in_file,
                   " where ", ours.name, " of the model has ", number.in_model, "."});
    }
  }
}

/// Throws `error` if a convolution has another padding than the model's. Other words than Keras's
/// say nothing.
inline void check_padding(padding_kind in_model, const model_step& ours, const model_step& theirs,
                          const rtneural_layer& layer, std::string_view file) {
  const bool is_same = in_model == padding_kind::same;
  if (layer.padding == (is_same ? "valid" : "same")) {
    raise_error({"The ", theirs.name, " of ", file, " has the padding ", layer.padding, " where ",
                 ours.name, " of the model has ", name_of(in_model), "."});
  }
}

/// Throws `error` if a file says something else of a layer than the model: dilations say nothing in
/// the shapes of weights.
inline void check_layer(const graph_view& model, const model_step& ours, const model_step& theirs,
                        const rtneural_layer& layer, std::string_view file) {
  const node& here = *ours.owner;
  const shape& made = model.at(model.output_of(here, 0)).extents;
  const layer_number outputs[] = {{"a last extent of", layer.outputs, made[made.rank - 1]}};
  check_numbers(outputs, ours, theirs, file);
  if (here.rule == &conv1d_family || here.rule == &conv2d_family) {
    const auto options = here.options.as<convolution_options>();
    const bool is_sequence = here.rule == &conv1d_family;
    const layer_number numbers[] = {
        {"a dilation of", layer.dilation,
         is_sequence ? options.dilation_columns : options.dilation_rows},
        {"groups of", layer.groups, options.groups},
        {"strides of", layer.stride, options.stride_columns}};
    check_numbers(numbers, ours, theirs, file);
    if (!is_sequence) {
      check_padding(options.padding, ours, theirs, layer, file);
    }
  }
  if (here.rule == &batch_normalization_family &&
      here.options.as<batch_normalization_options>().epsilon != layer.epsilon) {
    raise_error({"The ", theirs.name, " of ", file, " and ", ours.name,
                 " of the model have different epsilons. Hint: Keras's is 0.001, as here."});
  }
}

/// Where a parameter of a layer is among its arrays: Keras's order, in which a GRU has both biases
/// in one array.
struct array_place {
  std::size_t array = 0;
  array_part part;
};

inline array_place place_of(const owned_parameter& of, std::size_t number) {
  if (of.owner->rule == &gru_family && of.extents.rank == 1) {
    const std::int64_t columns = of.extents[0];
    const std::int64_t first = of.name == "recurrent_bias" ? columns : 0;
    return {2, {"", {2, columns}, {{columns, 1}}, first}};
  }
  array_place place{number, as_it_is("", of.extents)};
  place.part.regrouped = of.owner->rule == &prelu_family;
  return place;
}

/// The values of a parameter out of its layer. Throws `error` if they are not there, or have other
/// extents.
inline std::vector<float> values_of(const owned_parameter& of, const array_place& place,
                                    const rtneural_layer& layer, const std::string& called) {
  if (place.array >= layer.weights.size()) {
    raise_error({"The ", called, " has ", layer.weights.size(), " arrays of weights; the ", of.name,
                 " of the model is number ", place.array, "."});
  }
  const rtneural_array& array = layer.weights[place.array];
  if (!fits(place.part, array.extents)) {
    raise_error({"The weights ", place.array, " of the ", called, " are ",
                 npy::describe(array.extents), " where the ", of.name, " of the model, ",
                 describe(of.extents), ", takes ", npy::describe(place.part.extents), "."});
  }
  std::vector<float> values(static_cast<std::size_t>(of.extents.elements()));
  take_part(place.part, array.values, values);
  return values;
}

/// The parameters of a model, with what a file has for them.
inline std::vector<std::vector<float>> gather(const graph_view& model,
                                              std::span<const owned_parameter> owned,
                                              std::span<const model_step> ours,
                                              std::span<const model_step> theirs,
                                              const rtneural_model& from, std::string_view file) {
  std::vector<std::vector<float>> gathered;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].owner == nullptr) {
      continue;
    }
    const rtneural_layer& layer = from.layers[theirs[i].layer];
    check_layer(model, ours[i], theirs[i], layer, file);
    const std::string called =
        sentence_of({theirs[i].name, " of ", file, ", ", ours[i].name, " of the model,"});
    std::size_t taken = 0;
    for (std::size_t number = 0;
         gathered.size() < owned.size() && owned[gathered.size()].owner == ours[i].owner;
         ++number) {
      const owned_parameter& of = owned[gathered.size()];
      const array_place place = place_of(of, number);
      gathered.push_back(values_of(of, place, layer, called));
      taken = place.array + 1;
    }
    if (taken != layer.weights.size()) {
      raise_error({"The ", called, " has ", layer.weights.size(),
                   " arrays of weights where the "
                   "model takes ",
                   taken, "."});
    }
  }
  return gathered;
}

/// `load_rtneural` of a model as a value.
inline load_report load(const graph_view& model, parameters& weights, const std::string& path) {
  const rtneural_model from = read_rtneural(path);
  const std::vector<owned_parameter> owned = owned_parameters(model, weights, {});
  const std::vector<model_step> ours = steps_of(model);
  const std::vector<model_step> theirs = steps_of(from, path);
  const shape& read = model.input().extents;
  const std::int64_t features = read.rank > 0 ? read[read.rank - 1] : 1;
  if (from.inputs != features) {
    raise_error({"The model in ", path, " reads ", from.inputs, " features; this one reads ",
                 features, "."});
  }
  check_steps(ours, theirs, path);
  const std::vector<std::vector<float>> gathered = gather(model, owned, ours, theirs, from, path);
  load_report report;
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    weights.set(owned[i].index, gathered[i]);
    report.matched.push_back(weights.name(owned[i].index));
  }
  return report;
}

}  // namespace exchange::rtneural

/// Loads the weights of a model from RTNeural's JSON, by the order of the layers, which have no
/// names there. Layers and activations must be the same: Dense, Conv1D, Conv2D, GRU, LSTM, PReLU,
/// BatchNormalization and activations; a Dropout of the model is passed over.
///
///   load_rtneural<amplifier>(run.weights(), "model.json");
///
/// Returns which parameters were loaded: all of them. Throws `error` that names the layer, and
/// changes nothing, if anything about the file is wrong or it is another model.
template <typename M = absent_type>
load_report load_rtneural(parameters& weights, const std::string& path) {
  if constexpr (model_type<M>) {
    return exchange::rtneural::load(graph_of<M>, weights, path);
  } else {
    static_assert(refuse_type<M, exchange::loaded_type_fault_of<M, "load_rtneural">>());
    return {};
  }
}

}  // namespace ipu_dsl
