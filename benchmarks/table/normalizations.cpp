// SPDX-License-Identifier: MIT
// LayerNormalization by itself, beside a copy of the bytes that it reads and writes.
#include <cstring>

#include "peers/normalization.hpp"
#include "table/groups.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;
using peers::normalization_contestant;
using peers::normalization_question;

normalization_question make_question(bool backward) {
  constexpr std::int64_t rows = 512;
  constexpr std::int64_t units = 128;
  return {.backward = backward,
          .rows = rows,
          .units = units,
          .x = measure::random_numbers(rows * units, 2, 1),
          .d = measure::random_numbers(rows * units, 1, 2),
          .gamma = measure::random_numbers(units, 1, 3),
          .beta = measure::random_numbers(units, 1, 4)};
}

/// Reads and writes the rows once.
class copy_of_rows final : public measure::contestant {
 public:
  explicit copy_of_rows(const normalization_question& question)
      : from_(question.x), to_(question.x) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      std::memcpy(to_.data(), from_.data(), from_.size() * sizeof(float));
      measure::clobber_memory();
    }
  }

 private:
  measure::buffer from_;
  measure::buffer to_;
};

}  // namespace

void measure_normalizations(const run& settings) {
  for (const bool backward : {false, true}) {
    const std::string name =
        std::string("layer normalization ") + (backward ? "backward" : "forward") + " 512x128";
    if (!settings.report->wants(name)) {
      continue;
    }
    const normalization_question question = make_question(backward);
    auto answers = answers_to<normalization_question, normalization_contestant>(question);
    if (answers.empty() || answers.front().library != peers::ours) {
      continue;
    }
    // Backward two tensors are read and one is written.
    const outcome raced =
        race(answers, limit{std::make_unique<copy_of_rows>(question), backward ? 1.5 : 1.0},
             settings.effort);
    std::vector<measure::row> rows = rows_of(name, raced, 1, "", {}, [](const std::string&) {
      return goal{bound::value_at_least, 1.25};
    });
    rows.front().value = raced.ours.minimum * 1e6;
    rows.front().median = raced.ours.median * 1e6;
    rows.front().unit = "us";
    settings.report->add(rows);
  }
}

}  // namespace table
