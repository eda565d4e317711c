// SPDX-License-Identifier: MIT
// What the executor adds to kernels: steps of models whose layers do nothing.
#include <fmt/format.h>

#include "measure/machine.hpp"
#include "ours/empty_layers.hpp"
#include "table/groups.hpp"
#include "table/questions.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;

double seconds_of_network_step(const run& settings) {
  const peers::network_question question = make_question(32, 1);
  const auto answers = answers_to<peers::network_question, peers::step_contestant>(question);
  std::vector<measure::lane> lanes{{peers::ours, answers.front().contestant.get()}};
  measure::race(lanes, settings.effort);
  return lanes.front().time.minimum;
}

/// What one more of `count` costs, from two models that differ in nothing else; nanoseconds.
double cost_of_one(double fewer, double more, int count) {
  return 1e9 * (more - fewer) / count;
}

}  // namespace

void measure_executor(const run& settings) {
  if (!settings.report->wants("executor overhead")) {
    return;
  }
  const ours::empty_model few = ours::few_empty_layers();
  const ours::empty_model many = ours::many_empty_layers();
  const ours::empty_model apart = ours::many_empty_stages();
  std::vector<measure::lane> lanes{
      {"few", few.step.get()}, {"many", many.step.get()}, {"apart", apart.step.get()}};
  measure::race(lanes, settings.effort);
  const measure::timing& of_few = lanes[0].time;
  const measure::timing& of_many = lanes[1].time;
  const measure::timing& of_apart = lanes[2].time;
  const int calls = many.calls - few.calls;
  const double call = cost_of_one(of_few.minimum, of_many.minimum, calls);
  settings.report->add({{.name = "executor overhead per call",
                         .value = call,
                         .unit = "ns",
                         .wanted = goal{bound::value_at_most, 10},
                         .median = cost_of_one(of_few.median, of_many.median, calls)}});
  const int actions = apart.actions - many.actions;
  settings.report->add({{.name = "executor overhead per action",
                         .value = cost_of_one(of_many.minimum, of_apart.minimum, actions),
                         .unit = "ns",
                         .median = cost_of_one(of_many.median, of_apart.median, actions)}});
  const int calls_of_step = ours::calls_of_network_step();
  settings.report->add(
      {{.name = fmt::format("executor overhead in a step of {} calls", calls_of_step),
        .value = 1e-7 * call * calls_of_step / seconds_of_network_step(settings),
        .unit = "%",
        .wanted = goal{bound::value_at_most, 0.1}}});
}

}  // namespace table
