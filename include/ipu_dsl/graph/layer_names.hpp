// SPDX-License-Identifier: MIT
// That names of layers are such as files have, and that no two of a model are called alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/graph/name_letters.hpp>

namespace ipu_dsl {

/// What a layer, or the model that it is part of, is called where it has no name of its own.
constexpr text<191> listed_automatic_name(const layer_record& layer) {
  return automatic_name(layer.depth > 0 ? layer.within[0] : title_of(layer).own);
}

/// By layer the name that it was given, as that of the whole model lists it: empty of further calls
/// of a shared layer, which has one name, and of the layers of a model but the first of them.
constexpr list<std::string_view> given_names(const graph& model) {
  list<std::string_view> names;
  names.reserve(model.layers.size());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer_record& layer = model.layers[i];
    const bool goes_on = i > 0 && in_same_model(model.layers[i - 1], layer);
    names.push_back(layer.shares >= 0 || goes_on ? std::string_view() : listed_name(layer));
  }
  return names;
}

/// Layers by their names. A compiler counts the steps of a loop over all pairs of them, so that
/// names are dealt by their letters into short lists.
class layers_by_name {
 public:
  constexpr explicit layers_by_name(list_view<std::string_view> names)
      : names_(names), before_(names.size(), none) {}

  /// The layer of the same name among those that were added, or -1; then it is one of them.
  constexpr std::int32_t add(std::int32_t layer) {
    const std::string_view name = names_[layer];
    std::int32_t& newest = newest_[list_of(name)];
    for (std::int32_t other = newest; other != none; other = before_[other - 1]) {
      if (names_[other - 1] == name) {
        return other - 1;
      }
    }
    before_[layer] = newest;
    newest = layer + 1;
    return -1;
  }

 private:
  /// Layers are kept with 1 added, as an array begins with zeros.
  static constexpr std::int32_t none = 0;

  static constexpr std::uint32_t list_of(std::string_view name) {
    std::uint32_t mixed = 0;
    const char* at = name.data();
    const char* const end = at + name.size();
    while (at != end) {
      mixed = 31 * mixed + static_cast<unsigned char>(*at);
      ++at;
    }
    return mixed % 256;
  }

  list_view<std::string_view> names_;
  std::int32_t newest_[256] = {};  ///< of each list
  list<std::int32_t> before_;      ///< by layer, the one before it in its list
};

/// The first layer without a name that is called `name` all the same; -1 if there is none.
constexpr std::int32_t layer_called(const graph& model, std::string_view name) {
  // Most names do not end in a number, as those do that are given to layers without one.
  const bool numbered = name.back() >= '0' && name.back() <= '9';
  for (std::size_t i = 0; numbered && i < model.layers.size(); ++i) {
    const layer_record& layer = model.layers[i];
    if (listed_name(layer).empty() && listed_automatic_name(layer).view() == name) {
      return static_cast<std::int32_t>(i);
    }
  }
  return -1;
}

/// Said of a layer of `model` whose name, or parts of it, layer `taken` has.
constexpr problem name_is_taken(const graph& model, std::int32_t layer, const label& by,
                                const text<191>& hint) {
  problem found = refuse("a name of its own", by, hint);
  found.where = where_is(model.layers[layer]);
  return found;
}

/// Not by `find`, which asks whether a letter's address is that of nothing: see `same_address`.
constexpr bool has_slash(std::string_view name) {
  bool found = false;
  for (const char letter : name) {
    found = found || letter == '/';
  }
  return found;
}

/// Whether a name was given that reads like the path of a layer of a model, "encoder/dense_0".
constexpr bool reads_like_path(const layer_record& layer) {
  bool found = has_slash(layer.name);
  for (std::int32_t i = 0; i < layer.depth; ++i) {
    found = found || has_slash(layer.within[i].name);
  }
  return found;
}

/// What is wrong with a name that reads like the path of a layer of a model and is that of another.
constexpr problem refuse_repeated_path(const graph& model) {
  const auto count = static_cast<std::int32_t>(model.layers.size());
  for (std::int32_t i = 0; i < count; ++i) {
    if (model.layers[i].shares >= 0 || !reads_like_path(model.layers[i])) {
      continue;
    }
    const text<191> path = full_name(title_of(model.layers[i]));
    for (std::int32_t other = 0; other < count; ++other) {
      const layer_record& taken = model.layers[other];
      if (other != i && taken.shares < 0 && (taken.depth > 0 || model.layers[i].depth > 0) &&
          full_name(title_of(taken)).view() == path.view()) {
        return name_is_taken(
            model, i, label() << path.view() << ", the name of " << where_is(taken),
            "a layer of a model that is a layer is called after both, encoder/dense_0");
      }
    }
  }
  return {};
}

/// Layers are found by the names they were given, or else by their kind and number, so no two may
/// have the same; all calls of a shared layer are one.
constexpr problem refuse_repeated_name(const graph& model) {
  const list<std::string_view> names = given_names(model);
  const auto count = static_cast<std::int32_t>(names.size());
  layers_by_name met(names);
  for (std::int32_t i = 0; i < count; ++i) {
    if (names[i].empty()) {
      continue;
    }
    const std::int32_t called = layer_called(model, names[i]);
    const std::int32_t taken = called >= 0 ? called : met.add(i);
    if (taken >= 0) {
      const bool within = called >= 0 && !model.layers[taken].scope.empty();
      return name_is_taken(model, i,
                           label("the name of layer ") << listed_number(model.layers[taken]),
                           within ? "that is what a layer is called within one that has a name"
                           : called >= 0 ? "that is what a layer without a name is called"
                                         : "");
    }
  }
  return refuse_repeated_path(model);
}

/// The first thing wrong with the names of all layers.
constexpr problem refuse_names(const graph& model) {
  const problem unfit = refuse_letters(model);
  return unfit.found() ? unfit : refuse_repeated_name(model);
}

}  // namespace ipu_dsl
