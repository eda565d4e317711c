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

/// How far the parameters of two are apart, of what they have changed from a start.
using difference_of = double (*)(const peers::network_weights& a, const peers::network_weights& b,
                                 const peers::network_weights& start);

/// What a check looks at, what it allows, and what it says.
struct tolerance {
  difference_of difference;
  double most;
  const char* words;
};

/// All have to change the parameters alike: three steps from the same start.
void check(step_answers& answers, const network_question& question, const tolerance& allowed,
           const run& settings) {
  constexpr int steps = 3;
  step_answers right;
  double largest = 0;
  for (answer<step_contestant>& each : answers) {
    each.contestant->run(steps);
    const double difference = right.empty()
                                  ? 0
                                  : allowed.difference(right.front().contestant->weights(),
                                                       each.contestant->weights(), question.start);
    if (!(difference <= allowed.most)) {
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
      "of the {} change",
      elements_of(question.start), answers.size(), steps, largest, allowed.words));
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
  check(answers, question, {largest_difference, 1e-3, "largest"}, settings);
  if (answers.empty() || answers.front().library != peers::ours) {
    return;
  }
  const double operations = 2 * multiply_adds_of_training() * question.samples();
  const limit peak{measure::make_peak(), operations / measure::operations_of_peak()};
  const outcome raced = race(answers, peak, settings.effort);
  const bool single = micro_batches == 1;
  const double share_of_single = measure::vector_unit() == "AVX-512" ? 0.82 : 0.89;
  settings.report->add(rows_of(
      name, raced, question.samples(), "samples/s",
      goal{bound::limit_fraction_at_least, single ? share_of_single : 0.91},
      [&](const std::string& peer) { return single ? peer_goal(peer) : std::optional<goal>{}; }));
}

/// Adam at the end of the weight gradients may take a fifth more than by itself.
constexpr double most_updates = 1.2;

/// A step with Adam, beside the step by descent and 1.2 times the update by itself, which together
/// are the limit of it.
void measure_adam_step(const run& settings) {
  const std::string name = "training step with adam 1 x 32, 1 worker";
  if (!settings.report->wants(name)) {
    return;
  }
  const network_question question = make_question(32, 1);
  step_answers answers =
      answers_to<peers::adam_question, step_contestant>(peers::adam_question{question});
  // Adam divides by the root of the square of a gradient: where that is no more than the rounding
  // of a sum, the order of the sum decides where a parameter goes.
  check(answers, question, {usual_difference, 0.05, "usual"}, settings);
  const step_answers descents = answers_to<network_question, step_contestant>(question);
  const peers::update_question alone = make_update_question(elements_of(question.start), 1);
  const auto updates = answers_to<peers::update_question, peers::update_contestant>(alone);
  if (answers.empty() || answers.front().library != peers::ours) {
    return;
  }
  std::vector<measure::lane> lanes;
  for (const answer<step_contestant>& each : answers) {
    lanes.push_back({each.library, each.contestant.get()});
  }
  lanes.push_back({"descent", descents.front().contestant.get()});
  lanes.push_back({"update", updates.front().contestant.get()});
  measure::race(lanes, settings.effort);
  const measure::timing update = lanes.back().time;
  lanes.pop_back();
  measure::timing& most = lanes.back().time;
  most.minimum += most_updates * update.minimum;
  most.median += most_updates * update.median;
  settings.report->add(rows_of(name, best_of(lanes, {1}), question.samples(), "samples/s",
                               goal{bound::limit_fraction_at_least, 1}, [](const std::string&) {
                                 return goal{bound::value_at_least, 2.5};
                               }));
}

}  // namespace

void measure_steps(const run& settings) {
  measure_step(1, settings);
  measure_step(4, settings);
  measure_adam_step(settings);
}

}  // namespace table
