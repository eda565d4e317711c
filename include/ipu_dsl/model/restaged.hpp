// SPDX-License-Identifier: MIT
// A model that there is already, in other stages: those that a function gives its layers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/model/changed_model.hpp>
#include <ipu_dsl/model/model.hpp>

namespace ipu_dsl {

/// In which stage a layer is called.
struct layer_stage {
  std::string_view name;  ///< as a summary calls it: the one it was given, or "dense_1"
  std::int32_t call = 0;  ///< of a shared layer how many calls there are before this one
  std::int32_t stage = 0;
};

/// The model `M`, written either way, in the stages that the struct gives its layers, as
/// Graphcore's models are told by name: `assign` finds the calls of all layers in their order, with
/// the stages that they have, and changes these as it likes. The bits of the model and its weights
/// stay.
///
///   struct in_two : restaged<two_towers> {
///     static constexpr void assign(std::span<layer_stage> layers) {
///       for (layer_stage& each : layers) {
///         each.stage = each.name.starts_with("right") ? 1 : 0;
///       }
///     }
///   };
///
/// Refused: a layer that depends on a later stage, a stage without a layer, calls of one shared
/// layer in several stages; an `assign` that leaves every layer where it was, as one that looks for
/// a misspelt name does.
template <typename M>
struct restaged {
  using restaged_model = M;
};

/// Model: a struct of the base `restaged<two_towers>`. Not a model: `restage`, a function.
template <typename M>
concept restaged_model_type = requires { typename M::restaged_model; };

/// Whether it says how.
template <typename M>
concept assigns_stages = requires(std::span<layer_stage> layers) { M::assign(layers); };

/// Which call of its layer a layer of a model is, from 0.
constexpr std::int32_t number_of_call(const graph_view& model, std::size_t layer) {
  const std::int32_t shares = model.layers[layer].shares;
  const auto first = static_cast<std::size_t>(shares);
  std::int32_t calls = shares < 0 ? 0 : 1;
  for (std::size_t i = shares < 0 ? layer : first; i < layer; ++i) {
    calls += model.layers[i].shares == shares ? 1 : 0;
  }
  return calls;
}

/// Gives the layers of a model the stages that somebody says.
class model_restager {
 public:
  constexpr explicit model_restager(graph& made) : made_(&made) {
    for (const layer_record& layer : made.layers) {
      names_.push_back(full_name(title_of(layer)));
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      told_.push_back({.name = names_[i].view(),
                       .call = number_of_call(made.view(), i),
                       .stage = made.layers[i].stage});
    }
  }

  /// To be changed; their names are there as long as this is.
  constexpr std::span<layer_stage> layers() { return {told_.data(), told_.size()}; }

  /// `made.fault` is the first thing wrong.
  constexpr void finish() {
    refuse_unmoved();
    made_->stages = 0;
    made_->automatic = false;
    for (std::size_t i = 0; i < told_.size() && !made_->fault.found(); ++i) {
      take(i);
    }
    if (!made_->fault.found()) {
      refuse_empty_stage();
    }
    for (std::size_t i = 0; i < told_.size() && !made_->fault.found(); ++i) {
      refuse_later_stage(made_->layers[i]);
    }
    refuse_divided_uses(*made_, "give all its calls the stage of the first");
  }

 private:
  constexpr void fail(const label& where, const problem& found) {
    if (!made_->fault.found()) {
      made_->fault = found;
      made_->fault.where = where;
    }
  }

  /// Of stages that the compiler would choose one is another whatever it is.
  constexpr void refuse_unmoved() {
    bool moved = made_->automatic;
    text<191> hint = "names are";
    for (std::size_t i = 0; i < told_.size(); ++i) {
      moved = moved || told_[i].stage != made_->layers[i].stage;
      hint << (i == 0 ? " " : ", ") << told_[i].name;
    }
    if (!moved) {
      fail("assign", refuse("a layer in another stage", "all of them where they were", hint));
    }
  }

  /// There can be no more stages than layers.
  constexpr void take(std::size_t layer) {
    const std::int32_t stage = told_[layer].stage;
    const auto count = static_cast<std::int32_t>(told_.size());
    if (stage < 0 || stage >= count) {
      fail(where_is(made_->layers[layer]),
           refuse(label("a stage from 0 to ") << count - 1, label() << stage,
                  "each stage has a layer, and stages count from 0"));
      return;
    }
    assign_stage(*made_, static_cast<std::int32_t>(layer), stage);
    made_->stages = stage >= made_->stages ? stage + 1 : made_->stages;
  }

  constexpr void refuse_empty_stage() {
    list<std::int32_t> layers(static_cast<std::size_t>(made_->stages), 0);
    for (const layer_stage& each : told_) {
      ++layers[each.stage];
    }
    for (std::int32_t stage = 0; stage < made_->stages; ++stage) {
      if (layers[stage] == 0) {
        fail(label("stage ") << stage,
             refuse("at least 1 layer", "none", "assign gives one to every stage, from 0 on"));
      }
    }
  }

  /// All that a layer reads is made in its stage or before.
  constexpr void refuse_later_stage(const layer_record& layer) {
    const graph_view view = made_->view();
    for (std::int32_t n = layer.first_node; n < layer.first_node + layer.nodes; ++n) {
      const node& here = view.node_at(n);
      for (std::int32_t i = 0; i < here.inputs; ++i) {
        const std::int32_t from = view.stage_of(view.input_of(here, i));
        if (from > layer.stage) {
          fail(where_is(layer), refuse(label("inputs of stage ") << layer.stage << " or before",
                                       label("one of stage ") << from,
                                       "a layer depends on its own stage and on those before it"));
        }
      }
    }
  }

  graph* made_;
  list<text<191>> names_;
  list<layer_stage> told_;
};

/// Runs an `assign` that finds more layers than any model has; their names are empty.
template <assigns_stages M>
constexpr bool run_assign_of_many() {
  constexpr std::size_t many = 4096;
  std::array<layer_stage, many> layers = {};
  M::assign(std::span<layer_stage>(layers));
  return true;
}

/// True, or no constant.
template <assigns_stages M>
inline const bool assign_of_many = run_assign_of_many<M>();

/// Whether the compiler can run an `assign` but for the layers that it reaches.
template <typename M>
concept assign_runs = requires { typename std::bool_constant<assign_of_many<M>>; };

template <restaged_model_type M>
struct model_fold<M> {
  using whole = typename M::restaged_model;

  static constexpr graph make() {
    return fold_changed<M, whole>("restaged",
                                  "write restaged<mlp> for a struct mlp : model<...> {}", assign);
  }

  static constexpr problem refuse_late() {
    if constexpr (model_type<whole> && !std::same_as<M, whole>) {
      if constexpr (folded_by_compiler<whole> && assign_runs<M>) {
        problem found = refuse(label("layers[0] to layers[")
                                   << graph_sizes_of<whole>.layers - 1 << "] in assign",
                               "one beyond", "there is one for each call of a layer");
        found.where = type_name<M>();
        return found;
      } else if constexpr (folded_by_compiler<whole>) {
        return refuse_assign("an assign that the compiler can run", "one that it can not");
      }
    }
    return refuse_whole_late<M, whole>();
  }

 private:
  static constexpr void assign(graph& made) {
    if constexpr (assigns_stages<M>) {
      model_restager restager(made);
      M::assign(restager.layers());
      restager.finish();
    } else {
      made.fault =
          refuse_assign("a function that gives layers their stages", "none that can be called");
    }
  }

  static constexpr problem refuse_assign(std::string_view expected, std::string_view got) {
    problem found =
        refuse(expected, got, "write static constexpr void assign(std::span<layer_stage> layers)");
    found.where = type_name<M>();
    return found;
  }
};

template <model_type M>
constexpr auto get_layer_names() {
  std::array<text<191>, graph_sizes_of<M>.layers> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = full_name(title_of(graph_of<M>.layers[i]));
  }
  return names;
}

template <model_type M>
inline constexpr auto layer_names_of = get_layer_names<M>();

template <model_type M>
constexpr auto get_layer_stages() {
  std::array<layer_stage, graph_sizes_of<M>.layers> made;
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = {.name = layer_names_of<M>[i].view(),
               .call = number_of_call(graph_of<M>, i),
               .stage = graph_of<M>.layers[i].stage};
  }
  return made;
}

/// The calls of all layers of a model in their order, with their stages: what `assign` of
/// `restaged<...>` is given, as an array.
template <model_type M>
inline constexpr auto layer_stages_of = get_layer_stages<M>();

}  // namespace ipu_dsl
