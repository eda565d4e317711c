// SPDX-License-Identifier: MIT
// Training steps of the network on one worker.
#include <fmt/format.h>

#include "measure/machine.hpp"
#include "table/groups.hpp"
#include "table/questions.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;
using peers::network_question;
using peers::step_contestant;

using step_answers = std::vector<answer<step_contestant>>;

/// All have to change the parameters alike: three steps from the same start.
void check(step_answers& answers, const network_question& question, const run& settings) {
  constexpr int steps = 3;
  constexpr double tolerance = 1e-3;
  step_answers right;
  double largest = 0;
  for (answer<step_contestant>& each : answers) {
    each.contestant->run(steps);
    const double difference = right.empty()
                                  ? 0
                                  : largest_difference(right.front().contestant->weights(),
                                                       each.contestant->weights(), question.start);
    if (difference > tolerance) {
      settings.report->refuse(
          fmt::format("The training step by {} ends elsewhere: {:.2g}.", each.library, difference));
      continue;
    }
    largest = std::max(largest, difference);
    right.push_back(std::move(each));
  }
  answers = std::move(right);
  settings.report->say(fmt::format(
      "training step: checked {} parameters of {} ways after {} steps, largest difference {:.2g} "
      "of the largest change",
      elements_of(question.start), answers.size(), steps, largest));
}

std::optional<goal> peer_goal(const std::string& peer) {
  if (peer == "libtorch") {
    return goal{bound::value_at_least, 2.2};
  }
  if (peer == "oneDNN") {
    return goal{bound::value_at_least, 1.1};
  }
  return {};
}

void measure_step(int micro_batches, const run& settings) {
  const std::string name = fmt::format("training step {} x 32, 1 worker", micro_batches);
  if (!settings.report->wants(name)) {
    return;
  }
  const network_question question = make_question(32, micro_batches);
  step_answers answers = answers_to<network_question, step_contestant>(question);
  check(answers, question, settings);
  if (answers.empty() || answers.front().library != peers::ours) {
    return;
  }
  const double operations = 2 * multiply_adds_of_training() * question.samples();
  const limit peak{measure::make_peak(), operations / measure::operations_of_peak()};
  const outcome raced = race(answers, peak, settings.effort);
  const bool single = micro_batches == 1;
  settings.report->add(rows_of(
      name, raced, question.samples(), "samples/s",
      goal{bound::limit_fraction_at_least, single ? 0.89 : 0.91},
      [&](const std::string& peer) { return single ? peer_goal(peer) : std::optional<goal>{}; }));
}

}  // namespace

void measure_steps(const run& settings) {
  measure_step(1, settings);
  measure_step(4, settings);
}

}  // namespace table
