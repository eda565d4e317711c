// SPDX-License-Identifier: MIT
// A model that there is already, in other stages: cut behind the layers of these names.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/near_names.hpp>
#include <ipu_dsl/model/changed_model.hpp>
#include <ipu_dsl/model/model.hpp>

namespace ipu_dsl {

/// The model `M`, written either way, in as many stages as there are names and one more: each ends
/// with the layer of its name, as Graphcore's tutorial cuts a ResNet50, and the next begins with
/// the layer behind it. The stages that `M` has are forgotten; its bits and its weights stay.
///
///   struct resnet50_in_two : split_at<resnet50, "conv4_block2_add"> {};
///
/// A layer without a name is found by what it is called in a summary: "dense_1", "dense_3_0"; one
/// of a model that is a layer by both names, "encoder/dense_1", and behind the model by its own.
template <typename M, name_argument... Names>
struct split_at {
  using split_model = M;
  static constexpr std::size_t cut_count = sizeof...(Names);
  static constexpr std::string_view cut_names[cut_count + 1] = {Names.view()..., {}};
};

/// Model: `struct in_two : split_at<resnet50, "conv4_block2_add"> {}`. Not a model:
/// `stage_assignment<0, 1>`.
template <typename M>
concept split_model_type = requires {
  typename M::split_model;
  M::cut_names;
  M::cut_count;
};

/// Finds the places of cuts in a model, and gives its layers their stages.
class model_cutter {
 public:
  constexpr explicit model_cutter(graph& made) : made_(&made) {}

  /// Stage by stage; `made.fault` is the first thing wrong.
  constexpr void cut(list_view<std::string_view> names) {
    std::int32_t begin = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::int32_t last = find(names[i]);
      const problem refused = check_name(names, i, last, begin);
      if (refused.found()) {
        made_->fault = refused;
        made_->fault.where = "split_at";
        return;
      }
      assign(begin, last + 1, static_cast<std::int32_t>(i));
      begin = last + 1;
    }
    assign(begin, layer_count(), static_cast<std::int32_t>(names.size()));
    made_->stages = static_cast<std::int32_t>(names.size()) + 1;
    made_->automatic = false;
    refuse_divided_uses(*made_, "cut before its first call or behind its last");
  }

 private:
  constexpr std::int32_t layer_count() const {
    return static_cast<std::int32_t>(made_->layers.size());
  }

  constexpr bool is_called(std::int32_t layer, std::string_view name) const {
    const layer_record& each = made_->layers[layer];
    if (each.depth == 0) {
      return each.name.empty() ? automatic_name(title_of(each).own).view() == name
                               : each.name == name;
    }
    return listed_name(each) == name || full_name(title_of(each)).view() == name;
  }

  /// The last layer of a name: of a shared one its last call. -1 if there is none.
  constexpr std::int32_t find(std::string_view name) const {
    std::int32_t found = layer_count() - 1;
    while (found >= 0 && !is_called(found, name)) {
      --found;
    }
    return found;
  }

  /// What is wrong with cut `number`, behind layer `last`, where the stage that it ends begins with
  /// layer `begin`.
  constexpr problem check_name(list_view<std::string_view> names, std::size_t number,
                               std::int32_t last, std::int32_t begin) const {
    label got;
    got << '"' << names[number] << '"';
    if (names[number].empty()) {
      return refuse("names of layers, in quotes", "a number or an empty name",
                    hint_for(names[number]));
    }
    if (last < 0) {
      return refuse("the name of a layer of the model", got, hint_for(names[number]));
    }
    if (last < begin) {
      label expected = "names in the order of their layers";
      got << " behind \"" << names[number - 1] << '"';
      return refuse(
          expected, got,
          text<191>() << where_is(made_->layers[last]) << ": each stage ends with its layer");
    }
    if (last + 1 == layer_count()) {
      return refuse("a layer behind each cut", got << ", the last layer",
                    "the last stage ends with it anyway: take the name out");
    }
    return {};
  }

  /// How many letters two names have in common at their beginnings and ends, large or small: what
  /// is misspelt in one place has most of them. Few steps for a compiler, of which a model has many
  /// names.
  static constexpr std::size_t common_letters(std::string_view left, std::string_view right) {
    const std::size_t shorter = left.size() < right.size() ? left.size() : right.size();
    std::size_t head = 0;
    while (head < shorter && are_alike(left[head], right[head])) {
      ++head;
    }
    std::size_t tail = 0;
    while (head + tail < shorter &&
           are_alike(left[left.size() - 1 - tail], right[right.size() - 1 - tail])) {
      ++tail;
    }
    return head + tail;
  }

  static constexpr bool are_alike(char left, char right) {
    return near_names::folded(left) == near_names::folded(right);
  }

  constexpr text<191> name_of(std::int32_t layer) const {
    return full_name(title_of(made_->layers[layer]));
  }

  /// The layer that has most letters in common with a name, of those that have fewer than `below`.
  constexpr std::int32_t nearest(std::string_view wanted, std::size_t below) const {
    std::int32_t found = -1;
    std::size_t most = 0;
    for (std::int32_t i = 0; i < layer_count(); ++i) {
      const std::size_t common = common_letters(wanted, name_of(i).view());
      if (common > most && common < below) {
        most = common;
        found = i;
      }
    }
    return found;
  }

  /// "did you mean ...?", or where names are told.
  constexpr text<191> hint_for(std::string_view wanted) const {
    const std::int32_t found = nearest(wanted, wanted.size() + 1);
    if (found >= 0 &&
        near_names::distance(wanted, name_of(found).view()) != near_names::unrelated) {
      return text<191>("did you mean ") << name_of(found) << "?";
    }
    return text<191>("its layers are ") << name_of(0) << " to " << name_of(layer_count() - 1)
                                        << "; summary_text tells their names";
  }

  /// Layers from `begin` to before `end`.
  constexpr void assign(std::int32_t begin, std::int32_t end, std::int32_t stage) {
    for (std::int32_t i = begin; i < end; ++i) {
      assign_stage(*made_, i, stage);
    }
  }

  graph* made_;
};

template <split_model_type M>
struct model_fold<M> {
  using whole = typename M::split_model;

  static constexpr graph make() {
    return fold_changed<M, whole>(
        "split_at", "write split_at<mlp, \"dense_1\"> for a struct mlp : model<...> {}",
        [](graph& made) { model_cutter(made).cut({M::cut_names, M::cut_count}); });
  }

  static constexpr problem refuse_late() { return refuse_whole_late<M, whole>(); }
};

}  // namespace ipu_dsl
