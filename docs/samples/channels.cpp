// SPDX-License-Identifier: MIT
// How many messages channels hold, how many slots edges have, how many versions weights have. The
// output is docs/samples/channels.txt.
#include <cstdio>
#include <span>
#include <string>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/report/fact_text.hpp>
#include <ipu_dsl/schedule/slots.hpp>
#include <ipu_dsl/study/channels/channels.hpp>
#include <ipu_dsl/study/weight_facts.hpp>

using namespace ipu_dsl;

namespace {

// [capacity]
constexpr int least_capacity_of_1f1b() {
  const program rows = one_f_one_b::make(4, 4, 8);  // devices, stages, micro-batches
  const stage_graph graph = chain_stage_graph(4);
  return least_channel_capacity(rows.view(), graph.view());
}

static_assert(least_capacity_of_1f1b() == 1);
// [/capacity]

constexpr int counts[][2] = {{2, 4}, {4, 8}, {4, 16}, {8, 16}};

/// Least capacity and, behind a slash, the capacity without stall, with costs of 1, 1, 1.
void print_capacities(const char* name, channel_sharing sharing) {
  const catalogue_entry& entry = *find_schedule(name);
  std::printf("%-38s", (std::string(name) +
                        (sharing == channel_sharing::by_pair ? ", one channel a pair" : ""))
                           .c_str());
  for (const auto& [devices, micro_batches] : counts) {
    const int stages = devices * entry.stages_a_device;
    const program rows = entry.make(devices, stages, micro_batches);
    const stage_graph graph = chain_stage_graph(stages);
    const int least = least_channel_capacity(rows.view(), graph.view(), sharing);
    const int enough = capacity_without_stall(rows.view(), graph.view(), sharing);
    const std::string cell =
        least < 0 ? "never" : std::to_string(least) + " / " + std::to_string(enough);
    std::printf("%9s", cell.c_str());
  }
  std::printf("\n");
}

void print_channels() {
  std::printf("[capacities]\n%-38s", "devices, micro-batches");
  for (const auto& [devices, micro_batches] : counts) {
    std::printf("%9s", (std::to_string(devices) + ", " + std::to_string(micro_batches)).c_str());
  }
  std::printf("\n");
  for (const char* name : {"sequential", "gpipe", "1f1b", "eager-1f1b", "zb-h1", "zb-h2", "zb-v",
                           "dualpipev", "interleaved-1f1b", "looped-bfs", "interleaved-zb"}) {
    print_capacities(name, channel_sharing::by_kind);
  }
  print_capacities("1f1b", channel_sharing::by_pair);
  print_capacities("interleaved-1f1b", channel_sharing::by_pair);
  print_capacities("zb-v", channel_sharing::by_pair);
  std::printf("[/capacities]\n\n[stuck]\n");
  const program rows = one_f_one_b::make(4, 4, 8);
  const stage_graph graph = chain_stage_graph(4);
  const problem found =
      channel_problem(rows.view(), graph.view(), 0, channel_sharing::by_kind, "1f1b");
  std::printf("%s\n[/stuck]\n\n", std::string(found.message().view()).c_str());
}

/// The slots of the three groups of edges of a chain: activations, gradients, stashes.
void print_slots(const char* name) {
  const program rows = find_schedule(name)->make(4, 4, 8);
  const stage_graph graph = chain_stage_graph(4);
  const list<int> least = least_slots(rows.view(), graph.view());
  const list<int> enough = slots_without_stall(rows.view(), graph.view());
  const auto part = [](const list<int>& slots, std::size_t first, std::size_t size) {
    return drawing::numbers(std::span<const int>(slots).subspan(first, size));
  };
  std::printf("%-12s least          %-14s%-14s%s\n", name, part(least, 0, 3).c_str(),
              part(least, 3, 3).c_str(), part(least, 6, 4).c_str());
  std::printf("%-12s without stall  %-14s%-14s%s\n", "", part(enough, 0, 3).c_str(),
              part(enough, 3, 3).c_str(), part(enough, 6, 4).c_str());
}

void print_versions(const char* name) {
  const program rows = find_schedule(name)->make(4, 4, 16);
  list<int> versions;
  list<int> staleness;
  for (const weight_facts& found : weight_facts_of_stages(rows.view())) {
    versions.push_back(found.versions);
    staleness.push_back(found.staleness);
  }
  std::printf("%-15s %8d  %-12s %s\n", name, updates_of_run(rows.view()),
              drawing::numbers(versions).c_str(), drawing::numbers(staleness).c_str());
}

}  // namespace

int main() {
  print_channels();
  std::printf("[slots]\n%-27s %-14s%-14s%s\n", "", "activations", "gradients", "stashes");
  for (const char* name : {"1f1b", "eager-1f1b", "gpipe", "zb-h1"}) {
    print_slots(name);
  }
  std::printf("[/slots]\n\n[versions]\n%-15s  updates  versions     staleness\n", "schedule");
  for (const char* name : {"1f1b", "pipedream", "pipedream-2bw"}) {
    print_versions(name);
  }
  std::printf("[/versions]\n");
  return 0;
}
