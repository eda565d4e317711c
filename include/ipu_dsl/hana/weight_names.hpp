// SPDX-License-Identifier: MIT
// Opt-in: the names of a model's weights as values, and what is said of one that it has not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/near_names.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/schedule/frozen.hpp>

namespace ipu_dsl {

/// A parameter or a state of a layer. Its place in a list of all is its number in `parameters`.
struct weight_entry {
  std::int32_t layer = 0;  ///< that owns it
  std::string_view name;   ///< "kernel"
  shape extents;
};

/// All of a model, in order of tensors.
constexpr list<weight_entry> weight_entries(const graph_view& model) {
  list<weight_entry> found;
  for (const tensor& atom : model.tensors) {
    if (is_parameter_or_state(atom)) {
      found.push_back({model.node_at(atom.owner).layer, atom.name, atom.extents});
    }
  }
  return found;
}

/// The layers that own some, in order of their first ones.
constexpr list<std::int32_t> layers_with_weights(list_view<weight_entry> weights) {
  list<std::int32_t> found;
  for (const weight_entry& weight : weights) {
    bool known = false;
    for (const std::int32_t layer : found) {
      known = known || layer == weight.layer;
    }
    if (!known) {
      found.push_back(weight.layer);
    }
  }
  return found;
}

/// The names of a model that is right; of anything else there are none.
template <typename M>
constexpr list<weight_entry> find_weight_entries() {
  if constexpr (model_type<M>) {
    if (ipu_dsl::is_valid<M>()) {
      return weight_entries(graph_of<M>);
    }
  }
  return {};
}

template <typename M>
inline constexpr std::size_t weight_count_of = find_weight_entries<M>().size();

template <typename M>
inline constexpr auto weight_entries_of = freeze_list<weight_count_of<M>>(find_weight_entries<M>());

template <typename M>
inline constexpr std::size_t layer_count_of =
    layers_with_weights(weight_entries_of<M>.view()).size();

template <typename M>
inline constexpr auto layers_with_weights_of =
    freeze_list<layer_count_of<M>>(layers_with_weights(weight_entries_of<M>.view()));

/// As files and summaries call it: "logits", "dense_1", "encoder/dense_0".
template <typename M>
constexpr text<191> name_of_layer(std::int32_t layer) {
  if constexpr (model_type<M>) {
    return full_name(title_of(graph_of<M>.layers[layer]));
  }
  return {};
}

/// The layer with weights of this name; -1 if there is none.
template <typename M>
constexpr std::int32_t find_layer(std::string_view name) {
  for (const std::int32_t layer : layers_with_weights_of<M>) {
    if (name_of_layer<M>(layer).view() == name) {
      return layer;
    }
  }
  return -1;
}

/// The number of a layer's weight of this name; -1 if there is none.
constexpr std::int32_t find_weight(list_view<weight_entry> weights, std::int32_t layer,
                                   std::string_view name) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i].layer == layer && weights[i].name == name) {
      return static_cast<std::int32_t>(i);
    }
  }
  return -1;
}

/// "did you mean logits?" where a name is near the one wanted, or all that there are.
constexpr text<191> hint_for_name(std::string_view wanted, list_view<text<191>> names) {
  int least = near_names::unrelated;
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int distance = near_names::distance(wanted, names[i].view());
    nearest = distance < least ? i : nearest;
    least = distance < least ? distance : least;
  }
  if (least < near_names::unrelated) {
    return text<191>("did you mean ") << names[nearest] << "?";
  }
  text<191> words = names.empty() ? "it has none" : "there are ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    words << (i == 0 ? "" : ", ") << names[i];
  }
  return words;
}

/// What is wrong with a name of a layer. Nothing is said where the model is wrong: that has been.
template <typename M, typename Written>
struct layer_name_fault_of {
  static constexpr problem find() {
    problem found;
    if (layer_count_of<M> > 0 && find_layer<M>(Written::name()) < 0) {
      list<text<191>> names;
      for (const std::int32_t layer : layers_with_weights_of<M>) {
        names.push_back(name_of_layer<M>(layer));
      }
      found = refuse("a layer of the model that has weights", Written::name(),
                     hint_for_name(Written::name(), names));
      found.where = "weights";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a name of a weight of a layer. Nothing is said where the layer was wrong.
template <typename M, std::int32_t Layer, typename Written>
struct weight_name_fault_of {
  static constexpr problem find() {
    problem found;
    if (Layer >= 0 && find_weight(weight_entries_of<M>.view(), Layer, Written::name()) < 0) {
      list<text<191>> names;
      for (const weight_entry& weight : weight_entries_of<M>) {
        if (weight.layer == Layer) {
          names.push_back(text<191>(weight.name));
        }
      }
      found =
          refuse("a weight of the layer", Written::name(), hint_for_name(Written::name(), names));
      found.where = label("weights of ") << name_of_layer<M>(Layer);
    }
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a name that is plain text. Nothing is said where the layer was wrong.
template <typename M, std::int32_t Layer, std::size_t Length>
struct plain_name_fault_of {
  static constexpr problem find() {
    problem found;
    if (Layer >= 0) {
      found = refuse("a name that the compiler knows", "plain text",
                     "write using namespace ipu_dsl::literals and [\"logits\"_s]");
      found.where = "weights by name";
    }
    return found;
  }

  static constexpr problem value = find();
};

}  // namespace ipu_dsl
