// SPDX-License-Identifier: MIT
// The bubbles, stashes and counts of the catalogue as formulas, each held against proven programs.
// The output is docs/samples/closed_forms.txt.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/schedule/analysis.hpp>
#include <ipu_dsl/schedule/facts.hpp>

using namespace ipu_dsl;

namespace {

/// p devices with v stages of each copy, m micro-batches; what one costs a device with all of them.
struct setting {
  std::int64_t p = 1;
  std::int64_t v = 1;
  std::int64_t m = 1;
  std::int64_t forward = 0;
  std::int64_t input_gradient = 0;
  std::int64_t weight_gradient = 0;

  std::int64_t all() const { return forward + input_gradient + weight_gradient; }

  bool equal() const { return forward == input_gradient && forward == weight_gradient; }
};

using number = std::int64_t (*)(const setting&);
using condition = bool (*)(const setting&);

/// What is said of a schedule. Its bubble holds wherever `where` does.
struct law {
  const char* name;
  const char* bubble_words;
  number bubble;
  const char* where_words;
  condition where;
  const char* stash_words;
  number stash;  ///< of the device that keeps most, in micro-batches of one of its v stages
  const char* counts_words;
  condition takes;
};

bool always(const setting&) {
  return true;
}

std::int64_t whole(const setting& at) {
  return (at.p - 1) * at.all();
}

std::int64_t over_stages(const setting& at) {
  return whole(at) / at.v;
}

std::int64_t as_many_as_devices(const setting& at) {
  return at.v * std::min(at.m, at.p);
}

std::int64_t twice_as_many(const setting& at) {
  return std::min(at.m, 2 * at.p - 1);
}

bool at_least_devices(const setting& at) {
  return at.m >= at.p;
}

bool equal_and_full(const setting& at) {
  return at.equal() && at.m >= 2 * at.p - 1;
}

bool joins_fit(const setting& at) {
  return at.forward == at.input_gradient && at.weight_gradient <= at.forward;
}

/// F + 2B - 3W
std::int64_t dualpipe_unit(const setting& at) {
  return at.forward + 2 * at.input_gradient - at.weight_gradient;
}

std::int64_t zero_bubble(const setting& at) {
  const std::int64_t late = at.forward + at.input_gradient - at.weight_gradient;
  return (at.p - 1) * std::max({at.forward, at.input_gradient, late}) / at.v;
}

const law laws[] = {
    {"sequential", "m (p-1)(F+B)", [](const setting& at) { return at.m * whole(at); }, "", always,
     "1", [](const setting&) { return std::int64_t{1}; }, "any", always},
    {"gpipe", "(p-1)(F+B)", whole, "", always, "m", [](const setting& at) { return at.m; }, "any",
     always},
    {"1f1b", "(p-1)(F+B)", whole, "", always, "min(m, p)", as_many_as_devices, "any", always},
    {"interleaved", "(p-1)(F+B)", whole, "", always, "p", as_many_as_devices, "p | m",
     [](const setting& at) { return at.p > 1 && at.m % at.p == 0; }},
    {"eager-1f1b", "(p-1)(F+B)", whole, "", always, "min(m, 2p-1)", twice_as_many, "any", always},
    {"grouped", "(p-1)(F+B)", whole, "", always, "2p-1", twice_as_many, "2p | m",
     [](const setting& at) { return at.p > 1 && at.m % (2 * at.p) == 0; }},
    {"popart", "(p-1)(F+B)", whole, "", always, "2p-1", twice_as_many, "m>=2p-1",
     [](const setting& at) { return at.m >= 2 * at.p - 1; }},
    {"interleaved-1f1b", "(p-1)(F+B)/v", over_stages, "m>=p", at_least_devices, "min(m, p+(p-1)/v)",
     [](const setting& at) { return std::min(at.v * at.m, at.v * at.p + at.p - 1); }, "any",
     always},
    {"looped-bfs", "(p-1)(F+B)/v", over_stages, "m>=p", at_least_devices, "m",
     [](const setting& at) { return at.v * at.m; }, "any", always},
    {"zb-h1", "(p-1) max(F,I,F+I-W)", zero_bubble, "m>=p", at_least_devices, "min(m, p)",
     as_many_as_devices, "any", always},
    {"zb-h2", "(p-1) max(F,I-F,F+I-2W)",
     [](const setting& at) {
       return (at.p - 1) * std::max({at.forward, at.input_gradient - at.forward,
                                     at.forward + at.input_gradient - 2 * at.weight_gradient});
     },
     "m>=2p-1", [](const setting& at) { return at.m >= 2 * at.p - 1; }, "min(m, 2p-1)",
     twice_as_many, "any", always},
    {"interleaved-zb", "(p-1) max(F,I,F+I-W)/v", zero_bubble, "m>=p", at_least_devices, "min(m, p)",
     as_many_as_devices, "any", always},
    {"zb-v", "(p-1) F/2", [](const setting& at) { return (at.p - 1) * at.forward / 2; },
     "F=I=W, m>=2p-1", equal_and_full, "min(m, p)", as_many_as_devices, "any", always},
    {"chimera", "(p-2) F", [](const setting& at) { return (at.p - 2) * at.forward; }, "F=B",
     [](const setting& at) { return at.forward == at.input_gradient + at.weight_gradient; }, "p",
     [](const setting& at) { return at.p; }, "p | m, p even",
     [](const setting& at) { return at.p % 2 == 0 && at.m % at.p == 0; }},
    {"dualpipe", "(p-2)(F+2B-3W)/2",
     [](const setting& at) { return (at.p - 2) * dualpipe_unit(at) / 2; }, "F=I>=W", joins_fit,
     "p + 1", [](const setting& at) { return at.p + 1; }, "m>=2p, both even",
     [](const setting& at) { return at.p % 2 == 0 && at.m % 2 == 0 && at.m >= 2 * at.p; }},
    {"dualpipev", "(p-1)(F+2B-3W)/2",
     [](const setting& at) { return (at.p - 1) * dualpipe_unit(at) / 2; }, "F=I>=W", joins_fit,
     "p + 1/2", [](const setting& at) { return 2 * at.p + 1; }, "m>=2p",
     [](const setting& at) { return at.m >= 2 * at.p; }},
    {"pipedream", "(p-1)(F+B) a stream", whole, "", always, "min(m, p)", as_many_as_devices, "any",
     always},
    {"pipedream-2bw", "(p-1)(F+B) a stream", whole, "", always, "p", as_many_as_devices, "p | m",
     [](const setting& at) { return at.m % at.p == 0; }},
    {"inference", "(p-1) F", [](const setting& at) { return (at.p - 1) * at.forward; }, "", always,
     "0", [](const setting&) { return std::int64_t{0}; }, "any", always},
};

/// How often the law of a schedule was held against a program, and how often it was broken.
struct tally {
  int held = 0;
  int broken = 0;

  void count(bool holds, const law& said, const char* what, const setting& at) {
    ++(holds ? held : broken);
    if (!holds && broken == 1) {
      std::printf("%s: %s does not hold at p=%d v=%d m=%d F=%d I=%d W=%d\n", said.name, what,
                  static_cast<int>(at.p), static_cast<int>(at.v), static_cast<int>(at.m),
                  static_cast<int>(at.forward), static_cast<int>(at.input_gradient),
                  static_cast<int>(at.weight_gradient));
    }
  }
};

/// The bubble for stages of these costs.
void check_bubble(const law& said, const catalogue_entry& entry, const program& rows, setting at,
                  const stage_cost& stage, tally& count) {
  at.forward = at.v * stage.forward;
  at.input_gradient = at.v * stage.input_gradient;
  at.weight_gradient = at.v * stage.weight_gradient;
  if (!said.where(at)) {
    return;
  }
  const stage_graph graph =
      chain_stage_graph(rows.stages, stage, output_use::forward_only, entry.copies);
  const analysis made = analyse(rows.view(), graph.view(), entry.name);
  const bool holds =
      made.found.proven() && facts_of(rows.view(), made.timeline).flush_bubble() == said.bubble(at);
  count.count(holds, said, said.bubble_words, at);
}

void check_counts(const law& said, const catalogue_entry& entry, int devices, int parts,
                  int micro_batches, tally& count) {
  const setting at = {devices, parts, micro_batches};
  const int stages = devices * parts * entry.copies;
  const purpose aim = entry.aim;
  const bool taken = !entry.allows(devices, stages, micro_batches, aim).found();
  count.count(taken == said.takes(at), said, said.counts_words, at);
  if (!taken) {
    return;
  }
  const program rows = entry.make(devices, stages, micro_batches);
  const list<int> kept = peak_stash_of_devices(rows.view());
  // Larger groups where they do not divide keep a few more.
  const bool in_groups = entry.name == "interleaved-1f1b" || entry.name == "interleaved-zb";
  if (!in_groups || micro_batches % devices == 0) {
    count.count(*std::max_element(kept.begin(), kept.end()) == said.stash(at), said,
                said.stash_words, at);
  }
  for (const stage_cost& cost : {stage_cost{1, 1, 1}, stage_cost{2, 1, 1}, stage_cost{3, 1, 2},
                                 stage_cost{2, 3, 1}, stage_cost{2, 2, 1}, stage_cost{3, 4, 5}}) {
    // Doubled, so that half of a bubble is a whole number.
    const stage_cost twice = {2 * cost.forward, 2 * cost.input_gradient, 2 * cost.weight_gradient};
    check_bubble(said, entry, rows, at, twice, count);
  }
}

int check_law(const law& said) {
  const catalogue_entry& entry = *find_schedule(said.name);
  tally count;
  const bool on_a_v = entry.stages_a_device == 2 && !entry.virtual_stages && entry.copies == 1;
  for (const int parts : {1, 2, 3}) {
    if (entry.virtual_stages ? parts == 1 : parts != (on_a_v ? 2 : 1)) {
      continue;
    }
    for (int devices = 2; devices <= 6; ++devices) {
      for (int micro_batches = 1; micro_batches <= 4 * devices; ++micro_batches) {
        check_counts(said, entry, devices, parts, micro_batches, count);
      }
    }
  }
  std::string bubble = said.bubble_words;
  if (*said.where_words != '\0') {
    bubble += std::string(bubble.size() < 24 ? 24 - bubble.size() : 1, ' ') + said.where_words;
  }
  std::printf("%-16s %-39s %-18s %-17s %5d\n", said.name, bubble.c_str(), said.stash_words,
              said.counts_words, count.held);
  return count.broken;
}

/// The program with every input gradient and the weight gradient behind it as one backward.
program with_whole_backwards(const program& halves) {
  program rows(halves.devices, halves.device_of_stage, halves.micro_batches);
  for (int device = 0; device < halves.devices; ++device) {
    for (const action& what : halves.view().row(device)) {
      if (what.kind == action_kind::input_gradient) {
        rows.put(action_kind::backward, what.stage, what.micro_batch);
      } else if (what.kind != action_kind::weight_gradient) {
        rows.actions.push_back(what);
      }
    }
    rows.end_row();
  }
  return rows;
}

/// Bubble and stash in units of a device, where F, I and W of a stage take `unit` parts of one.
void print_bubble_and_stash(const program& rows, int unit, const char* name) {
  const int cost = 2 / unit;
  const stage_graph graph = chain_stage_graph(rows.stages, stage_cost{cost, cost, cost});
  const analysis made = analyse(rows.view(), graph.view(), name);
  const facts found = facts_of(rows.view(), made.timeline);
  const list<int> kept = peak_stash_of_devices(rows.view());
  const double stash = *std::max_element(kept.begin(), kept.end());
  std::printf(made.found.proven() ? "%9.1f %5.1f" : "  refused      ",
              static_cast<double>(found.flush_bubble()) / 2, stash / unit);
}

void print_v(const char* name, bool whole_backwards = false) {
  const catalogue_entry& entry = *find_schedule(name);
  const int each = entry.stages_a_device;
  std::printf("%-20s", (std::string(name) + (whole_backwards ? ", whole B" : "")).c_str());
  for (const int devices : {4, 8, 16}) {
    program rows = entry.make(devices, devices * each, 2 * devices);
    if (whole_backwards) {
      rows = with_whole_backwards(rows);
    }
    print_bubble_and_stash(rows, each, name);
  }
  std::printf("\n");
}

void print_memory_of_v() {
  std::printf("\n[v]\n%-20s%15s%15s%15s\n%-20s", "", "p = 4", "p = 8", "p = 16", "schedule");
  for (int i = 0; i < 3; ++i) {
    std::printf("   bubble stash");
  }
  std::printf("\n");
  for (const char* name : {"1f1b", "zb-v", "v-half", "v-min", "1f1b-v"}) {
    print_v(name);
  }
  print_v("1f1b-v", true);
  std::printf("[/v]\n");
}

/// What is said of DualPipeV's bubble, in the time of a stage, beside what it is.
void print_dualpipe() {
  constexpr int devices = 4;
  const program rows = dualpipe_v::make(devices, 2 * devices, 4 * devices);
  std::printf("\n[dualpipe]\nF I W  (p-1)(F+2B-3W)  flush bubble\n");
  for (const stage_cost& cost : {stage_cost{1, 1, 1}, stage_cost{2, 2, 1}, stage_cost{2, 1, 1},
                                 stage_cost{1, 2, 1}, stage_cost{1, 1, 2}}) {
    const stage_graph graph = chain_stage_graph(rows.stages, cost);
    const analysis made = analyse(rows.view(), graph.view(), dualpipe_v::name);
    const setting at = {devices, 1, 1, cost.forward, cost.input_gradient, cost.weight_gradient};
    std::printf("%d %d %d  %15d  %12d\n", static_cast<int>(cost.forward),
                static_cast<int>(cost.input_gradient), static_cast<int>(cost.weight_gradient),
                static_cast<int>((devices - 1) * dualpipe_unit(at)),
                static_cast<int>(facts_of(rows.view(), made.timeline).flush_bubble()));
  }
  std::printf("[/dualpipe]\n");
}

}  // namespace

int main() {
  std::printf("[laws]\n%-16s %-23s %-15s %-18s %-15s %s\n", "schedule", "flush bubble", "where",
              "peak stash", "takes", "checked");
  int broken = 0;
  for (const law& said : laws) {
    broken += check_law(said);
  }
  std::printf("[/laws]\n");
  print_memory_of_v();
  print_dualpipe();
  return broken == 0 ? 0 : 1;
}
