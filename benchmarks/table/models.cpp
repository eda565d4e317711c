// SPDX-License-Identifier: MIT
// Training steps of models that people know, on one worker.
#include "ours/models.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "measure/machine.hpp"
#include "table/groups.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;
using peers::model_contestant;
using peers::model_question;

using model_answers = std::vector<answer<model_contestant>>;

/// By the vector unit that this is compiled for.
struct goals_of_unit {
  double share;  ///< of the peak
  double ratio;  ///< to libtorch
};

/// How far two that train alike may be apart after some steps.
struct gap {
  double parameters = 0;  ///< of the parameter that is farthest off, relative to its change
  double losses = 0;      ///< of the step that is farthest off, relative to the loss

  bool within(const gap& most) const {
    return parameters <= most.parameters && losses <= most.losses;
  }
};

struct known_model {
  const char* name;
  model_question (*ask)();
  goals_of_unit narrow;  ///< AVX2
  goals_of_unit wide;    ///< AVX-512
  gap allowed;

  const goals_of_unit& goals() const { return measure::vector_unit() == "AVX-512" ? wide : narrow; }
};

constexpr gap of_descent{0.01, 1e-5};
// It divides by the root of the square of a gradient: where that is no more than the rounding of a
// sum, the order of the sum decides where a parameter goes.
constexpr gap of_adamw{0.1, 2e-4};

constexpr known_model known_models[] = {
    {"LeNet-5", ours::lenet_question, {0.45, 2.2}, {0.35, 3}, of_descent},
    {"ResNet-8", ours::resnet8_question, {0.65, 1.35}, {0.54, 1.6}, of_descent},
    {"LSTM of 128 units", ours::lstm_question, {0.60, 1.4}, {0.52, 1.9}, of_descent},
    {"GPT", ours::gpt_question, {0.65, 1.65}, {0.55, 2.0}, of_adamw}};

/// What a model has become.
struct trained {
  std::vector<measure::buffer> parameters;
  std::vector<double> losses;
};

constexpr int steps_of_check = 3;

trained train(model_contestant& contestant) {
  trained made;
  for (int step = 0; step < steps_of_check; ++step) {
    contestant.run(1);
    made.losses.push_back(contestant.loss());
  }
  made.parameters = contestant.parameters();
  return made;
}

/// The root of the sum of squares of `a - b`; not a number if they are not as many.
double distance(const measure::buffer& a, const measure::buffer& b) {
  if (a.size() != b.size() || a.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += apart * apart;
  }
  return std::sqrt(sum);
}

/// The larger of two, and infinity if one of them is not a number.
double worse(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? HUGE_VAL : std::max(a, b);
}

/// How far the parameters that learn are apart. Some, such as the bias of an attention's keys,
/// change nothing, so that they move by rounding alone: no change counts as less than a hundredth
/// of the largest.
double largest_difference(const trained& ours, const trained& theirs,
                          const model_question& question) {
  double most_changed = 0;
  std::vector<double> changes;
  for (std::size_t i = 0; i < question.start.size(); ++i) {
    const double change = distance(ours.parameters[i], question.start[i].values);
    changes.push_back(change);
    most_changed = question.start[i].learns ? worse(most_changed, change) : most_changed;
  }
  double largest = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (question.start[i].learns) {
      const double apart = distance(ours.parameters[i], theirs.parameters[i]);
      largest = worse(largest, apart / std::max(changes[i], 0.01 * most_changed));
    }
  }
  return largest;
}

gap gap_between(const trained& ours, const trained& theirs, const model_question& question) {
  if (theirs.parameters.size() != question.start.size()) {
    return {HUGE_VAL, HUGE_VAL};
  }
  gap found{largest_difference(ours, theirs, question), 0};
  for (std::size_t i = 0; i < ours.losses.size(); ++i) {
    const double apart = std::abs(ours.losses[i] - theirs.losses[i]);
    found.losses = worse(found.losses, apart / ours.losses[i]);
  }
  return found;
}

std::size_t learned_numbers(const model_question& question) {
  std::size_t numbers = 0;
  for (const peers::model_parameter& each : question.start) {
    numbers += each.learns ? each.values.size() : 0;
  }
  return numbers;
}

/// All have to train alike: some steps from the same start. Who does not is left out.
void check(model_answers& answers, const model_question& question, const known_model& model,
           const run& settings) {
  model_answers right;
  trained wanted;
  gap largest;
  for (answer<model_contestant>& each : answers) {
    const trained made = train(*each.contestant);
    const gap found = right.empty() ? gap{} : gap_between(wanted, made, question);
    if (!found.within(model.allowed)) {
      settings.report->refuse(
          fmt::format("The {} by {} ends elsewhere: parameters {:.2g}, losses {:.2g}.", model.name,
                      each.library, found.parameters, found.losses));
      continue;
    }
    largest = {std::max(largest.parameters, found.parameters),
               std::max(largest.losses, found.losses)};
    wanted = right.empty() ? made : wanted;
    right.push_back(std::move(each));
  }
  answers = std::move(right);
  settings.report->say(
      fmt::format("{}: {:.1f} million multiply-adds an update; checked {} parameters of {} ways "
                  "after {} steps, "
                  "largest difference {:.2g} of the change, of losses {:.2g}",
                  model.name, question.multiply_adds * 1e-6, learned_numbers(question),
                  answers.size(), steps_of_check, largest.parameters, largest.losses));
}

void measure_model(const known_model& model, const std::string& name, const run& settings) {
  const model_question question = model.ask();
  model_answers answers = answers_to<model_question, model_contestant>(question);
  check(answers, question, model, settings);
  if (answers.empty() || answers.front().library != peers::ours) {
    return;
  }
  const double operations = 2 * question.multiply_adds;
  const limit peak{measure::make_peak(), operations / measure::operations_of_peak()};
  // A round takes up to a fifth of a second.
  measure::effort effort = settings.effort;
  effort.rounds /= 3;
  const outcome raced = race(answers, peak, effort);
  settings.report->add(rows_of(name, raced, static_cast<double>(question.samples), "samples/s",
                               goal{bound::limit_fraction_at_least, model.goals().share},
                               [&](const std::string& peer) {
                                 return ratio_within_limit(model.goals().ratio, raced, peer);
                               }));
}

}  // namespace

void measure_models(const run& settings) {
  for (const known_model& model : known_models) {
    const std::string name = fmt::format("training step of {}, 1 worker", model.name);
    if (settings.report->wants(name)) {
      measure_model(model, name, settings);
    }
  }
}

}  // namespace table
