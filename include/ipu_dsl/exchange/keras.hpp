// SPDX-License-Identifier: MIT
// Opt-in: weights of a Keras model, out of a file that names them as Keras does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/exchange/array_file.hpp>
#include <ipu_dsl/exchange/array_part.hpp>
#include <ipu_dsl/exchange/keras_layers.hpp>
#include <ipu_dsl/exchange/load_report.hpp>
#include <ipu_dsl/exchange/loaded_model.hpp>
#include <ipu_dsl/exchange/loading.hpp>
#include <ipu_dsl/exchange/model_parameters.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/model/other_type.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/vocabulary/layers/gru.hpp>
#include <ipu_dsl/vocabulary/layers/multi_head_attention.hpp>
#include <ipu_dsl/vocabulary/layers/normalization.hpp>

namespace ipu_dsl {

namespace exchange::keras {

/// A name without what Keras 2 ends it with: "dense/kernel" of "dense/kernel:0".
inline std::string_view weight_name(std::string_view array) {
  return array.ends_with(":0") ? array.substr(0, array.size() - 2) : array;
}

/// Whether an array is what a layer calls `leaf`: "lstm/lstm_cell/kernel" is the kernel of "lstm".
inline bool is_weight_of(std::string_view array, std::string_view layer, std::string_view leaf) {
  std::string_view name = weight_name(array);
  if (!layer.empty()) {
    if (!name.starts_with(layer) || name.substr(layer.size()).find('/') != 0) {
      return false;
    }
    name.remove_prefix(layer.size() + 1);
  }
  return name == leaf || (name.ends_with(leaf) && name[name.size() - leaf.size() - 1] == '/');
}

/// The name in the file of what a layer calls one of `leaves`, or what it would be. Throws `error`
/// if two arrays could be meant.
inline std::string find_array(const owned_parameter& of, const array_file& file,
                              std::initializer_list<std::string_view> leaves) {
  const std::string& layer = of.layer.in_file;
  std::string found;
  for (const std::string_view leaf : leaves) {
    for (std::size_t i = 0; i < file.size(); ++i) {
      if (!is_weight_of(file.name_of(i), layer, leaf) ||
          !is_of_way(*of.owner, file.name_of(i).substr(layer.size()))) {
        continue;
      }
      if (!found.empty()) {
        raise_error({"Both ", printable(found), " and ", printable(file.name_of(i)), " of ",
                     file.name(), " could be the ", leaf, " of ", printable(layer),
                     ". Hint: pair the layer with a longer name in .names."});
      }
      found = file.name_of(i);
    }
    if (!found.empty()) {
      return found;
    }
  }
  return sentence_of({layer, "/", *leaves.begin()});
}

/// Kernels and biases of heads, [features, heads, numbers of each], of the output [heads, numbers
/// of each, features]: our matrices have them in the same order, and an array of as many axes will
/// do.
inline parameter_source attention_source(const owned_parameter& of, const array_file& file) {
  const std::size_t between = of.name.find('_');
  const std::string_view which = of.name.substr(0, between);
  const std::string leaf = sentence_of(
      {which == "output" ? "attention_output" : which, "/", of.name.substr(between + 1)});
  array_part part = as_it_is(find_array(of, file, {leaf}), of.extents);
  const std::size_t found = file.find(part.array);
  const bool is_matrix =
      found < file.size() && file.extents_of(found).size() == part.extents.size();
  if (!is_matrix && of.name != "output_bias") {
    const std::int64_t heads = of.owner->options.as<multi_head_attention_options>().heads;
    const auto of_heads =
        part.extents.begin() + (which == "output" || of.extents.rank == 1 ? 0 : 1);
    *of_heads /= heads;
    part.extents.insert(of_heads, heads);
  }
  return {{part}};
}

/// The two biases of a GRU that resets after the product are the rows of one.
inline parameter_source bias_of_gru(const owned_parameter& of, const array_file& file) {
  const std::int64_t columns = of.extents[0];
  const std::int64_t first = of.name == "recurrent_bias" ? columns : 0;
  return {{{find_array(of, file, {"bias"}), {2, columns}, {{columns, 1}}, first}}};
}

/// Where a parameter of a model is in a file. Orders of axes and gates are ours.
inline parameter_source source_of(const owned_parameter& of, const array_file& file) {
  if (of.owner->rule == &multi_head_attention_family) {
    return attention_source(of, file);
  }
  if (of.owner->rule == &gru_family && of.extents.rank == 1 &&
      of.owner->options.as<recurrent_options>().resets_after != 0) {
    return bias_of_gru(of, file);
  }
  std::string array;
  if (of.name == "depthwise_kernel") {
    array = find_array(of, file, {of.name, "kernel"});
  } else if (of.name == "gamma") {
    array = find_array(of, file, {of.name, "scale"});
  } else if (of.name == "embeddings") {
    array = find_array(of, file, {of.name, "position_embeddings", "position_embedding"});
  } else {
    array = find_array(of, file, {of.name});
  }
  return {{as_it_is(array, of.extents)}};
}

/// Throws `error` if a layer takes an array that another takes already, both by what their wrapper
/// is called.
inline void check_taken_once(std::vector<std::pair<std::string, std::string>>& taken,
                             const array_file& file, const owned_parameter& of,
                             const parameter_source& source) {
  const std::string& array = source.parts[0].array;
  for (const auto& [name, layer] : taken) {
    if (name == array && layer != of.layer.in_model) {
      raise_error({layer, " and ", of.layer.in_model, " are both called ",
                   printable(of.layer.in_file), " in ", file.name(),
                   ", where there is one. Hint: pair each with its name there in .names."});
    }
  }
  taken.emplace_back(array, of.layer.in_model);
}

/// How many samples a Normalization has seen stands beside its statistics: nobody here asks.
inline void pass_over_counts(const owned_parameter& of, const array_file& file, loader& loading) {
  if (of.owner->rule == &normalization_family) {
    const std::size_t counted = file.find(find_array(of, file, {"count"}));
    if (counted < file.size()) {
      loading.pass_over(counted);
    }
  }
}

/// `load_keras` of a model as a value.
inline load_report load(const graph_view& model, parameters& weights, const std::string& path,
                        const load_options& options) {
  const array_file file = read_arrays(path, options.inflater);
  check_pairs(weights, options.names);
  loader loading(weights, file, options);
  std::vector<std::pair<std::string, std::string>> taken;
  for (owned_parameter of : owned_parameters(model, weights, options.names)) {
    const bool paired = of.layer.in_file != of.layer.in_model;
    of.layer.in_file = layer_in_file(model, *of.owner, of.layer, file);
    const parameter_source source = source_of(of, file);
    if (!paired && file.find(source.parts[0].array) < file.size()) {
      check_taken_once(taken, file, of, source);
    }
    loading.read(of.index, source);
    pass_over_counts(of, file, loading);
  }
  return loading.finish(weights);
}

}  // namespace exchange::keras

/// Loads the weights of a model from an NPZ or safetensors file that has them under Keras's names,
/// "dense/kernel:0" or "dense/kernel", "lstm/lstm_cell/kernel",
/// "multi_head_attention/query/kernel". Layers that have other names there are paired:
///
///   load_keras<mlp>(run.weights(), "model.npz",
///                   {.names = {{"dense", "dense_0"}, {"dense_1", "logits"}}});
///
/// Those of a TimeDistributed or a Bidirectional that has a name are found under that.
///
/// Throws `error`, and changes nothing, if anything about the file is wrong, or if it is not all of
/// this model and nothing else, unless `.partly = true`. Counts of a Normalization are passed over.
template <typename M = absent_type>
load_report load_keras(parameters& weights, const std::string& path,
                       const load_options& options = {}) {
  if constexpr (model_type<M>) {
    return exchange::keras::load(graph_of<M>, weights, path, options);
  } else {
    static_assert(refuse_type<M, exchange::loaded_type_fault_of<M, "load_keras">>());
    return {};
  }
}

}  // namespace ipu_dsl
