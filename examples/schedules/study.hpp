// SPDX-License-Identifier: MIT
// A program that was proven and timed, from the catalogue or from a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/schedule/analysis.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/time_slots.hpp>

#include "costs.hpp"

namespace schedule_study {

/// How many devices and micro-batches, and what they cost.
struct counts {
  int devices = 0;
  int micro_batches = 0;    ///< of all copies of the weights
  int stages_a_device = 0;  ///< 0: as many as each schedule is meant for
  device_costs costs = {};
  std::vector<std::int64_t> stage_factors = {};  ///< of each stage of the model, or none
  bool lockstep = false;                         ///< a barrier after every time slot
};

/// A proven program with its times; a tick is the unit of the costs of its stages.
struct study {
  std::string name;
  std::string about;  ///< "all forwards, then all backwards (fill-drain, torchgpipe)"; may be empty
  ipu_dsl::program rows;
  costed_stages stages;
  std::string cost_of;  ///< whose the costs are: "device" or "stage"
  bool lockstep = false;
  ipu_dsl::list<int> slots;                           ///< [edges] so many that no action is delayed
  ipu_dsl::list<ipu_dsl::timed_action> asynchronous;  ///< [actions]
  ipu_dsl::list<ipu_dsl::timed_action> timeline;      ///< [actions] with barriers if `lockstep`
  ipu_dsl::facts facts;

  ipu_dsl::stage_graph_view graph() const { return stages.graph.view(); }
};

/// The most stages x micro-batches that are looked at: what is asked for or written in a file must
/// not take the memory of a machine.
inline constexpr long long most_stage_passes = 1 << 20;

inline void refuse_too_large(std::string_view name, long long devices, long long stages,
                             long long micro_batches) {
  constexpr long long most_devices = 1024;
  if (devices > most_devices || stages * micro_batches > most_stage_passes) {
    throw ipu_dsl::error("schedule " + std::string(name) + ": expected at most " +
                         std::to_string(most_devices) + " devices and " +
                         std::to_string(most_stage_passes) + " stages x micro-batches, got " +
                         std::to_string(devices) + " devices and " + std::to_string(stages) +
                         " x " + std::to_string(micro_batches));
  }
}

/// There is a factor for each stage of the model, of which copies of the weights have the same.
inline void refuse_other_factors(std::string_view name, int stages,
                                 const std::vector<std::int64_t>& factors) {
  if (!factors.empty() && std::ssize(factors) != stages) {
    throw ipu_dsl::error("schedule " + std::string(name) + ": expected --stage-costs of its " +
                         std::to_string(stages) + (stages == 1 ? " stage" : " stages") + ", got " +
                         std::to_string(factors.size()));
  }
}

/// Following the versions of the weights takes a look at every one of them at every action.
inline void refuse_too_many_updates(std::string_view name, const ipu_dsl::program_view& rows) {
  constexpr long long most = 1LL << 28;
  const long long updates = ipu_dsl::updates_of_run(rows);
  if (updates * static_cast<long long>(rows.actions.size()) > most) {
    throw ipu_dsl::error("schedule " + std::string(name) + ": expected at most " +
                         std::to_string(most) + " updates x actions, got " +
                         std::to_string(updates) + " x " + std::to_string(rows.actions.size()));
  }
}

/// Proves and times a program, and takes away time slots that are none. Throws `ipu_dsl::error`
/// with the sentence of the proof if it fails.
inline study examine(std::string name, ipu_dsl::program rows, costed_stages stages, bool lockstep) {
  study made;
  made.name = std::move(name);
  made.rows = std::move(rows);
  made.stages = std::move(stages);
  made.cost_of = "device";
  made.lockstep = lockstep;
  refuse_too_many_updates(made.name, made.rows.view());
  ipu_dsl::analysis found = ipu_dsl::analyse(made.rows.view(), made.graph(), made.name);
  if (!found.found.proven()) {
    throw ipu_dsl::error(found.found.fault);
  }
  made.slots = std::move(found.slots);
  made.asynchronous = std::move(found.timeline);
  made.timeline = made.asynchronous;
  if (!made.rows.slot.empty() && !ipu_dsl::slots_agree_with_data(made.rows.view(), made.graph())) {
    made.rows.slot = {};
  }
  if (lockstep) {
    if (made.rows.slot.empty()) {
      made.rows.slot = ipu_dsl::unit_slots(made.rows.view(), made.graph());
    }
    made.timeline = ipu_dsl::lockstep_timeline(made.rows.view(), made.graph());
  }
  made.facts = ipu_dsl::facts_of(made.rows.view(), made.timeline);
  return made;
}

/// How many stages a device has in a study of these counts.
inline int stages_a_device(const ipu_dsl::catalogue_entry& entry, const counts& wanted) {
  return wanted.stages_a_device > 0 ? wanted.stages_a_device : entry.stages_a_device;
}

/// Why a schedule does not take these counts, if so.
inline ipu_dsl::problem refused(const ipu_dsl::catalogue_entry& entry, const counts& wanted) {
  const int each = stages_a_device(entry, wanted);
  refuse_too_large(entry.name, wanted.devices, static_cast<long long>(wanted.devices) * each,
                   wanted.micro_batches);
  return entry.allows(wanted.devices, wanted.devices * each, wanted.micro_batches, entry.aim);
}

/// Studies a schedule of the catalogue. Throws `ipu_dsl::error` if it does not take the counts.
inline study examine(const ipu_dsl::catalogue_entry& entry, const counts& wanted) {
  const ipu_dsl::problem fault = refused(entry, wanted);
  if (fault.found()) {
    throw ipu_dsl::error(fault);
  }
  const int each = stages_a_device(entry, wanted);
  const int parts = each / entry.copies;
  refuse_other_factors(entry.name, wanted.devices * parts, wanted.stage_factors);
  costed_stages stages =
      make_stages(wanted.devices * each, entry.copies, parts, wanted.costs, wanted.stage_factors);
  ipu_dsl::program rows = entry.make_for(wanted.devices, wanted.micro_batches, stages.graph.view());
  study made =
      examine(std::string(entry.name), std::move(rows), std::move(stages), wanted.lockstep);
  made.about = entry.summary;
  made.about += entry.also.empty() ? "" : " (" + std::string(entry.also) + ")";
  return made;
}

}  // namespace schedule_study
