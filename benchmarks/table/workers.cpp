// SPDX-License-Identifier: MIT
// Training steps shared by two workers, beside the same step by one.
#include <chrono>
#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "measure/machine.hpp"
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

/// The second worker on the second core.
std::unique_ptr<step_contestant> make_pair(const shared_step& way,
                                           const network_question& question) {
  const std::vector<int> before = measure::threads_of_process();
  measure::stay_anywhere();
  std::unique_ptr<step_contestant> made = way.make(question, 2);
  measure::keep_new_threads_on(1, before);
  return made;
}

void measure_shared(const shared_step& way, const run& settings) {
  const std::string name = "training step 2 workers, " + way.name;
  if (!settings.report->wants(name)) {
    return;
  }
  const network_question question = make_question(32, way.micro_batches);
  const std::unique_ptr<step_contestant> one = way.make(question, 1);
  const std::unique_ptr<step_contestant> two = make_pair(way, question);
  one->run(3);
  two->run(3);
  if (!same_weights(*one, *two)) {
    settings.report->refuse(name + ": two workers give other weights than one.");
    return;
  }
  std::vector<measure::lane> lanes{{"one", one.get()}, {"two", two.get()}};
  // Two workers need both cores at once, which others rarely leave: more rounds find it.
  measure::effort effort = settings.effort;
  effort.seconds *= 4;
  effort.most_seconds *= 4;
  measure::race(lanes, effort);
  const double gain = lanes[0].time.minimum / lanes[1].time.minimum;
  std::vector<measure::row> rows{{.name = name,
                                  .value = gain,
                                  .unit = "x",
                                  .peer = "1 worker",
                                  .median = lanes[0].time.median / lanes[1].time.median}};
  if (way.goal > 0) {
    rows.front().wanted = goal{bound::value_at_least, way.goal};
  }
  if (way.bound > 0) {
    rows.front().limit_fraction = gain / way.bound;
  }
  settings.report->add(rows);
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
  measure_disturbed(ours::shared_steps().front(), settings);
}

}  // namespace table
