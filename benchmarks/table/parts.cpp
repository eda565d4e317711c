// SPDX-License-Identifier: MIT
// Rows from the programs of the parts, which stand beside this one and count in Google Benchmark's
// way, and from the script that compiles models of growing size.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "measure/machine.hpp"
#include "table/groups.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;
using measure::row;
using nlohmann::json;

/// What a command writes. Nothing if it fails, which is said.
json output_of(const std::string& command, const run& settings) {
  measure::stay_anywhere();
  std::string written;
  std::array<char, 4096> piece{};
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe != nullptr) {
    while (std::fgets(piece.data(), static_cast<int>(piece.size()), pipe) != nullptr) {
      written += piece.data();
    }
    pclose(pipe);
  }
  measure::stay_on(0);
  json read = json::parse(written, nullptr, false);
  if (read.is_discarded()) {
    settings.report->refuse(fmt::format("This wrote no JSON: {}", command));
    return {};
  }
  return read;
}

/// Runs a program of the parts; `make` gives the row of each of its lines.
void add_part(const std::string& program, const std::string& filter, const run& settings,
              const std::function<std::vector<row>(const json&)>& make) {
  const std::filesystem::path path =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / program;
  const json output =
      output_of(fmt::format("'{}' --benchmark_format=json '--benchmark_filter={}' 2>/dev/null",
                            path.string(), filter),
                settings);
  for (const json& line : output.value("benchmarks", json::array())) {
    if (line.value("error_occurred", false)) {
      settings.report->say(fmt::format("{} is not measured: {}.", line.value("name", ""),
                                       line.value("error_message", "")));
    } else {
      settings.report->add(make(line));
    }
  }
}

/// Without what Google Benchmark adds.
std::string short_name(const json& line) {
  const std::string name = line.at("name");
  return name.substr(0, name.find("/iterations"));
}

std::vector<row> hand_off_row(const json& line) {
  return {{.name = "hand-off one way, awake, p50",
           .value = line.at("p50_ns"),
           .unit = "ns",
           .wanted = goal{bound::value_at_most, 300}}};
}

/// "allocations, session threads:2"
std::vector<row> allocation_rows(const json& line) {
  // Where the C library is another, nothing is counted.
  if (line.at("counted") != 1) {
    return {};
  }
  std::string name = short_name(line);
  name.replace(0, name.rfind('_') + 1, "allocations, ");
  std::replace(name.begin(), name.end(), '/', ' ');
  std::vector<row> rows;
  for (const std::string call : {"step", "prediction", "push"}) {
    if (line.contains(call)) {
      rows.push_back({.name = name,
                      .value = line.at(call),
                      .unit = "a " + call,
                      .wanted = goal{bound::value_at_most, 0}});
    }
  }
  return rows;
}

/// "schedule 5_us_actions/grouped/2_stages"
std::vector<row> schedule_row(const json& line) {
  return {{.name = "schedule " + short_name(line),
           .value = line.at("reached"),
           .unit = "x",
           .peer = "1 worker",
           .limit_fraction = 1 / line.at("ratio").get<double>()}};
}

std::vector<row> balanced_row(const json& line) {
  return {{.name = "two balanced stages, m = 16, " + short_name(line),
           .value = line.at("gain"),
           .unit = "x",
           .peer = "1 worker",
           .wanted = goal{bound::value_at_least, 1.7},
           .limit_fraction = line.at("gain").get<double>() / line.at("proof").get<double>()}};
}

}  // namespace

void measure_parts(const run& settings) {
  const measure::report& report = *settings.report;
  if (report.wants("hand-off one way, awake, p50")) {
    add_part("benchmark_runtime_handoff", ".", settings, hand_off_row);
  }
  if (report.wants("allocations")) {
    add_part("benchmark_training_allocations", ".", settings, allocation_rows);
  }
  if (report.wants("two balanced stages")) {
    add_part("benchmark_runtime_pipeline", ".", settings, balanced_row);
  }
  if (report.wants("schedule")) {
    add_part("benchmark_runtime_schedules",
             settings.quick ? "4_micro_batches" : "^balanced|5_us_actions", settings, schedule_row);
  }
}

void measure_growth(const run& settings) {
  if (!settings.report->wants("growth")) {
    return;
  }
  std::string only;
  for (const std::string& part : settings.report->only()) {
    only += fmt::format(" --only='{}'", part);
  }
  const std::string command = fmt::format(
      "/usr/bin/env python3 '{0}/benchmarks/growth/growth.py' --include '{0}/include' "
      "--compiler '{1}' --flags='{2}' {3} {4}",
      IPU_DSL_SOURCE_DIRECTORY, IPU_DSL_COMPILER, IPU_DSL_ARCHITECTURE_FLAGS, only,
      settings.quick ? "--quick" : "");
  for (const json& model : output_of(command, settings)) {
    std::vector<row> rows;
    for (const json& each : model) {
      rows.push_back({.name = each.at("name"), .value = each.at("value"), .unit = each.at("unit")});
    }
    settings.report->add(rows);
  }
}

}  // namespace table
