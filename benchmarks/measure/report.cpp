// SPDX-License-Identifier: MIT
#include "measure/report.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace measure {
namespace {

bool bounds_fraction(bound of) {
  return of == bound::limit_fraction_at_least || of == bound::limit_fraction_at_most;
}

bool is_least(bound of) {
  return of == bound::value_at_least || of == bound::limit_fraction_at_least;
}

std::string text_of(const goal& wanted) {
  return fmt::format("{} {} {}", bounds_fraction(wanted.of) ? "limit_fraction" : "value",
                     is_least(wanted.of) ? ">=" : "<=", wanted.number);
}

/// What a goal bounds.
double measured(const row& of) {
  if (of.wanted && bounds_fraction(of.wanted->of)) {
    return of.limit_fraction.value_or(0);
  }
  return of.value;
}

/// Larger is better; by goals, because those of peers differ from run to run.
double merit(const row& of) {
  if (!of.wanted) {
    return of.value;
  }
  const double number = of.wanted->number;
  return is_least(of.wanted->of) ? measured(of) / number : number - measured(of);
}

/// The row of a run that is measured as another run's; null if it could not be measured.
const row* same_row(const std::vector<row>& run, const row& wanted) {
  const auto found = std::find_if(run.begin(), run.end(), [&](const row& each) {
    return each.name == wanted.name && each.peer == wanted.peer && each.unit == wanted.unit;
  });
  return found == run.end() ? nullptr : &*found;
}

/// "[>= 97 %: holds]"
std::string verdict(const row& judged) {
  if (!judged.wanted) {
    return "";
  }
  const bool fraction = bounds_fraction(judged.wanted->of);
  return fmt::format(" [{} {:.4g}{}: {}]", is_least(judged.wanted->of) ? ">=" : "<=",
                     judged.wanted->number * (fraction ? 100 : 1), fraction ? " %" : "",
                     holds(judged) ? "holds" : "MISSED");
}

std::string fraction_text(const row& shown) {
  if (!shown.limit_fraction) {
    return "";
  }
  std::string text = fmt::format(" {:.1f} %", 100 * *shown.limit_fraction);
  if (shown.median_fraction) {
    text += fmt::format(" (median {:.1f})", 100 * *shown.median_fraction);
  }
  return text;
}

/// "OpenBLAS 1.27x (median 1.25)" or "158.3 GFLOP/s 99.1 % (median 97.0)", and the verdict.
std::string text_of(const row& shown) {
  const bool ratio = shown.unit == "x";
  std::string text = shown.peer + (shown.peer.empty() ? "" : " ");
  text += ratio ? fmt::format("{:.2f}x", shown.value)
                : fmt::format("{:.4g} {}", shown.value, shown.unit);
  if (shown.median && !shown.limit_fraction) {
    text += ratio ? fmt::format(" (median {:.2f})", *shown.median)
                  : fmt::format(" (median {:.4g})", *shown.median);
  }
  return text + fraction_text(shown) + verdict(shown);
}

/// Rows of one name.
std::string line_of(const std::vector<row>& rows) {
  std::string line = fmt::format("{:<44}", rows.front().name);
  for (const row& each : rows) {
    line += "  " + text_of(each);
  }
  return line;
}

/// Rows of one name stand together.
std::vector<std::vector<row>> lines_of(const std::vector<row>& rows) {
  std::vector<std::vector<row>> lines;
  for (const row& each : rows) {
    if (lines.empty() || lines.back().front().name != each.name) {
      lines.emplace_back();
    }
    lines.back().push_back(each);
  }
  return lines;
}

nlohmann::json json_of(const row& written) {
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  nlohmann::json made;
  made["name"] = written.name;
  made["value"] = written.value;
  made["unit"] = written.unit;
  made["peer"] = written.peer.empty() ? nlohmann::json() : nlohmann::json(written.peer);
  made["goal"] = written.wanted ? nlohmann::json(text_of(*written.wanted)) : nlohmann::json();
  made["holds"] = written.wanted ? nlohmann::json(holds(written)) : nlohmann::json();
  made["limit_fraction"] = number(written.limit_fraction);
  made["median"] = number(written.median);
  made["median_fraction"] = number(written.median_fraction);
  return made;
}

}  // namespace

bool holds(const row& judged) {
  if (!judged.wanted) {
    return true;
  }
  const double number = judged.wanted->number;
  return is_least(judged.wanted->of) ? measured(judged) >= number : measured(judged) <= number;
}

std::vector<row> middle_of_runs(const std::vector<std::vector<row>>& runs) {
  std::vector<row> made;
  if (runs.empty()) {
    return made;
  }
  for (const row& first : runs.front()) {
    std::vector<row> same;
    for (const std::vector<row>& run : runs) {
      if (const row* const found = same_row(run, first)) {
        same.push_back(*found);
      }
    }
    std::sort(same.begin(), same.end(),
              [](const row& a, const row& b) { return merit(a) < merit(b); });
    made.push_back(same[(same.size() - 1) / 2]);
  }
  return made;
}

bool report::wants(const std::string& name) const {
  return only_.empty() || std::any_of(only_.begin(), only_.end(), [&](const std::string& part) {
           return name.find(part) != std::string::npos || part.rfind(name, 0) == 0;
         });
}

void report::begin_run(int run) {
  runs_.emplace_back();
  say(fmt::format("\nrun {}\n", run));
}

void report::add(const std::vector<row>& rows) {
  if (rows.empty()) {
    return;
  }
  runs_.back().insert(runs_.back().end(), rows.begin(), rows.end());
  say(line_of(rows));
}

void report::say(const std::string& sentence) const {
  fmt::print("{}\n", sentence);
  std::fflush(stdout);
}

void report::refuse(const std::string& sentence) {
  say("WRONG: " + sentence);
  ++refused_;
}

int report::finish() const {
  const std::vector<row> rows = judged();
  if (runs_.size() > 1) {
    say(fmt::format("\nof {} runs the one in the middle, row by row\n", runs_.size()));
    for (const std::vector<row>& line : lines_of(rows)) {
      say(line_of(line));
    }
  }
  int goals = 0;
  int missed = 0;
  for (const row& each : rows) {
    goals += each.wanted ? 1 : 0;
    missed += holds(each) ? 0 : 1;
  }
  say(fmt::format("\n{} rows, {} goals judged, {} missed, {} contestants refused", rows.size(),
                  goals, missed, refused_));
  return missed > 0 || refused_ > 0 || rows.empty() ? 1 : 0;
}

void report::write_json(const std::string& path) const {
  nlohmann::json all = nlohmann::json::array();
  for (const row& each : judged()) {
    all.push_back(json_of(each));
  }
  std::ofstream(path) << all.dump(1) << '\n';
}

}  // namespace measure
