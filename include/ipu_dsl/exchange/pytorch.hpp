// SPDX-License-Identifier: MIT
// Opt-in: weights of a PyTorch module, out of a file of its state_dict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/exchange/array_file.hpp>
#include <ipu_dsl/exchange/array_part.hpp>
#include <ipu_dsl/exchange/load_report.hpp>
#include <ipu_dsl/exchange/loaded_model.hpp>
#include <ipu_dsl/exchange/loading.hpp>
#include <ipu_dsl/exchange/model_parameters.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/model/other_type.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d_transpose.hpp>
#include <ipu_dsl/vocabulary/layers/conv3d.hpp>
#include <ipu_dsl/vocabulary/layers/depthwise_conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/gru.hpp>
#include <ipu_dsl/vocabulary/layers/locally_connected1d.hpp>
#include <ipu_dsl/vocabulary/layers/lstm.hpp>
#include <ipu_dsl/vocabulary/layers/multi_head_attention.hpp>
#include <ipu_dsl/vocabulary/layers/separable_conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>

namespace ipu_dsl {

namespace exchange::pytorch {

/// "encoder.fc1.weight"; of a module that is the whole model "weight".
inline std::string array_name(std::string_view module, std::string_view leaf) {
  return sentence_of({module, module.empty() ? "" : ".", leaf});
}

/// What PyTorch calls a parameter of most layers; others keep their name.
inline std::string_view leaf_of(std::string_view parameter) {
  constexpr std::pair<std::string_view, std::string_view> leaves[] = {
      {"kernel", "weight"},
      {"embeddings", "weight"},
      {"gamma", "weight"},
      {"alpha", "weight"},
      {"beta", "bias"},
      {"moving_mean", "running_mean"},
      {"moving_variance", "running_var"}};
  for (const auto& [ours, theirs] : leaves) {
    if (parameter == ours) {
      return theirs;
    }
  }
  return parameter;
}

/// A kernel of Linear, [out, in]. Features that were or become an image are in another order.
inline parameter_source dense_source(const graph_view& model, const owned_parameter& of) {
  const std::string name = array_name(of.layer.in_file, leaf_of(of.name));
  const shape& extents = of.extents;
  const shape made = image_ahead(model, model.output_of(*of.owner, 0));
  if (extents.rank == 1) {
    return {{{name, extents_of(extents), feature_axes(extents[0], made, 1)}}};
  }
  const shape read = image_behind(model, model.input_of(*of.owner, 0));
  array_part part{name, {extents[1], extents[0]}, feature_axes(extents[0], read, 1)};
  for (const walked_axis& axis : feature_axes(extents[1], made, extents[0])) {
    part.axes.push_back(axis);
  }
  return {{part}};
}

/// A kernel of a convolution, [out, in / groups, taps...]; of a transposed one [in, out, taps...],
/// where ours has out before in.
inline parameter_source convolution_source(const owned_parameter& of, const std::string& module) {
  const std::string name = array_name(module, leaf_of(of.name));
  switch (of.extents.rank) {
    case 3:
      return {{permuted(name, of.extents, {2, 1, 0})}};
    case 4:
      return {{permuted(name, of.extents, {2, 3, 1, 0})}};
    case 5:
      return {{permuted(name, of.extents, {2, 3, 4, 1, 0})}};
    default:
      return {{as_it_is(name, of.extents)}};
  }
}

/// The kernel of a Conv2d with as many groups as channels, [channels x filters of each, 1, rows,
/// columns].
inline parameter_source depthwise_source(const owned_parameter& of, const std::string& module) {
  if (of.extents.rank != 4) {
    return {{as_it_is(array_name(module, leaf_of(of.name)), of.extents)}};
  }
  const std::int64_t rows = of.extents[0];
  const std::int64_t columns = of.extents[1];
  const std::int64_t channels = of.extents[2];
  const std::int64_t each = of.extents[3];
  const std::int64_t taps = rows * columns;
  return {{{array_name(module, "weight"),
            {channels * each, 1, rows, columns},
            {{rows, columns}, {columns, 1}, {channels, each * taps}, {each, taps}}}}};
}

/// A module of two: `depthwise` without a bias, and `pointwise` of one tap.
inline parameter_source separable_source(const owned_parameter& of) {
  if (of.name == "depthwise_kernel") {
    return depthwise_source(of, array_name(of.layer.in_file, "depthwise"));
  }
  owned_parameter pointwise = of;
  pointwise.name = of.name == "pointwise_kernel" ? "kernel" : of.name;
  return convolution_source(pointwise, array_name(of.layer.in_file, "pointwise"));
}

/// Gates lie one behind the other: [gates x units, inputs], a vector of them [gates x units].
/// `order` says which of theirs each of ours is.
inline array_part gates_part(const owned_parameter& of, std::string_view leaf,
                             const std::vector<std::int64_t>& order) {
  const std::string suffix = of.layer.suffix.empty() ? "_l0" : of.layer.suffix;
  const std::string name = array_name(of.layer.in_file, std::string(leaf) + suffix);
  const auto gates = static_cast<std::int64_t>(order.size());
  if (of.extents.rank == 1) {
    const std::int64_t units = of.extents[0] / gates;
    return {name, {of.extents[0]}, {{gates, units, order}, {units, 1}}};
  }
  const std::int64_t inputs = of.extents[0];
  const std::int64_t units = of.extents[1] / gates;
  return {name,
          {of.extents[1], inputs},
          {{inputs, 1}, {gates, units * inputs, order}, {units, inputs}}};
}

/// RNN, LSTM and GRU. What stands in two biases there is one here, but in a GRU that resets after
/// the product.
inline parameter_source recurrent_source(const owned_parameter& of) {
  const bool is_gru = of.owner->rule == &gru_family;
  const bool resets_after = is_gru && of.owner->options.as<recurrent_options>().resets_after != 0;
  if (is_gru && !resets_after) {
    return {{}, "a GRU of PyTorch is one with reset_after<true>"};
  }
  // Input, forget, cell, output are Keras's order as well; update, reset, candidate are not.
  const std::vector<std::int64_t> order = is_gru ? std::vector<std::int64_t>{1, 0, 2}
                                          : of.owner->rule == &lstm_family
                                              ? std::vector<std::int64_t>{0, 1, 2, 3}
                                              : std::vector<std::int64_t>{0};
  if (of.name == "kernel") {
    return {{gates_part(of, "weight_ih", order)}};
  }
  if (of.name == "recurrent_kernel") {
    return {{gates_part(of, "weight_hh", order)}};
  }
  if (of.name == "recurrent_bias") {
    return {{gates_part(of, "bias_hh", order)}};
  }
  parameter_source source{{gates_part(of, "bias_ih", order)}};
  if (!is_gru) {
    source.parts.push_back(gates_part(of, "bias_hh", order));
  }
  return source;
}

/// MultiheadAttention: queries, keys and values are one matrix [3 x units, features] where their
/// inputs have the same features, and three otherwise.
inline parameter_source attention_source(const owned_parameter& of, const array_file& file) {
  const std::string& module = of.layer.in_file;
  const bool is_bias = of.extents.rank == 1;
  constexpr std::string_view parts[] = {"query", "key", "value"};
  std::int64_t which = 0;
  while (which < 3 && !of.name.starts_with(parts[which])) {
    ++which;
  }
  if (which == 3) {
    const std::string name = array_name(module, is_bias ? "out_proj.bias" : "out_proj.weight");
    return {{is_bias ? as_it_is(name, of.extents) : permuted(name, of.extents, {1, 0})}};
  }
  if (is_bias) {
    const std::int64_t units = of.extents[0];
    return {{{array_name(module, "in_proj_bias"), {3 * units}, {{units, 1}}, which * units}}};
  }
  const std::string joined = array_name(module, "in_proj_weight");
  const std::int64_t inputs = of.extents[0];
  const std::int64_t units = of.extents[1];
  if (file.find(joined) < file.size()) {
    return {
        {{joined, {3 * units, inputs}, {{inputs, 1}, {units, inputs}}, which * units * inputs}}};
  }
  constexpr std::string_view leaves[] = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
  return {{permuted(array_name(module, leaves[which]), of.extents, {1, 0})}};
}

/// Whatever is a number for each feature: normalisations, PReLU, embeddings, layers of one's own.
inline parameter_source plain_source(const graph_view& model, const owned_parameter& of) {
  const std::string name = array_name(of.layer.in_file, leaf_of(of.name));
  if (of.extents.rank == 1 && of.owner->inputs == 1) {
    const shape behind = image_behind(model, model.input_of(*of.owner, 0));
    const shape image =
        behind.rank > 0 ? behind : image_ahead(model, model.output_of(*of.owner, 0));
    if (image.elements() == of.extents[0]) {
      return {{{name, extents_of(of.extents), feature_axes(of.extents[0], image, 1)}}};
    }
  }
  array_part part = as_it_is(name, of.extents);
  part.regrouped = of.name == "alpha";
  return {{part}};
}

/// Where a parameter of a model is in a state_dict.
inline parameter_source source_of(const graph_view& model, const owned_parameter& of,
                                  const array_file& file) {
  if (has_unknown_order(model, of)) {
    return {{}, "it reads an image that was reshaped, in an order that is not known of PyTorch's"};
  }
  const family* const rule = of.owner->rule;
  if (rule == &dense_family) {
    return dense_source(model, of);
  }
  for (const family* convolution : {&conv1d_family, &conv2d_family, &conv3d_family,
                                    &conv1d_transpose_family, &conv2d_transpose_family}) {
    if (rule == convolution) {
      return convolution_source(of, of.layer.in_file);
    }
  }
  if (rule == &depthwise_conv2d_family) {
    return depthwise_source(of, of.layer.in_file);
  }
  if (rule == &separable_conv2d_family) {
    return separable_source(of);
  }
  if (rule == &lstm_family || rule == &gru_family || rule == &simple_rnn_family) {
    return recurrent_source(of);
  }
  if (rule == &multi_head_attention_family) {
    return attention_source(of, file);
  }
  if (rule == &locally_connected1d_family) {
    return {{}, "PyTorch has no LocallyConnected1D"};
  }
  return plain_source(model, of);
}

/// `load_pytorch` of a model as a value.
inline load_report load(const graph_view& model, parameters& weights, const std::string& path,
                        const load_options& options) {
  const array_file file = read_arrays(path, options.inflater);
  check_pairs(weights, options.names);
  loader loading(weights, file, options);
  for (const owned_parameter& of : owned_parameters(model, weights, options.names)) {
    loading.read(of.index, source_of(model, of, file));
  }
  for (std::size_t i = 0; i < file.size(); ++i) {
    // How many batches a BatchNorm has seen: nobody here asks.
    if (file.name_of(i).ends_with("num_batches_tracked")) {
      loading.pass_over(i);
    }
  }
  return loading.finish(weights);
}

}  // namespace exchange::pytorch

/// Loads the weights of a model from a `state_dict` of PyTorch in a safetensors or NPZ file, layer
/// by layer: kernels of Linear are transposed, those of convolutions get their channels last, gates
/// the order of Keras, the two biases of a recurrent layer become one, what was flattened with its
/// channels first is put in our order. Modules with other names than our layers are paired:
///
///   load_pytorch<mlp>(run.weights(), "model.safetensors",
///                     {.names = {{"fc1", "dense_0"}, {"fc2", "logits"}}});
///
/// Throws `error`, and changes nothing, if anything about the file is wrong, or if it is not all of
/// this model and nothing else, unless `.partly = true`. Counters of BatchNorm are passed over.
template <typename M = absent_type>
load_report load_pytorch(parameters& weights, const std::string& path,
                         const load_options& options = {}) {
  if constexpr (model_type<M>) {
    return exchange::pytorch::load(graph_of<M>, weights, path, options);
  } else {
    static_assert(refuse_type<M, exchange::loaded_type_fault_of<M, "load_pytorch">>());
    return {};
  }
}

}  // namespace ipu_dsl
