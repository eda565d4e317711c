// SPDX-License-Identifier: MIT
// What a model and a file of RTNeural do, step by step, to be held against each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/formats/rtneural.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/graph/repacking.hpp>
#include <ipu_dsl/model/layer_name.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/conv1d.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/gru.hpp>
#include <ipu_dsl/vocabulary/layers/lstm.hpp>
#include <ipu_dsl/vocabulary/layers/prelu.hpp>

namespace ipu_dsl::exchange::rtneural {

/// One thing that a model does: a layer, or the activation behind it.
struct model_step {
  std::string type;             ///< "dense", "gru"; of an activation "tanh activation"
  std::string name;             ///< "layer 2" of the file, "dense_1" of the model
  const node* owner = nullptr;  ///< of a step of the model that has weights
  std::size_t layer = 0;        ///< of a step of the file
};

inline std::string activation_type(std::string_view name) {
  return std::string(name) + " activation";
}

/// Throws `error` for a layer of the model that no file of RTNeural has.
[[noreturn]] inline void refuse_layer(const std::string& name, std::string_view reason) {
  raise_error({"The layer ", name, " of the model ", reason, "."});
}

/// Appends the activation of a layer of the model, if it has one.
inline void append_activation(std::vector<model_step>& steps, const std::string& name,
                              activation_kind kind, float alpha) {
  if (kind == activation_kind::linear) {
    return;
  }
  const bool known = kind == activation_kind::tanh || kind == activation_kind::relu ||
                     kind == activation_kind::sigmoid || kind == activation_kind::softmax ||
                     (kind == activation_kind::elu && alpha == default_alpha(kind));
  if (!known) {
    refuse_layer(name, sentence_of({"has the activation ", name_of(kind),
                                    ", which RTNeural has not; it has hyperbolic_tangent, relu, "
                                    "sigmoid, softmax, and elu with an alpha of 1"}));
  }
  steps.push_back({activation_type(kind == activation_kind::tanh ? "tanh" : name_of(kind)), name});
}

/// Throws `error` if a recurrent layer is not the one that RTNeural has.
inline void check_recurrent(const node& here, const std::string& name) {
  const auto options = here.options.as<recurrent_options>();
  // A model of one_step goes forwards as well, a step at a time.
  const bool forwards =
      options.order == sequence_order::forwards || options.order == sequence_order::carried;
  if (options.activation != activation_kind::tanh ||
      options.recurrent_activation != activation_kind::sigmoid || !forwards) {
    refuse_layer(name,
                 "has another activation or direction than RTNeural's, which goes forwards with "
                 "hyperbolic_tangent and gates of sigmoid");
  }
  if (here.rule == &gru_family && options.resets_after == 0) {
    refuse_layer(name, "has reset_after<false>; RTNeural's gru is one with reset_after<true>");
  }
}

/// What RTNeural calls a layer with weights; empty if it has none like it.
inline std::string_view type_of(const graph_view& model, const node& here) {
  const std::pair<const family*, std::string_view> types[] = {
      {&dense_family, "dense"}, {&conv1d_family, "conv1d"}, {&conv2d_family, "conv2d"},
      {&gru_family, "gru"},     {&lstm_family, "lstm"},     {&prelu_family, "prelu"}};
  for (const auto& [rule, type] : types) {
    if (here.rule == rule) {
      return type;
    }
  }
  if (here.rule == &batch_normalization_family) {
    return model.at(model.input_of(here, 0)).extents.rank == 3 ? "batchnorm2d" : "batchnorm";
  }
  return "";
}

/// Appends what a node of the model does. Throws `error` if RTNeural has nothing like it.
inline void append_node(std::vector<model_step>& steps, const graph_view& model, const node& here) {
  const std::string name = layer_name(model.layers[here.layer]);
  if (here.rule == &activation_family || here.rule == &softmax_family) {
    const auto options = here.options.as<activation_options>();
    append_activation(steps, name, options.kind, options.alpha);
    return;
  }
  // The one computes nothing in prediction, the others nothing at all.
  if (here.rule == &dropout_family || here.rule == &to_rows_family ||
      here.rule == &to_positions_family) {
    return;
  }
  const std::string_view type = type_of(model, here);
  if (type.empty() || here.inputs != 1 || here.outputs != 1) {
    refuse_layer(name, sentence_of({"is a ", here.rule->name, " with ", here.inputs,
                                    here.inputs == 1 ? " input" : " inputs",
                                    ", which no file of RTNeural has"}));
  }
  steps.push_back({std::string(type), name, &here});
  if (here.rule == &dense_family) {
    const auto options = here.options.as<dense_options>();
    append_activation(steps, name, options.activation, options.alpha);
  } else if (here.rule == &conv1d_family || here.rule == &conv2d_family) {
    const auto options = here.options.as<convolution_options>();
    append_activation(steps, name, options.activation, options.alpha);
  } else if (here.rule == &gru_family || here.rule == &lstm_family) {
    check_recurrent(here, name);
  }
}

/// What a model does, from its input to its output.
inline std::vector<model_step> steps_of(const graph_view& model) {
  std::vector<model_step> steps;
  std::int32_t last = model.find(tensor_role::input);
  for (const node& here : model.nodes) {
    if (here.layer < 0) {
      continue;
    }
    if (model.input_of(here, 0) != last) {
      refuse_layer(layer_name(model.layers[here.layer]),
                   "does not read what the layer before it hands on, as every layer of RTNeural "
                   "does");
    }
    append_node(steps, model, here);
    last = model.output_of(here, 0);
  }
  return steps;
}

/// What a file does. Throws `error` for a type or an activation that RTNeural has not.
inline std::vector<model_step> steps_of(const rtneural_model& model, std::string_view file) {
  constexpr std::string_view types[] = {"dense",       "time-distributed-dense",
                                        "conv1d",      "conv2d",
                                        "gru",         "lstm",
                                        "prelu",       "batchnorm",
                                        "batchnorm2d", "activation"};
  constexpr std::string_view activations[] = {"", "tanh", "relu", "sigmoid", "softmax", "elu"};
  const auto has = [](std::span<const std::string_view> known, std::string_view word) {
    return std::find(known.begin(), known.end(), word) != known.end();
  };
  std::vector<model_step> steps;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const rtneural_layer& layer = model.layers[i];
    const std::string name = sentence_of({"layer ", i});
    if (!has(types, layer.type) || !has(activations, layer.activation)) {
      raise_error({"The ", name, " of ", file, " is of the type ", printable(layer.type),
                   " with the activation ", printable(layer.activation),
                   "; expected a type of RTNeural: dense, conv1d, conv2d, gru, lstm, prelu, "
                   "batchnorm, activation, and tanh, relu, sigmoid, softmax, elu or none. Hint: "
                   "layers_to_skip of RTNeural's save_model leaves out what computes nothing."});
    }
    const bool is_recurrent = layer.type == "gru" || layer.type == "lstm";
    if (layer.type != "activation") {
      const bool each_step = layer.type == "time-distributed-dense";
      steps.push_back({each_step ? "dense" : layer.type, name, nullptr, i});
    }
    // Of a recurrent layer it is that of Keras's layer, and no other step.
    if (!layer.activation.empty() && !is_recurrent) {
      steps.push_back({activation_type(layer.activation), name, nullptr, i});
    }
    if (is_recurrent && !layer.activation.empty() && layer.activation != "tanh") {
      raise_error({"The ", name, " of ", file, " is a ", layer.type, " with the activation ",
                   layer.activation, "; expected tanh."});
    }
  }
  return steps;
}

/// Throws `error` unless a file does what the model does, step by step.
inline void check_steps(std::span<const model_step> ours, std::span<const model_step> theirs,
                        std::string_view file) {
  for (std::size_t i = 0; i < ours.size() || i < theirs.size(); ++i) {
    if (i == ours.size()) {
      raise_error({"The ", theirs[i].name, " of ", file, ", a ", theirs[i].type,
                   ", is one more than the model has."});
    }
    if (i == theirs.size()) {
      raise_error({"The file ", file, " ends before the ", ours[i].type, " of the model, ",
                   ours[i].name, "."});
    }
    if (ours[i].type != theirs[i].type) {
      raise_error({"The ", theirs[i].name, " of ", file, " is a ", theirs[i].type,
                   " where the model has a ", ours[i].type, ", ", ours[i].name, "."});
    }
  }
}

}  // namespace ipu_dsl::exchange::rtneural
