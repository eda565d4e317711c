// SPDX-License-Identifier: MIT
// What the compiler knows of schedules, chooses among them, and cuts for them. The output is
// docs/samples/schedule_facts.txt.
#include <cstdint>
#include <cstdio>
#include <string>

#include <ipu_dsl/catalogue/best_of.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/plan/automatic_stages.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/schedule/partition/scheduled_partition.hpp>
#include <ipu_dsl/schedule/study.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

using namespace ipu_dsl;

namespace {

// [study]
using studied = study<one_f_one_b, 4, 4, 8>;  // 4 devices, 4 stages, 8 micro-batches
static_assert(studied::facts.makespan == 33);
static_assert(studied::facts.flush_bubble() == 9);
static_assert(peak_stash_of_devices(studied::rows)[0] == 4);

static_assert(study<zb_h2, 4, 4, 8>::facts.flush_bubble() == 3);
static_assert(study<zb_h2, 4, 4, 8>::facts.span_bubble == 0);
// [/study]

// [family]
static_assert(study<fill<0, 0, 0, 0>, 4, 4, 8>::facts.makespan == 96);  // sequential
static_assert(study<fill<3, 2, 1, 0>, 4, 4, 8>::facts.makespan == 33);  // 1F1B
static_assert(study<fill<6, 4, 2, 0>, 4, 4, 8>::facts.makespan == 33);  // eager 1F1B
static_assert(study<fill<8, 8, 8, 8>, 4, 4, 8>::facts.makespan == 33);  // GPipe
static_assert(!fill_is_free_of_deadlock(8, list<int>{2, 3, 1, 0}));

// [/family]

// [lockstep]
template <schedule_type Schedule>
constexpr std::int64_t lockstep_makespan(int devices, int micro_batches, stage_cost cost = {}) {
  const program rows = Schedule::make(devices, devices, micro_batches);
  const stage_graph graph = chain_stage_graph(devices, cost);
  return facts_of(rows.view(), lockstep_timeline(rows.view(), graph.view())).makespan;
}

static_assert(lockstep_makespan<grouped>(4, 8) == 33);  // F = 1, B = 2
static_assert(lockstep_makespan<interleaved>(4, 8) == 40);

// [/lockstep]

/// Grouped: (m + p - 1)(F + B); interleaved: 2 (m + p - 1) max(F, B) - p |B - F|.
constexpr bool lockstep_formulas_hold(const stage_cost& cost) {
  const std::int64_t forward = cost.forward;
  const std::int64_t backward = cost.of(action_kind::backward);
  const std::int64_t most = forward < backward ? backward : forward;
  bool hold = true;
  for (int p = 2; p <= 5; ++p) {
    for (int m = 2 * p; m <= 4 * p; m += 2 * p) {
      const std::int64_t turns = m + p - 1;
      hold = hold && lockstep_makespan<grouped>(p, m, cost) == turns * (forward + backward) &&
             lockstep_makespan<interleaved>(p, m, cost) ==
                 2 * turns * most - p * (2 * most - forward - backward);
    }
  }
  return hold;
}

static_assert(lockstep_formulas_hold({1, 1, 1}));
static_assert(lockstep_formulas_hold({2, 1, 1}));
static_assert(lockstep_formulas_hold({5, 1, 1}));

// [hop]
struct with_hop {
  static constexpr stage_graph make(int stages, int copies) {
    stage_graph graph = chain_stage_graph(stages, stage_cost{}, output_use::forward_only, copies);
    graph.hop = 1;
    return graph;
  }
};

static_assert(study<one_f_one_b, 4, 4, 16, with_hop>::facts.makespan == 85);
static_assert(study<eager_one_f_one_b, 4, 4, 16, with_hop>::facts.makespan == 63);

// [/hop]

// [best]
struct measured {
  static constexpr stage_graph make(int stages, int copies) {
    const stage_cost each = {.forward = 3, .input_gradient = 4, .weight_gradient = 2};
    return chain_stage_graph(stages, each, output_use::forward_only, copies);
  }
};

using best = best_of<one_f_one_b, zb_h1, zero_bubble_list<>>;
static_assert(study<best, 4, 4, 8, measured>::facts.makespan <=
              study<zb_h1, 4, 4, 8, measured>::facts.makespan);

// [/best]

template <schedule_type Schedule>
void print_found(const std::string& name) {
  using found = study<Schedule, 4, 4, 8, measured>;
  const stage_graph graph = measured::make(4, 1);
  const list<int> places = neighbouring_placement(4, 4);
  const std::int64_t least = least_makespan(4, places, 8, graph.view());
  std::printf(
      "%-20s %8d  %6d  %5.1f %%  %5d\n", name.c_str(), static_cast<int>(found::facts.makespan),
      static_cast<int>(found::facts.flush_bubble()),
      100 * optimality_gap(found::facts.makespan, least), peak_stash_of_devices(found::rows)[0]);
}

template <int Bound>
void print_bound() {
  print_found<zero_bubble_list<Bound>>("zero_bubble_list<" + std::to_string(Bound) + ">");
}

// [layers]
constexpr list<stage_cost> layers_of(std::initializer_list<int> costs) {
  list<stage_cost> layers;
  for (const int cost : costs) {
    layers.push_back({.forward = cost, .input_gradient = cost, .weight_gradient = cost});
  }
  return layers;
}

constexpr std::int64_t makespan_of_least_bottleneck() {
  const list<stage_cost> layers = layers_of({8, 11, 2, 1, 18, 5, 4, 11});
  const partition cut = min_max_partition(whole_costs(layers), 4);
  return makespan_of_partition<one_f_one_b>(layers, cut, {.devices = 4, .micro_batches = 8});
}

constexpr std::int64_t makespan_of_best_cut() {
  const list<stage_cost> layers = layers_of({8, 11, 2, 1, 18, 5, 4, 11});
  return best_partition<one_f_one_b>(layers, 4, {.devices = 4, .micro_batches = 8}).makespan;
}

static_assert(makespan_of_least_bottleneck() == 600);
static_assert(makespan_of_best_cut() == 573);

// [/layers]

void print_cut(const char* what, const partition& cut, std::int64_t makespan) {
  std::printf("%-18s", what);
  std::string stages;
  for (int stage = 0; stage < cut.stages(); ++stage) {
    const int end = cut.first_layer_of_stage[static_cast<std::size_t>(stage) + 1];
    stages += stage == 0 ? "" : " | ";
    for (int i = cut.first_layer_of_stage[static_cast<std::size_t>(stage)]; i < end; ++i) {
      constexpr int costs[] = {8, 11, 2, 1, 18, 5, 4, 11};
      stages += std::to_string(costs[i]) + (i + 1 < end ? " " : "");
    }
  }
  std::printf("%-30s bottleneck %lld  makespan %lld\n", stages.c_str(),
              static_cast<long long>(cut.bottleneck / 3), static_cast<long long>(makespan));
}

void print_cuts() {
  const list<stage_cost> layers = layers_of({8, 11, 2, 1, 18, 5, 4, 11});
  const partition cut = min_max_partition(whole_costs(layers), 4);
  print_cut("least bottleneck", cut, makespan_of_least_bottleneck());
  const scheduled_partition best_cut = best_partition<one_f_one_b>(layers, 4, {4, 8});
  print_cut("least makespan", best_cut.cut, best_cut.makespan);
}

// [automatic]
struct automatic
    : model<input<8, 8>, auto_pipeline<sequential<Flatten, Dense<64, relu>, Dense<64, relu>,
                                                  Dense<64, relu>, Dense<64, relu>, Dense<10>>,
                                       4>> {};

struct on_two_devices
    : compile<automatic, micro_batch<32>, gradient_accumulation<8>, interleaved_one_f_one_b,
              devices<2>, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

static_assert(check<on_two_devices>());
static_assert(on_two_devices::stages == 4 && on_two_devices::settings.devices == 2);
// [/automatic]

}  // namespace

int main() {
  std::printf("[bounds]\n                     makespan  bubble      gap  stash\n");
  print_found<one_f_one_b>("one_f_one_b");
  print_found<zb_h1>("zb_h1");
  print_found<zb_h2>("zb_h2");
  print_bound<1>();
  print_bound<2>();
  print_bound<3>();
  print_bound<4>();
  print_bound<5>();
  print_bound<7>();
  std::printf("[/bounds]\n\n[cuts]\n");
  print_cuts();
  std::printf("[/cuts]\n\n[automatic]\nstage of each layer:");
  for (const int stage : automatic_stages_of<on_two_devices>.view()) {
    std::printf(" %d", stage);
  }
  std::printf("\n[/automatic]\n\n[greedy]\n%s\n[/greedy]\n",
              std::string(study<fill<2, 3, 1, 0>, 4, 4, 8>::fault.message().view()).c_str());
  return 0;
}
