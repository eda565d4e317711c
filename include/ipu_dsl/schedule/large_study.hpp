// SPDX-License-Identifier: MIT
// A study of a schedule too large for one constant evaluation, made of many small ones.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/pieces/analysis_pieces.hpp>
#include <ipu_dsl/schedule/pieces/schedule_rows.hpp>
#include <ipu_dsl/schedule/whole_study.hpp>

namespace ipu_dsl {

/// What `study` is for a large schedule (65,792 actions are tested: 64 devices x 4 stages each x
/// 128 micro-batches): every constant evaluation does a part of the work and takes up what the one
/// before left.
///
/// `static_assert(large_study<interleaved_one_f_one_b, 64, 256, 128>::facts.makespan == 1725);`
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches,
          typename Costs = unit_costs>
struct large_study {
 private:
  using made = pieces::schedule_rows<Schedule, Devices, Stages, MicroBatches, Costs>;

 public:
  static constexpr program_view rows = made::rows;

 private:
  static constexpr int copies = rows.weights.copies;
  static constexpr std::size_t actions = rows.actions.size();
  static constexpr std::size_t edges = Costs::make(Stages, copies).edges.size();
  static constexpr std::size_t readers = Costs::make(Stages, copies).readers.size();

  static constexpr auto stages =
      freeze_stage_graph<edges, readers, Costs::make(Stages, copies).costs.size()>(
          Costs::make(Stages, copies));

  struct studied {
    static constexpr std::string_view name = Schedule::name;
    static constexpr problem fault =
        made::fault.found()
            ? made::fault
            : refuse_other_rows(made::rows, name, Devices, Stages, MicroBatches, purpose::training);
    static constexpr program_view rows = made::rows;
    static constexpr stage_graph_view graph = stages.view();
  };

  using analysed = pieces::analysis_in_pieces<studied>;

 public:
  /// See `whole_study`.
  static constexpr const problem& fault = analysed::fault;
  static constexpr const problem& value = analysed::fault;

 private:
  using times = frozen_list<timed_action, actions>;

  static constexpr times make_timeline() {
    if constexpr (analysed::proven) {
      return pieces::timeline_of(analysed::last_run, analysed::tables());
    } else {
      return {};
    }
  }

  static constexpr times frozen_timeline = make_timeline();

  static constexpr ipu_dsl::facts make_facts() {
    return analysed::proven ? facts_of(rows, frozen_timeline.view()) : ipu_dsl::facts();
  }

 public:
  static constexpr list_view<int> slots = analysed::slots.view();
  static constexpr list_view<timed_action> timeline =
      frozen_timeline.view().first(analysed::proven ? actions : 0);
  static constexpr ipu_dsl::facts facts = make_facts();
};

}  // namespace ipu_dsl
