// SPDX-License-Identifier: MIT
// Schedules without a model, for people who study them: made from the catalogue or read from a
// file, proven, drawn, and compared.
#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/report/chrome_trace.hpp>
#include <ipu_dsl/report/timeline_svg.hpp>
#include <ipu_dsl/study/text/csv_writer.hpp>

#include "example.hpp"
#include "schedules/comparison.hpp"
#include "schedules/costs.hpp"
#include "schedules/files.hpp"
#include "schedules/pages.hpp"
#include "schedules/study.hpp"

namespace {

using namespace schedule_study;

struct command_line {
  bool list = false;
  bool compare = false;
  bool best = false;
  std::string schedule;
  std::string file;
  counts wanted;
  std::string costs = "1,1,1";
  std::string stage_costs;
  bool text = false;
  bool facts = false;
  bool csv = false;
  bool complete = false;
  std::string svg;
  std::string trace;
};

const ipu_dsl::catalogue_entry& entry_named(const std::string& name) {
  const ipu_dsl::catalogue_entry* const found = ipu_dsl::find_schedule(name);
  if (found == nullptr) {
    throw ipu_dsl::error(ipu_dsl::unknown_schedule(name));
  }
  return *found;
}

study study_of(const command_line& said) {
  if (!said.file.empty()) {
    return examine_file(said.file, said.wanted);
  }
  if (said.best) {
    const ipu_dsl::catalogue_entry& best = best_of_all(said.wanted);
    return examine(best, counts_for(best, said.wanted));
  }
  return examine(entry_named(said.schedule), said.wanted);
}

void print_csv(const study& of, bool complete) {
  const ipu_dsl::csv_form form =
      complete ? ipu_dsl::csv_form::complete : ipu_dsl::csv_form::compute_only;
  const std::string dropped = ipu_dsl::dropped_by(of.rows.view(), form);
  if (!dropped.empty()) {
    std::fprintf(stderr, "schedules: left out of the text: %s\n", dropped.c_str());
  }
  std::printf("%s", ipu_dsl::to_csv(of.rows.view(), form).c_str());
}

void show(const command_line& said) {
  const study found = study_of(said);
  if (!said.svg.empty()) {
    write_text(said.svg, ipu_dsl::timeline_svg(drawn(found)));
  }
  if (!said.trace.empty()) {
    write_text(said.trace, ipu_dsl::chrome_trace(drawn(found)));
  }
  if (said.csv) {
    print_csv(found, said.complete);
    return;
  }
  const bool asked = said.text || said.facts || !said.svg.empty() || !said.trace.empty();
  const bool text = said.text || (!asked && said.file.empty());
  const bool facts = said.facts || !asked;
  if (text || facts) {
    std::printf("%s%s%s%s", heading(found).c_str(), text ? picture(found).c_str() : "",
                text && facts ? "\n" : "", facts ? fact_text(found).c_str() : "");
  }
}

void run(command_line& said) {
  if (!said.svg.empty() && said.svg == said.trace) {
    throw ipu_dsl::error("--svg and --trace: expected two files, got " + said.svg + " twice");
  }
  const int modes = (said.list ? 1 : 0) + (said.schedule.empty() ? 0 : 1) +
                    (said.file.empty() ? 0 : 1) + (said.compare ? 1 : 0) + (said.best ? 1 : 0);
  if (modes != 1) {
    throw ipu_dsl::error("expected one of --list, --schedule, --prove, --compare and --best, got " +
                         std::to_string(modes) + "; --help tells what they do");
  }
  if (said.list) {
    std::printf("%s", list_text().c_str());
    return;
  }
  said.wanted.costs = parse_costs(said.costs);
  if (!said.stage_costs.empty()) {
    said.wanted.stage_factors = parse_stage_factors(said.stage_costs);
  }
  if (said.wanted.lockstep && said.wanted.costs.hop > 0) {
    throw ipu_dsl::error("--lockstep: expected no hop, as barriers are modelled without, got " +
                         std::to_string(said.wanted.costs.hop));
  }
  if (said.compare) {
    std::printf("%s", comparison_text(said.wanted).c_str());
  } else {
    show(said);
  }
}

/// Files and schedules have names.
std::string no_empty_name(const std::string& name) {
  return name.empty() ? "expected a name, got an empty one" : "";
}

/// Lists have an element.
std::string no_empty_list(const std::string& words) {
  return words.empty() ? "expected a number, got none" : "";
}

void describe_modes(CLI::App& options, command_line& said) {
  CLI::Option* const modes[] = {
      options.add_flag("--list", said.list, "the names of all schedules"),
      options.add_option("--schedule", said.schedule, "one schedule")
          ->type_name("NAME")
          ->check(no_empty_name),
      options.add_option("--prove", said.file, "the schedule of a file")
          ->type_name("FILE.csv")
          ->check(no_empty_name),
      options.add_flag("--compare", said.compare, "all schedules in a table"),
      options.add_flag("--best", said.best, "the one with the least makespan"),
  };
  for (CLI::Option* const mode : modes) {
    mode->group("One of");
  }
}

/// Options that would have no effect beside another are refused.
void describe_counts(CLI::App& options, command_line& said) {
  CLI::Option* const list = options.get_option("--list");
  CLI::Option* const devices = options.add_option("-p,--devices", said.wanted.devices, "devices")
                                   ->type_name("P")
                                   ->check(CLI::Range(1, 1024));
  CLI::Option* const micro_batches =
      options.add_option("-m,--micro-batches", said.wanted.micro_batches, "micro-batches of a run")
          ->type_name("M")
          ->check(CLI::Range(1, 65536));
  CLI::Option* const stages = options
                                  .add_option("-v,--stages-a-device", said.wanted.stages_a_device,
                                              "stages a device, in a table of virtual ones")
                                  ->type_name("V")
                                  ->check(CLI::Range(1, 64));
  for (CLI::Option* const count : {devices, micro_batches, stages}) {
    count->excludes(list)->excludes(options.get_option("--prove"));
  }
  for (const char* const mode : {"--schedule", "--compare", "--best"}) {
    options.get_option(mode)->needs(devices)->needs(micro_batches);
  }
  options
      .add_option("--cost", said.costs,
                  "units a device and micro-batch, and the hop to another device; 1,1,1")
      ->type_name("F,I,W[,HOP]")
      ->excludes(list);
  options
      .add_option("--stage-costs", said.stage_costs,
                  "factors of the costs of F, I and W, one for each stage; all equal")
      ->type_name("A,B,...")
      ->check(no_empty_list)
      ->excludes(list);
  options.add_flag("--lockstep", said.wanted.lockstep, "a barrier after every time slot")
      ->excludes(list);
}

void describe_outputs(CLI::App& options, command_line& said) {
  CLI::Option* const text = options.add_flag("--text", said.text, "the timeline as text");
  CLI::Option* const facts = options.add_flag("--facts", said.facts, "what is known of it");
  CLI::Option* const csv =
      options.add_flag("--csv", said.csv, "the rows in PyTorch's grammar")->excludes(text);
  CLI::Option* const complete =
      options.add_flag("--complete", said.complete, "with what PyTorch has no words for")
          ->needs(csv->excludes(facts));
  CLI::Option* const svg =
      options.add_option("--svg", said.svg, "draw the timeline")->type_name("FILE");
  CLI::Option* const trace =
      options.add_option("--trace", said.trace, "write it for Perfetto")->type_name("FILE");
  svg->check(no_empty_name);
  trace->check(no_empty_name);
  for (CLI::Option* const output : {text, facts, csv, complete, svg, trace}) {
    output->excludes(options.get_option("--list"))->excludes(options.get_option("--compare"));
    output->group("What to show");
  }
}

/// Help without the conditions of every option, which a refusal names.
class short_help : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const bool flag = option->get_expected_max() == 0;
    return flag ? std::string() : " " + option->get_type_name();
  }
};

/// Does what the command line says; returns the exit code.
int follow(int argc, char** argv) {
  command_line said;
  CLI::App options("Pipeline schedules: proven, drawn and compared.");
  options.formatter(std::make_shared<short_help>());
  describe_modes(options, said);
  describe_counts(options, said);
  describe_outputs(options, said);
  try {
    options.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return options.exit(help);
  }
  run(said);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("schedules", [&] { return follow(argc, argv); });
}
