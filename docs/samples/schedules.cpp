// SPDX-License-Identifier: MIT
// The three schedules, drawn and compared. The output is docs/samples/schedules.txt.
#include <cstdio>

#include <ipu_dsl/report/timeline.hpp>

#include "mnist_mlp.hpp"

using namespace samples;

namespace {

/// Equal stages, a backward taking as long as two forwards.
template <typename Schedule>
facts facts_of_equal_stages(int stages, int micro_batches, bool lockstep) {
  const program rows = Schedule::make(stages, stages, micro_batches);
  const stage_graph graph = chain_stage_graph(stages);
  const list<int> slots = slots_without_stall(rows.view(), graph.view());
  const auto timeline = lockstep ? lockstep_timeline(rows.view(), graph.view())
                                 : asynchronous_timeline(rows.view(), graph.view(), slots);
  return facts_of(rows.view(), timeline);
}

template <typename Schedule>
void draw() {
  const char* name = Schedule::name.data();
  // [draw]
  const program rows = Schedule::make(2, 2, 4);  // devices, stages, micro-batches
  const stage_graph graph = chain_stage_graph(2);
  const list<int> slots = slots_without_stall(rows.view(), graph.view());
  const auto times = asynchronous_timeline(rows.view(), graph.view(), slots);
  const std::string page = timeline_text(rows.view(), times, facts_of(rows.view(), times),
                                         Schedule::name, {.clock = "units"});
  // [/draw]
  std::printf("[%s]\n%s[/%s]\n\n", name, page.c_str(), name);
}

template <typename Schedule>
void print_row(int micro_batches) {
  const facts free = facts_of_equal_stages<Schedule>(4, micro_batches, false);
  const facts lockstep = facts_of_equal_stages<Schedule>(4, micro_batches, true);
  const program rows = Schedule::make(4, 4, micro_batches);
  const std::string stash = drawing::numbers(peak_stash_of_stages(rows.view()));
  std::printf("%-12s %13d %10lld %9.1f %% %10lld %9.1f %%   %s\n", Schedule::name.data(),
              micro_batches, static_cast<long long>(free.makespan), 100 * free.idle_share(),
              static_cast<long long>(lockstep.makespan), 100 * lockstep.idle_share(),
              stash.c_str());
}

template <typename Schedule>
void print_model() {
  const facts& free = training<Schedule>::timeline;
  const facts& lockstep = training<Schedule>::lockstep_timeline;
  std::printf("%-12s %10lld %9.2fx %9.1f %% %10lld %9.2fx\n", Schedule::name.data(),
              static_cast<long long>(free.makespan), free.speedup(), 100 * free.idle_share(),
              static_cast<long long>(lockstep.makespan), lockstep.speedup());
}

}  // namespace

int main() {
  draw<grouped>();
  draw<interleaved>();
  draw<sequential_schedule>();
  std::printf(
      "[four_stages]\nschedule     micro-batches   makespan  idle share   lockstep  idle "
      "share   stash per stage\n");
  for (const int micro_batches : {8, 16, 64}) {
    print_row<grouped>(micro_batches);
    print_row<interleaved>(micro_batches);
    print_row<sequential_schedule>(micro_batches);
  }
  std::printf(
      "[/four_stages]\n\n[model]\nschedule       makespan    speed-up idle share   lockstep"
      "    speed-up\n");
  print_model<grouped>();
  print_model<interleaved>();
  print_model<sequential_schedule>();
  std::printf("bound %.2fx\n[/model]\n", training<grouped>::timeline.speedup_bound());
  return 0;
}
