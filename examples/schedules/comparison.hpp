// SPDX-License-Identifier: MIT
// All schedules of the catalogue on the same devices and micro-batches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/study/channels/channels.hpp>
#include <ipu_dsl/study/weight_facts.hpp>

#include "pages.hpp"
#include "study.hpp"
#include "words.hpp"

namespace schedule_study {

/// What a schedule comes to, or why it was left out.
struct compared {
  const ipu_dsl::catalogue_entry* entry = nullptr;
  int stages_a_device = 0;
  std::string left_out;
  double makespan = 0;
  std::vector<std::string> cells;  ///< one for each column but the name
};

/// Stages of each copy on every device: of the catalogue's schedules all devices have as many.
inline int parts_of_device(const study& of) {
  return of.rows.stages / of.rows.devices / of.rows.weights.copies;
}

/// What a device keeps of weights, in sets of the weights of its stages: the most over devices.
inline std::string weights_kept(const study& of) {
  const ipu_dsl::list<ipu_dsl::weight_facts> stages =
      ipu_dsl::weight_facts_of_stages(of.rows.view());
  std::vector<int> kept(static_cast<std::size_t>(of.rows.devices), 0);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    kept[static_cast<std::size_t>(of.rows.device_of_stage[stage])] += stages[stage].versions;
  }
  return fraction(largest(kept), parts_of_device(of));
}

inline void fill_cells(compared& into, const study& of) {
  const std::int64_t unit = of.stages.ticks_of_unit;
  const int capacity = ipu_dsl::least_channel_capacity(of.rows.view(), of.graph());
  into.makespan = static_cast<double>(of.facts.makespan) / static_cast<double>(unit);
  into.cells = {
      std::to_string(into.stages_a_device),
      fraction(of.facts.makespan, unit),
      fraction(of.facts.flush_bubble(), unit),
      ipu_dsl::drawing::percent(of.facts.flush_bubble_share()),
      fraction(of.facts.span_bubble, unit),
      ipu_dsl::drawing::percent(of.facts.idle_share()),
      fraction(largest(ipu_dsl::peak_stash_of_devices(of.rows.view())), parts_of_device(of)),
      std::to_string(total_slots(of)),
      capacity < 0 ? "none" : std::to_string(capacity),
      weights_kept(of),
  };
}

/// Schedules of virtual stages take the number of stages that is asked for; the others have one of
/// their own.
inline counts counts_for(const ipu_dsl::catalogue_entry& entry, counts wanted) {
  wanted.stages_a_device = entry.virtual_stages ? wanted.stages_a_device : 0;
  return wanted;
}

inline compared compare_one(const ipu_dsl::catalogue_entry& entry, const counts& asked) {
  const counts wanted = counts_for(entry, asked);
  compared made;
  made.entry = &entry;
  made.stages_a_device = stages_a_device(entry, wanted);
  if (entry.aim == ipu_dsl::purpose::inference) {
    made.left_out = "schedule " + std::string(entry.name) + ": it trains nothing";
    return made;
  }
  try {
    fill_cells(made, examine(entry, wanted));
  } catch (const ipu_dsl::error& refused) {
    made.left_out = refused.what();
  }
  return made;
}

/// All of them: first those that take the counts, by makespan, then those that do not.
inline std::vector<compared> compare_all(const counts& wanted) {
  std::vector<compared> all;
  for (const ipu_dsl::catalogue_entry& entry : ipu_dsl::catalogue()) {
    all.push_back(compare_one(entry, wanted));
  }
  std::sort(all.begin(), all.end(), [](const compared& left, const compared& right) {
    if (left.left_out.empty() != right.left_out.empty()) {
      return left.left_out.empty();
    }
    // Of equal ones in the order of the catalogue.
    return left.makespan != right.makespan ? left.makespan < right.makespan
                                           : left.entry < right.entry;
  });
  return all;
}

/// The synchronous schedule with the least makespan; the first of the catalogue if there are
/// several. Throws `ipu_dsl::error` if none takes the counts.
inline const ipu_dsl::catalogue_entry& best_of_all(const counts& wanted) {
  for (const compared& one : compare_all(wanted)) {
    if (one.left_out.empty() && one.entry->synchronous) {
      return *one.entry;
    }
  }
  throw ipu_dsl::error("No schedule takes these counts.");
}

/// The columns of times and of memory have as many decimals in all rows.
inline std::string comparison_table(std::vector<compared>& all) {
  constexpr std::size_t fractions[] = {1, 2, 4, 6, 9};
  for (const std::size_t column : fractions) {
    std::vector<std::string> numbers;
    for (const compared& one : all) {
      numbers.push_back(one.cells[column]);
    }
    align_decimals(numbers);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].cells[column] = numbers[i];
    }
  }
  table page;
  page.add_row({"", "stages", "", "flush", "", "span", "idle", "peak", "", "least", "weights"});
  page.add_row({"schedule", "each", "makespan", "bubble", "share", "bubble", "share", "stash",
                "slots", "queue", "kept"});
  for (const compared& one : all) {
    std::vector<std::string> row = {std::string(one.entry->name) +
                                    (one.entry->synchronous ? "" : " *")};
    row.insert(row.end(), one.cells.begin(), one.cells.end());
    page.add_row(std::move(row));
  }
  return page.text();
}

/// What the columns are.
inline std::string column_notes(bool lockstep, bool asynchronous) {
  constexpr std::string_view notes[][2] = {
      {"times", "in units, a modelled estimate; shares are of the makespan"},
      {"time slots", "of one action each, where a schedule has none of its own"},
      {"flush bubble", "the busiest device waits"},
      {"span bubble", "most that a device waits between its first and last action"},
      {"idle share", "of all devices' time"},
      {"peak stash", "most that a device keeps for the backward: micro-batches of all its stages"},
      {"slots", "of all edges between and within stages, so many that no action is delayed"},
      {"least queue", "messages that a channel has room for; with fewer devices wait forever"},
      {"weights kept", "versions and copies that a device keeps of the weights of its stages"},
      {"*", "updates on the way: gradients are of older weights"},
  };
  std::string page;
  for (const auto& [name, meaning] : notes) {
    if ((name != "*" || asynchronous) && (name != "time slots" || lockstep)) {
      page += padded(std::string(name), 18) + std::string(meaning) + "\n";
    }
  }
  return page;
}

inline std::string comparison_text(const counts& wanted) {
  std::vector<compared> all = compare_all(wanted);
  const auto end = std::find_if(all.begin(), all.end(),
                                [](const compared& one) { return !one.left_out.empty(); });
  std::vector<compared> taken(all.begin(), end);
  std::string page;
  append_wrapped(page,
                 counted(wanted.devices, "device") + ", " +
                     counted(wanted.micro_batches, "micro-batch") + "; " +
                     describe(wanted.costs, wanted.stage_factors, "device") +
                     (wanted.lockstep ? "; a barrier after every time slot" : ""),
                 0);
  page += "\n";
  if (taken.empty()) {
    page += "No schedule takes these counts.\n";
  } else {
    const bool asynchronous = std::any_of(
        taken.begin(), taken.end(), [](const compared& one) { return !one.entry->synchronous; });
    page += comparison_table(taken) + "\n" + column_notes(wanted.lockstep, asynchronous);
  }
  page += end == all.end() ? "" : "\nleft out\n";
  for (auto one = end; one != all.end(); ++one) {
    // Every sentence begins with "schedule NAME: ".
    const std::size_t begin = one->left_out.find(": ") + 2;
    page += "  " + padded(std::string(one->entry->name), 18);
    append_wrapped(page, std::string_view(one->left_out).substr(begin), 20);
  }
  return page;
}

/// The names of all schedules and what they are.
inline std::string list_text() {
  std::string page = "schedule          stages a device\n";
  for (const ipu_dsl::catalogue_entry& entry : ipu_dsl::catalogue()) {
    page += padded(std::string(entry.name), 18);
    page += padded(entry.virtual_stages ? "any" : std::to_string(entry.stages_a_device), 5);
    append_wrapped(page,
                   std::string(entry.summary) +
                       (entry.also.empty() ? "" : " (" + std::string(entry.also) + ")"),
                   23);
  }
  return page;
}

}  // namespace schedule_study
