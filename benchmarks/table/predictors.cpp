// SPDX-License-Identifier: MIT
// Predictions of the network at batch 1 and 32, and of one sample after the other.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "measure/machine.hpp"
#include "ours/stream.hpp"
#include "table/groups.hpp"
#include "table/questions.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;
using peers::network_question;
using peers::predictor_contestant;

using predictor_answers = std::vector<answer<predictor_contestant>>;

/// All have to predict alike.
void check(predictor_answers& answers, const run& settings) {
  constexpr double tolerance = 1e-4;
  predictor_answers right;
  std::vector<float> wanted;
  double largest = 0;
  for (answer<predictor_contestant>& each : answers) {
    each.contestant->run(1);
    const std::vector<float> outputs = each.contestant->outputs();
    wanted = right.empty() ? outputs : wanted;
    const double difference = largest_difference(outputs, wanted, 1);
    if (difference > tolerance) {
      settings.report->refuse(
          fmt::format("The prediction by {} is another: {:.2g}.", each.library, difference));
      continue;
    }
    largest = std::max(largest, difference);
    right.push_back(std::move(each));
  }
  answers = std::move(right);
  settings.report->say(
      fmt::format("prediction: checked {} outputs of {} ways, largest difference {:.2g}",
                  wanted.size(), answers.size(), largest));
}

/// A single sample is limited by the weights, read once; a batch by the multiply-adds.
limit limit_of(const network_question& question) {
  if (question.micro_batch == 1) {
    return {measure::make_stream(static_cast<std::int64_t>(bytes_of_weights())), 1};
  }
  const double operations = 2 * multiply_adds_of_forward() * question.micro_batch;
  return {measure::make_peak(), operations / measure::operations_of_peak()};
}

void measure_predictor(int batch, const run& settings) {
  const std::string name = fmt::format("inference batch {}", batch);
  if (!settings.report->wants(name)) {
    return;
  }
  const network_question question = make_question(batch, 1);
  predictor_answers answers = answers_to<network_question, predictor_contestant>(question);
  check(answers, settings);
  if (answers.empty() || answers.front().library != peers::ours) {
    return;
  }
  const outcome raced = race(answers, limit_of(question), settings.effort);
  settings.report->add(rows_of(name, raced, batch, "samples/s",
                               goal{bound::limit_fraction_at_least, batch == 1 ? 0.93 : 0.95},
                               [](const std::string&) { return std::optional<goal>{}; }));
}

/// The call for streams beside the one that copies its result out.
void measure_push(const run& settings) {
  const std::string name = "inference stream push";
  if (!settings.report->wants(name)) {
    return;
  }
  const network_question question = make_question(1, 1);
  const ours::stream_calls calls = ours::make_stream_calls(question);
  calls.push->run(1);
  calls.predict->run(1);
  if (calls.push->outputs() != calls.predict->outputs()) {
    settings.report->refuse(name + ": push and predict give different bits.");
    return;
  }
  const limit stream = limit_of(question);
  measure::lane lanes[] = {
      {"push", calls.push.get()}, {"predict", calls.predict.get()}, {"", stream.contestant.get()}};
  measure::race(lanes, settings.effort);
  const measure::timing pushed = lanes[0].time;
  const measure::timing predicted = lanes[1].time;
  const measure::timing read = lanes[2].time;
  settings.report->add({{.name = name,
                         .value = 1e9 * pushed.minimum,
                         .unit = "ns a sample",
                         .limit_fraction = read.minimum / pushed.minimum,
                         .median = 1e9 * pushed.median,
                         .median_fraction = read.median / pushed.median},
                        {.name = name,
                         .value = predicted.minimum / pushed.minimum,
                         .unit = "x",
                         .peer = "predict",
                         .median = predicted.median / pushed.median}});
}

}  // namespace

void measure_predictors(const run& settings) {
  measure_predictor(1, settings);
  measure_predictor(32, settings);
  measure_push(settings);
}

}  // namespace table
