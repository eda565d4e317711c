// SPDX-License-Identifier: MIT
#include "measure/report.hpp"

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
  const double measured =
      bounds_fraction(judged.wanted->of) ? judged.limit_fraction.value_or(0) : judged.value;
  return is_least(judged.wanted->of) ? measured >= judged.wanted->number
                                     : measured <= judged.wanted->number;
}

bool report::wants(const std::string& name) const {
  return name.find(only_) != std::string::npos || only_.rfind(name, 0) == 0;
}

void report::add(const std::vector<row>& rows) {
  if (rows.empty()) {
    return;
  }
  std::string line = fmt::format("{:<44}", rows.front().name);
  for (const row& each : rows) {
    line += "  " + text_of(each);
    rows_.push_back(each);
  }
  say(line);
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
  int judged = 0;
  int missed = 0;
  for (const row& each : rows_) {
    judged += each.wanted ? 1 : 0;
    missed += holds(each) ? 0 : 1;
  }
  say(fmt::format("\n{} rows, {} goals judged, {} missed, {} contestants refused", rows_.size(),
                  judged, missed, refused_));
  return missed > 0 || refused_ > 0 || rows_.empty() ? 1 : 0;
}

void report::write_json(const std::string& path) const {
  nlohmann::json all = nlohmann::json::array();
  for (const row& each : rows_) {
    all.push_back(json_of(each));
  }
  std::ofstream(path) << all.dump(1) << '\n';
}

}  // namespace measure
