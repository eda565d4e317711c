// SPDX-License-Identifier: MIT
// Updates by themselves, of more parameters than caches hold.
#include <cstring>

#include <fmt/format.h>

#include "table/groups.hpp"
#include "table/questions.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;
using peers::update_contestant;
using peers::update_question;

/// Adam reads four numbers of a parameter and writes three: a copy that moves as many reads and
/// writes three and a half. It goes through as many sets as the updates do.
class copy_of_sets final : public measure::contestant {
 public:
  explicit copy_of_sets(const update_question& question) {
    const std::int64_t floats = question.elements * 7 / 2;
    for (int i = 0; i < question.sets; ++i) {
      from_.push_back(measure::random_numbers(floats, 1, 1));
      to_.push_back(measure::random_numbers(floats, 1, 2));
    }
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      const measure::buffer& from = from_[next_ % from_.size()];
      std::memcpy(to_[next_ % to_.size()].data(), from.data(), from.size() * sizeof(float));
      ++next_;
      measure::clobber_memory();
    }
  }

 private:
  std::vector<measure::buffer> from_;
  std::vector<measure::buffer> to_;
  std::size_t next_ = 0;
};

/// Every way has to end where ours does, after as many updates of the first set.
void check(std::vector<answer<update_contestant>>& answers, const update_question& question,
           const run& settings) {
  constexpr int updates = 3;
  constexpr double tolerance = 1e-5;
  std::vector<answer<update_contestant>> right;
  double largest = 0;
  for (answer<update_contestant>& each : answers) {
    each.contestant->run(updates * question.sets);
    const double difference = right.empty()
                                  ? 0
                                  : largest_difference(right.front().contestant->parameters(),
                                                       each.contestant->parameters(), 1);
    if (difference > tolerance) {
      settings.report->refuse(
          fmt::format("The update by {} ends elsewhere: {:.2g}.", each.library, difference));
      continue;
    }
    largest = std::max(largest, difference);
    right.push_back(std::move(each));
  }
  answers = std::move(right);
  settings.report->say(
      fmt::format("update: checked {} parameters of {} ways after {} updates, largest difference "
                  "{:.2g}",
                  question.elements, answers.size(), updates, largest));
}

}  // namespace

void measure_updates(const run& settings) {
  const std::string name = "update adam, 10^6 parameters out of the caches";
  if (!settings.report->wants(name)) {
    return;
  }
  constexpr int sets = 16;
  const update_question question = make_update_question(1'000'000, sets);
  auto answers = answers_to<update_question, update_contestant>(question);
  check(answers, question, settings);
  if (answers.empty() || answers.front().library != peers::ours) {
    return;
  }
  const outcome raced =
      race(answers, limit{std::make_unique<copy_of_sets>(question), 1}, settings.effort);
  // At most 1.2 times the copy.
  std::vector<measure::row> rows =
      rows_of(name, raced, static_cast<double>(question.elements), "",
              goal{bound::limit_fraction_at_least, 1 / 1.2},
              [](const std::string&) { return std::optional<goal>(); });
  const double nanoseconds = 1e9 / static_cast<double>(question.elements);
  rows.front().value = raced.ours.minimum * nanoseconds;
  rows.front().median = raced.ours.median * nanoseconds;
  rows.front().unit = "ns a parameter";
  settings.report->add(rows);
}

}  // namespace table
