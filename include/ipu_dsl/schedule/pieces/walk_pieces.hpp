// SPDX-License-Identifier: MIT
// The checks of rows by themselves, some devices in each constant evaluation.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/row_checks.hpp>

namespace ipu_dsl::pieces {

/// What is known when the rows of the first devices have been walked. A device has all of the
/// actions of its stages, so that what happened to their micro-batches goes no further than a row.
template <std::size_t Stages, std::size_t MicroBatches, std::size_t Actions>
struct walked_rows {
  static constexpr std::size_t role_rows = Stages * step_roles;

  frozen_list<int, role_rows * MicroBatches> by_micro_batch;
  frozen_list<int, role_rows * MicroBatches> by_order;
  frozen_list<int, Actions> place;
  frozen_list<int, role_rows> count;
  frozen_list<int, Stages> updates;
  int devices = 0;  ///< how many have been walked
  verdict found;

  constexpr step_view view() const {
    return {static_cast<int>(MicroBatches), by_micro_batch.view(), by_order.view(), place.view(),
            count.view()};
  }

  constexpr step_cells cells() {
    return {by_micro_batch.elements, by_order.elements, place.elements, count.elements};
  }
};

/// How many devices from `first` on have no more than `most` actions together; at least one.
constexpr int devices_within(const program_view& rows, int first, int most) {
  int last = first + 1;
  while (last < rows.devices &&
         rows.row_begin.data()[last + 1] - rows.row_begin.data()[first] <= most) {
    ++last;
  }
  return last - first;
}

/// In how many pieces of `most` actions the rows are walked.
constexpr int count_walks(const program_view& rows, int most) {
  int count = 0;
  for (int device = 0; device < rows.devices; device += devices_within(rows, device, most)) {
    ++count;
  }
  return count;
}

/// Walks as many rows more as have no more than `most` actions.
template <typename Walked>
constexpr Walked walk_on(const Walked& before, const program_view& rows, std::string_view name,
                         int most) {
  Walked after = before;
  if (!before.found.proven()) {
    return after;
  }
  const stage_graph_view no_graph;
  proof::examination exam =
      proof::begin_examination(rows, no_graph, name, step_table(after.view(), after.cells()));
  const int last = before.devices + devices_within(rows, before.devices, most);
  after.found = proof::row_walk(exam).walk(before.devices, last);
  after.devices = last;
  for (std::size_t stage = 0; stage < exam.updates.size(); ++stage) {
    after.updates.elements[stage] += exam.updates[stage];
  }
  return after;
}

/// What is found of the rows once they have been walked; `then(exam)` gets the examination if each
/// of them is right by itself.
template <typename Walked, typename Then>
constexpr verdict judge_walked(const Walked& walked, const program_view& rows,
                               const stage_graph_view& graph, std::string_view name, Then then) {
  if (!walked.found.proven()) {
    return walked.found;
  }
  proof::examination exam = proof::begin_examination(rows, graph, name, step_table(walked.view()));
  for (std::size_t stage = 0; stage < exam.updates.size(); ++stage) {
    exam.updates[stage] = walked.updates[stage];
  }
  const verdict found = proof::check_walked(exam, {});
  then(exam);
  return found;
}

}  // namespace ipu_dsl::pieces
