// SPDX-License-Identifier: MIT
// The facts of a timeline in words, each with its unit and what it means.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/facts.hpp>

namespace ipu_dsl {

/// Whether the times of a timeline come from a model of the machine or from a clock of the host.
enum class time_source : std::uint8_t { modelled, measured };

/// How the times of a timeline are to be read.
struct drawn_clock {
  time_source source = time_source::modelled;
  std::string unit = "units";      ///< in the plural
  std::int64_t ticks_of_unit = 1;  ///< a power of ten: 1000 where times are whole nanoseconds and
                                   ///< the unit is microseconds
};

/// "modelled estimate" or "measured": every picture says which it is.
inline std::string_view describe(time_source source) {
  return source == time_source::modelled ? "modelled estimate" : "measured";
}

/// A fact for people: "makespan", "33 units", "end of the last action". The meaning may be empty.
struct fact_text {
  std::string name;
  std::string value;
  std::string meaning;

  friend bool operator==(const fact_text&, const fact_text&) = default;
};

namespace drawing {

/// "25.0 %"
inline std::string percent(double share) {
  char words[32];
  std::snprintf(words, sizeof words, "%.1f %%", 100 * share);
  return words;
}

/// "1.33"
inline std::string two_decimals(double factor) {
  char words[32];
  std::snprintf(words, sizeof words, "%.2f", factor);
  return words;
}

/// "1.33x"
inline std::string times_faster(double factor) {
  return two_decimals(factor) + "x";
}

/// "0.5", "12", "1.234": how many units ticks are, exact. A unit is a power of ten of them.
inline std::string decimal(std::int64_t ticks, std::int64_t ticks_of_unit) {
  std::string words = std::to_string(ticks / ticks_of_unit);
  std::int64_t rest = ticks % ticks_of_unit;
  words += rest == 0 ? "" : ".";
  for (std::int64_t place = ticks_of_unit / 10; rest > 0; place /= 10) {
    words += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return words;
}

/// "15" of ticks that are units, "15.3" of ticks of which a unit has several.
inline std::string time_text(std::int64_t ticks, std::int64_t ticks_of_unit) {
  if (ticks_of_unit == 1) {
    return std::to_string(ticks);
  }
  char words[32];
  std::snprintf(words, sizeof words, "%.1f",
                static_cast<double>(ticks) / static_cast<double>(ticks_of_unit));
  return words;
}

/// "15 units", "1 unit": a clock is written in the plural.
inline std::string counted(std::int64_t ticks, std::string_view clock,
                           std::int64_t ticks_of_unit = 1) {
  constexpr std::string_view plural = "units";
  if (ticks == ticks_of_unit && clock.ends_with(plural)) {
    clock.remove_suffix(1);
  }
  return time_text(ticks, ticks_of_unit) + " " + std::string(clock);
}

/// "7, 5, 3, 1"
inline std::string numbers(list_view<int> values) {
  std::string words;
  for (const int value : values) {
    words += (words.empty() ? "" : ", ") + std::to_string(value);
  }
  return words;
}

/// Whether a program has gradients, and so keeps something for them.
inline bool has_backward(const program_view& rows) {
  return std::any_of(rows.actions.begin(), rows.actions.end(),
                     [](const action& what) { return ends_backward[static_cast<int>(what.kind)]; });
}

/// The speed-up of a model; of a measured run, where nobody measured one device alone, how many
/// devices were busy.
inline fact_text speedup_text(const facts& found, time_source source) {
  if (source == time_source::modelled) {
    return {"speed-up",
            times_faster(found.speedup()) + " over one device, bound " +
                times_faster(found.speedup_bound()),
            ""};
  }
  return {"work over makespan",
          two_decimals(found.speedup()) + ", bound " + two_decimals(found.speedup_bound()),
          "how many were busy, on average"};
}

/// What the facts of a timeline say, with times in units of the clock.
inline std::vector<fact_text> fact_texts(const program_view& rows, const facts& found,
                                         const drawn_clock& clock) {
  const std::int64_t unit = clock.ticks_of_unit;
  std::vector<fact_text> texts = {
      {"makespan", counted(found.makespan, clock.unit, unit), "end of the last action"},
      {"flush bubble",
       time_text(found.flush_bubble(), unit) + " = " + percent(found.flush_bubble_share()) +
           " of makespan",
       "the busiest device waits"},
      {"span bubble", time_text(found.span_bubble, unit),
       "most that a device waits between its first and last action"},
      {"idle share", percent(found.idle_share()) + " of all devices' time", ""},
      speedup_text(found, clock.source)};
  const bool trains = has_backward(rows);
  if (trains) {
    texts.push_back({"stash per stage", numbers(peak_stash_of_stages(rows)) + " micro-batches",
                     "most kept between forward and backward"});
  }
  if (found.slots > 0) {
    texts.push_back({"lockstep slots", std::to_string(found.slots),
                     "time slots if all devices wait for each other"});
  }
  if (trains) {
    texts.push_back({"gradients",
                     std::string("accumulate in ") + (found.ascending ? "ascending" : "another") +
                         " order of micro-batches",
                     ""});
  }
  return texts;
}

}  // namespace drawing

}  // namespace ipu_dsl
