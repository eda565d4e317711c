// SPDX-License-Identifier: MIT
// What every cut of a model into two stages could gain.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/model/other_type.hpp>
#include <ipu_dsl/plan/automatic_stages.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>

namespace ipu_dsl {

/// A cut into two stages.
struct cut_bound {
  int first_layer = 0;  ///< of the second stage, counted as messages count layers
  double speedup = 1;   ///< over one device, at most: all work over that of the busier stage
};

/// The work of a model's layers in a training step, in multiply-adds: [layers].
template <compiled_model C>
constexpr list<std::int64_t> work_of_layers() {
  const graph model = fold_with_loss<C>();
  if (model.fault.found()) {
    return {};
  }
  const program_kind kind = C::settings.has_loss ? program_kind::train : program_kind::predict;
  const graph_view view = model.view();
  return whole_costs(costs_of_layers(
      view, lowering(view, kind, C::settings.micro_batch, C::settings.optimizer).lower().view()));
}

template <compiled_model C>
constexpr list<cut_bound> find_cut_bounds() {
  const list<std::int64_t> work = work_of_layers<C>();
  std::int64_t all = 0;
  for (const std::int64_t layer : work) {
    all += layer;
  }
  list<cut_bound> bounds;
  std::int64_t before = 0;
  for (std::size_t cut = 1; cut < work.size(); ++cut) {
    before += work[cut - 1];
    const std::int64_t busier = before > all - before ? before : all - before;
    bounds.push_back(
        {static_cast<int>(cut), static_cast<double>(all) / static_cast<double>(busier)});
  }
  return bounds;
}

template <compiled_model C>
inline constexpr std::size_t cut_count_of = find_cut_bounds<C>().size();

/// What is wrong with asking for the cuts of something else than a compiled model.
template <typename T>
struct cuts_fault_of {
  static constexpr problem find() {
    problem found = refuse("a compiled model", type_name<T>(),
                           "ask the compiled one: cut_bounds_of<training> of struct training : "
                           "compile<mlp, micro_batch<32>> {}");
    found.where = "cut_bounds_of";
    return found;
  }

  static constexpr problem value = find();
};

/// Compares with everything as it is asked to, so that nothing is said twice.
struct any_bound {
  template <typename Other>
  friend constexpr bool operator==(const any_bound&, const Other&) {
    return true;
  }

  template <typename Other>
  friend constexpr bool operator<(const any_bound&, const Other&) {
    return true;
  }

  template <typename Other>
  friend constexpr bool operator>(const any_bound&, const Other&) {
    return true;
  }

  template <typename Number>
  constexpr operator Number() const {
    return {};
  }
};

/// A cut of what has none.
struct refused_cut {
  any_bound first_layer, speedup;

  constexpr operator cut_bound() const { return {}; }
};

template <typename T>
consteval auto make_cut_bounds() {
  if constexpr (compiled_model<T>) {
    return freeze_list<cut_count_of<T>>(find_cut_bounds<T>());
  } else {
    static_assert(refuse_type<T, cuts_fault_of<T>>());
    return frozen_list<refused_cut, 1>();
  }
}

/// Every cut of the layers of a compiled model into two stages, whatever its own stages are, first
/// that before layer 1: `static_assert(cut_bounds_of<training>[0].first_layer == 1)`. Counted is
/// the work of a micro-batch, not the update, which `timeline.speedup_bound()` counts as well.
/// Refused with a sentence: of what is no compiled model.
template <typename C>
inline constexpr auto cut_bounds_of = make_cut_bounds<C>();

}  // namespace ipu_dsl
