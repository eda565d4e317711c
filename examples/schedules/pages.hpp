// SPDX-License-Identifier: MIT
// What is printed of one study: its picture and its facts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

#include <ipu_dsl/report/drawn_timeline.hpp>
#include <ipu_dsl/report/timeline.hpp>
#include <ipu_dsl/study/channels/channels.hpp>
#include <ipu_dsl/study/critical_path.hpp>
#include <ipu_dsl/study/makespan_bound.hpp>
#include <ipu_dsl/study/weight_facts.hpp>

#include "study.hpp"
#include "words.hpp"

namespace schedule_study {

/// "4 devices, 8 stages (2 a device), 8 micro-batches, 4 through each of 2 copies"
inline std::string counts_text(const study& of) {
  const ipu_dsl::program& rows = of.rows;
  const int copies = rows.weights.copies;
  std::string words = counted(rows.devices, "device") + ", " + counted(rows.stages, "stage");
  if (rows.stages != rows.devices && rows.stages % rows.devices == 0 && of.cost_of == "device") {
    words += " (" + std::to_string(rows.stages / rows.devices) + " a device)";
  }
  words += ", " + counted(copies * rows.micro_batches, "micro-batch");
  return copies == 1 ? words
                     : words + ", " + std::to_string(rows.micro_batches) + " through each of " +
                           std::to_string(copies) + " copies";
}

inline std::string heading(const study& of) {
  return "schedule " + of.name + ": " + counts_text(of) + "\n";
}

/// The lines of the devices, and how to read them.
inline std::string picture(const study& of) {
  const std::string clock = name_of_ticks(of.stages.ticks_of_unit);
  const ipu_dsl::program_view rows = of.rows.view();
  std::string page = ipu_dsl::timeline_text(rows, of.timeline, of.facts, of.name,
                                            {.width = page_width, .clock = clock});
  // The facts have a page of their own, and the heading says more than the first line.
  page.resize(page.size() - ipu_dsl::drawing::fact_lines(rows, of.facts, clock).size());
  std::string wrapped;
  for (std::size_t begin = page.find('\n') + 1; begin < page.size();) {
    const std::size_t end = page.find('\n', begin);
    const std::string_view line = std::string_view(page).substr(begin, end - begin);
    if (line.size() > page_width) {
      append_wrapped(wrapped, line, 0);
    } else {
      wrapped += std::string(line) + "\n";
    }
    begin = end + 1;
  }
  return wrapped;
}

/// The same as a value for pictures in files.
inline ipu_dsl::drawn_timeline drawn(const study& of) {
  ipu_dsl::drawn_timeline made = ipu_dsl::draw_timeline(
      of.rows.view(), of.timeline, of.name,
      {ipu_dsl::time_source::modelled, name_of_ticks(of.stages.ticks_of_unit), 1});
  made.subtitle += of.lockstep ? ", a barrier after every time slot" : "";
  return made;
}

/// Lines of a name, a value and its meaning.
class fact_page {
 public:
  void add_title(std::string_view name, std::string_view meaning) {
    page_ += meaning.empty() ? std::string(name) : padded(std::string(name), names);
    append_wrapped(page_, meaning, names);
  }

  /// A title for the lines to come.
  void add_group(std::string_view name, std::string_view meaning = {}) {
    page_ += "\n";
    add_title(name, meaning);
  }

  void add(std::string_view name, const std::string& value, std::string_view meaning = {}) {
    page_ += padded("  " + std::string(name), names);
    const std::string words =
        meaning.empty() ? value : padded(value, values) + "  " + std::string(meaning);
    append_wrapped(page_, words, value.size() > values ? names : names + values + 2);
  }

  const std::string& text() const { return page_; }

 private:
  static constexpr std::size_t names = 20;
  static constexpr std::size_t values = 9;

  std::string page_;
};

/// "on each stage", "on stages 0 to 3: 4, 3, 2, 1", or of many of them "on stages 0 to 63: from 1
/// to 64".
inline std::string of_each(std::span<const int> values, std::string_view whose) {
  constexpr std::size_t many = 32;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) {
    return "on each " + std::string(whose);
  }
  return "on " + std::string(whose) + "s 0 to " + std::to_string(values.size() - 1) + ": " +
         (values.size() > many ? "from " + std::to_string(*least) + " to " + std::to_string(*most)
                               : ipu_dsl::drawing::numbers(values));
}

inline int largest(std::span<const int> values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

inline int total_slots(const study& of) {
  return std::accumulate(of.slots.begin(), of.slots.end(), 0);
}

inline void add_critical_path(fact_page& page, const study& of) {
  const std::int64_t unit = of.stages.ticks_of_unit;
  const ipu_dsl::critical_path path =
      ipu_dsl::critical_path_of(of.rows.view(), of.graph(), of.asynchronous);
  const std::int64_t last = of.facts.makespan - path.rows - path.data - path.slots - path.hops;
  std::string meaning = "actions in a chain: " + fraction(path.rows, unit) +
                        " units free the device for the next, " + fraction(path.data, unit) +
                        " bring its data, ";
  meaning += path.hops > 0 ? fraction(path.hops, unit) + " are hops, " : "";
  meaning += fraction(last, unit) + " end it";
  page.add("critical path", std::to_string(path.actions.size()), meaning);
}

inline void add_times(fact_page& page, const study& of) {
  using ipu_dsl::drawing::percent;
  const ipu_dsl::facts& facts = of.facts;
  const std::int64_t unit = of.stages.ticks_of_unit;
  page.add_group("time", of.lockstep ? "in units, a modelled estimate; a barrier after every slot"
                                     : "in units, a modelled estimate; no barriers");
  const std::int64_t bound = ipu_dsl::makespan_bound(of.rows.view(), of.graph());
  page.add("makespan", fraction(facts.makespan, unit),
           "no order of these actions on these devices takes less than " + fraction(bound, unit));
  if (of.lockstep) {
    page.add("without barriers", fraction(ipu_dsl::makespan_of(of.asynchronous), unit),
             "devices wait for data alone");
  }
  page.add("work", fraction(facts.busiest, unit),
           "of the busiest device (" + std::to_string(facts.busiest_device) + "), " +
               fraction(facts.work, unit) + " of all");
  page.add("flush bubble", fraction(facts.flush_bubble(), unit),
           percent(facts.flush_bubble_share()) + " of makespan: the busiest device waits");
  page.add("span bubble", fraction(facts.span_bubble, unit),
           percent(facts.span_bubble_share()) +
               ": most that a device waits between its first and last action");
  page.add("idle share", percent(facts.idle_share()), "of all devices' time");
  page.add("speed-up", ipu_dsl::drawing::times_faster(facts.speedup()),
           "over one device, at most " + ipu_dsl::drawing::times_faster(facts.speedup_bound()));
  if (!of.lockstep) {
    add_critical_path(page, of);
  }
  if (facts.slots > 0) {
    page.add("lockstep slots", std::to_string(facts.slots), "if all devices wait for each other");
  }
}

inline void add_memory(fact_page& page, const study& of) {
  const ipu_dsl::program_view rows = of.rows.view();
  page.add_group("memory", "in micro-batches of a stage");
  const ipu_dsl::list<int> devices = ipu_dsl::peak_stash_of_devices(rows);
  const ipu_dsl::list<int> stages = ipu_dsl::peak_stash_of_stages(rows);
  page.add("peak stash", std::to_string(largest(devices)),
           "most kept for the backward " + of_each(devices, "device"));
  if (rows.stages != rows.devices) {
    page.add("", std::to_string(largest(stages)), of_each(stages, "stage"));
  }
  page.add("slots", std::to_string(total_slots(of)),
           "on " + std::to_string(of.slots.size()) + " edges, so many that no action is delayed");
}

inline void add_channels(fact_page& page, const study& of) {
  const int least = ipu_dsl::least_channel_capacity(of.rows.view(), of.graph());
  page.add_group("channels", "a queue for each pair of devices and for activations or gradients");
  if (least < 0) {
    page.add("least capacity", "none", "with any capacity a device waits forever");
    return;
  }
  page.add("least capacity", std::to_string(least),
           least == 0   ? "sender and receiver meet"
           : least == 1 ? "message: without room for it devices wait forever"
                        : "messages: with room for fewer devices wait forever");
  const int enough = ipu_dsl::capacity_without_stall(of.rows.view(), of.graph());
  page.add("without stall", std::to_string(enough),
           enough == 1 ? "message: with room for it no time is lost"
                       : "messages: with room for them no time is lost");
}

/// What the order in which gradients are added means for their bits.
inline std::string_view meaning_of_order(const study& of) {
  const ipu_dsl::weight_policy& weights = of.rows.weights;
  if (weights.update_interval > 0) {
    return "order of micro-batches in each update";
  }
  if (weights.copies > 1) {
    return "order of micro-batches in each copy: the bits of as many replicas";
  }
  return of.facts.ascending ? "order of micro-batches: the same bits as sequential"
                            : "order of micro-batches than sequential: other bits";
}

inline void add_weights(fact_page& page, const study& of) {
  const ipu_dsl::program_view rows = of.rows.view();
  ipu_dsl::list<int> versions;
  ipu_dsl::list<int> staleness;
  for (const ipu_dsl::weight_facts& found : ipu_dsl::weight_facts_of_stages(rows)) {
    versions.push_back(found.versions);
    staleness.push_back(found.staleness);
  }
  page.add_group("weights");
  if (rows.weights.copies > 1) {
    page.add("copies", std::to_string(rows.weights.copies), "of every stage, on two devices");
  }
  page.add("versions", std::to_string(largest(versions)), of_each(versions, "stage"));
  const int oldest = largest(staleness);
  page.add("staleness", std::to_string(oldest),
           oldest == 0 ? "updates: gradients are of the newest weights"
                       : "updates between weights and gradients " + of_each(staleness, "stage"));
  page.add("gradients", of.facts.ascending ? "ascending" : "another", meaning_of_order(of));
}

/// Everything that is known of a study.
inline std::string fact_text(const study& of) {
  const ipu_dsl::program_view rows = of.rows.view();
  fact_page page;
  if (!of.about.empty()) {
    page.add_title("about", of.about);
  }
  page.add_title("proven", "every action once and in order, and no device waits forever");
  page.add_title("costs", describe(of.stages.costs, of.stages.factors, of.cost_of));
  add_times(page, of);
  if (ipu_dsl::drawing::has_backward(rows)) {
    add_memory(page, of);
  }
  add_channels(page, of);
  if (ipu_dsl::drawing::has_backward(rows)) {
    add_weights(page, of);
  }
  const auto joined = std::count_if(rows.actions.begin(), rows.actions.end(),
                                    [](const ipu_dsl::action& what) { return what.joined; });
  if (joined > 0) {
    page.add("joined", std::to_string(joined), "actions are one step with the next");
  }
  return page.text();
}

}  // namespace schedule_study
