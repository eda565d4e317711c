// SPDX-License-Identifier: MIT
// Everything that is measured, beside what other libraries and the machine can do, in one run.
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "measure/machine.hpp"
#include "peers/network.hpp"
#include "peers/product.hpp"
#include "table/environment.hpp"
#include "table/groups.hpp"

namespace {

void say_how(const table::run& settings) {
  settings.report->say(fmt::format("built by {} {} for {}", measure::compiler(),
                                   IPU_DSL_ARCHITECTURE_FLAGS, measure::vector_unit()));
  settings.report->say(
      fmt::format("{} cores; the measuring thread stays on core 0", measure::cores()));
  for (const auto& remark : peers::remarks()) {
    settings.report->say(remark());
  }
  settings.report->say(fmt::format(
      "ratios of minima over at least {} alternated rounds{}; in brackets medians and goals\n",
      settings.effort.rounds,
      settings.quick ? " (quick: too few for the goals to be judged by)" : ""));
}

/// A library that was not there when this was built is left out, and that is said.
void say_missing(const measure::report& report) {
  using peers::network_question;
  using peers::product;
  for (const std::string library : {"OpenBLAS", "libxsmm", "oneDNN"}) {
    if (!table::enters<product, peers::product_contestant>(library)) {
      report.say(library + " was not found when this was built; gemms are measured without it.");
    }
  }
  for (const std::string library : {"dlib", "libtorch", "oneDNN"}) {
    if (!table::enters<network_question, peers::step_contestant>(library)) {
      report.say(library + " was not found when this was built; training and inference are " +
                 "measured without it.");
    }
  }
}

void measure_all(const table::run& settings) {
  table::measure_limits(settings);
  table::measure_products(settings);
  table::measure_convolutions(settings);
  table::measure_steps(settings);
  table::measure_models(settings);
  table::measure_updates(settings);
  table::measure_memory_bound(settings);
  table::measure_predictors(settings);
  table::measure_recurrent(settings);
  table::measure_workers(settings);
  table::measure_executor(settings);
  table::measure_parts(settings);
  table::measure_growth(settings);
}

}  // namespace

int main(int count, char** given) {
  CLI::App program("Measures this library beside others and prints a table.");
  bool quick = false;
  std::string json;
  std::vector<std::string> only;
  int runs = 1;
  program.add_flag("--quick", quick, "fewer rounds, fewer programs");
  program.add_option("--json", json, "writes the rows to a file");
  program.add_option("--only", only, "only rows whose name contains this; may be given again")
      ->allow_extra_args(false);
  program.add_option("--runs", runs, "measures everything so often; the run in the middle counts")
      ->check(CLI::Range(1, 99));
  CLI11_PARSE(program, count, given);
  try {
    table::restrict_peers(given);
    measure::report report(only);
    const measure::effort effort =
        quick ? measure::effort{.rounds = 40, .seconds = 0.05, .most_seconds = 0}
              : measure::effort{};
    measure::stay_on(0);
    const table::run settings{effort, quick, &report};
    say_how(settings);
    say_missing(report);
    for (int run = 1; run <= runs; ++run) {
      if (run > 1) {
        report.begin_run(run);
      }
      measure_all(settings);
    }
    if (!json.empty()) {
      report.write_json(json);
    }
    return report.finish();
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}\n", failure.what());
    return 2;
  }
}
