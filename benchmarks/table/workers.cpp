// SPDX-License-Identifier: MIT
// Training steps shared by two workers, beside the same step by one.
#include <chrono>
#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "measure/machine.hpp"
#include "ours/models.hpp"
#include "ours/two_workers.hpp"
#include "table/groups.hpp"
#include "table/questions.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;
using ours::shared_step;
using peers::network_question;
using peers::step_contestant;

/// Something else that keeps a core busy, as long as this lives.
class busy_process {
 public:
  explicit busy_process(int core) : process_(fork()) {
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      measure::stay_on(core);
      while (true) {
        measure::clobber_memory();
      }
    }
  }

  busy_process(const busy_process&) = delete;
  busy_process& operator=(const busy_process&) = delete;

  ~busy_process() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
  }

 private:
  pid_t process_;
};

bool same_weights(step_contestant& one, step_contestant& two) {
  const peers::network_weights a = one.weights();
  const peers::network_weights b = two.weights();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].kernel != b[i].kernel || a[i].bias != b[i].bias) {
      return false;
    }
  }
  return true;
}

/// What `make(2)` gives, the second worker on the second core.
template <typename Make>
auto make_pair(const Make& make) {
  const std::vector<int> before = measure::threads_of_process();
  measure::stay_anywhere();
  auto made = make(2);
  measure::keep_new_threads_on(1, before);
  return made;
}

/// How many times as fast two workers are as one; `bound` is what the plan says they can be, 0 if
/// it says nothing.
measure::row measure_gain(const std::string& name, measure::contestant& one,
                          measure::contestant& two, measure::effort effort, double bound) {
  std::vector<measure::lane> lanes{{"one", &one}, {"two", &two}};
  // Two workers need both cores at once, which others rarely leave: more rounds find it.
  effort.seconds *= 4;
  effort.most_seconds *= 4;
  measure::race(lanes, effort);
  measure::row made{.name = name,
                    .value = lanes[0].time.minimum / lanes[1].time.minimum,
                    .unit = "x",
                    .peer = "1 worker",
                    .median = lanes[0].time.median / lanes[1].time.median};
  if (bound > 0) {
    made.limit_fraction = made.value / bound;
  }
  return made;
}

void measure_shared(const shared_step& way, const run& settings) {
  const std::string name = "training step 2 workers, " + way.name;
  if (!settings.report->wants(name)) {
    return;
  }
  const network_question question = make_question(32, way.micro_batches);
  const std::unique_ptr<step_contestant> one = way.make(question, 1);
  const std::unique_ptr<step_contestant> two =
      make_pair([&](int threads) { return way.make(question, threads); });
  one->run(3);
  two->run(3);
  if (!same_weights(*one, *two)) {
    settings.report->refuse(name + ": two workers give other weights than one.");
    return;
  }
  measure::row made = measure_gain(name, *one, *two, settings.effort, way.bound);
  if (way.goal > 0) {
    made.wanted = goal{bound::value_at_least, way.goal};
  }
  settings.report->add({made});
}

/// A model that people know, and how it is dealt over workers.
struct shared_model {
  std::string name;
  peers::model_question (*question)();
  std::unique_ptr<peers::model_contestant> (*make)(const peers::model_question&, int threads);
  double goal = 0;  ///< 0: none
};

const shared_model shared_models[] = {
    {"GPT in four stages, m = 16", ours::gpt_in_stages_question, ours::gpt_in_stages, 1.75},
    {"GPT on one device", ours::gpt_question, ours::gpt_on_one_device},
    {"ResNet-8 on one device", ours::resnet8_question, ours::resnet8_on_one_device}};

void measure_shared_model(const shared_model& way, const run& settings) {
  const std::string name = "training step 2 workers, " + way.name;
  if (!settings.report->wants(name)) {
    return;
  }
  const peers::model_question question = way.question();
  const auto one = way.make(question, 1);
  const auto two = make_pair([&](int threads) { return way.make(question, threads); });
  one->run(2);
  two->run(2);
  if (one->parameters() != two->parameters()) {
    settings.report->refuse(name + ": two workers give other parameters than one.");
    return;
  }
  // A step takes a hundredth or a tenth of a second.
  measure::effort effort = settings.effort;
  effort.rounds /= 3;
  measure::row made = measure_gain(name, *one, *two, effort, 0);
  if (way.goal > 0) {
    made.wanted = goal{bound::value_at_least, way.goal};
  }
  settings.report->add({made});
}

double steps_per_second(step_contestant& stepper, double seconds) {
  using clock = std::chrono::steady_clock;
  const clock::time_point start = clock::now();
  int steps = 0;
  std::chrono::duration<double> passed{};
  while (passed.count() < seconds) {
    stepper.run(1);
    ++steps;
    passed = clock::now() - start;
  }
  return steps / passed.count();
}

/// Two workers where another process wants the second core all the time.
void measure_disturbed(const shared_step& way, const run& settings) {
  const std::string name = "training step 2 workers, disturbed, " + way.name;
  if (!settings.report->wants(name)) {
    return;
  }
  const double seconds = settings.quick ? 2 : 20;
  const network_question question = make_question(32, way.micro_batches);
  const std::unique_ptr<step_contestant> one = way.make(question, 1);
  const double alone = steps_per_second(*one, seconds / 4);
  measure::stay_anywhere();
  const std::unique_ptr<step_contestant> two = way.make(question, 2);
  double together = 0;
  {
    const busy_process other(1);
    together = steps_per_second(*two, seconds);
  }
  measure::stay_on(0);
  settings.report->add({{.name = name,
                         .value = together / alone,
                         .unit = "x",
                         .peer = "1 worker, undisturbed",
                         .wanted = goal{bound::value_at_least, 0.45}}});
}

}  // namespace

void measure_workers(const run& settings) {
  if (measure::cores() < 2) {
    settings.report->say("There is one core: two workers are not measured.");
    return;
  }
  for (const shared_step& way : ours::shared_steps()) {
    measure_shared(way, settings);
  }
  for (const shared_model& way : shared_models) {
    measure_shared_model(way, settings);
  }
  measure_disturbed(ours::shared_steps().front(), settings);
}

}  // namespace table
