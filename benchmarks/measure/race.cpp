// SPDX-License-Identifier: MIT
#include "measure/race.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace measure {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

double seconds_of(contestant& runner, int times) {
  const clock::time_point start = clock::now();
  runner.run(times);
  return seconds_since(start) / times;
}

int runs_of_sample(contestant& runner) {
  constexpr double sample = 30e-6;
  constexpr int most = 10'000;
  double shortest = seconds_of(runner, 1);
  for (int times = 1; times < most && shortest * times < sample; times *= 2) {
    shortest = std::min(shortest, seconds_of(runner, times));
  }
  return std::clamp(static_cast<int>(sample / shortest) + 1, 1, most);
}

/// Says when all minima have stopped falling.
class steady_minima {
 public:
  explicit steady_minima(std::size_t lanes) : known_(lanes, HUGE_VAL) {}

  void note(std::size_t lane, double seconds) {
    constexpr double considerably = 0.995;
    if (seconds < considerably * known_[lane]) {
      calm_rounds_ = 0;
    }
    known_[lane] = std::min(known_[lane], seconds);
  }

  void end_round() { ++calm_rounds_; }

  bool reached() const { return calm_rounds_ >= 100; }

 private:
  std::vector<double> known_;
  int calm_rounds_ = 0;
};

timing summary(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  const double median = *middle;
  return {*std::min_element(samples.begin(), samples.end()), median,
          static_cast<int>(samples.size())};
}

}  // namespace

void race(std::span<lane> lanes, const effort& wanted) {
  std::vector<int> times;
  for (const lane& each : lanes) {
    times.push_back(runs_of_sample(*each.runner));
  }
  std::vector<std::vector<double>> samples(lanes.size());
  steady_minima minima(lanes.size());
  const clock::time_point start = clock::now();
  const auto goes_on = [&](int round) {
    const double passed = seconds_since(start);
    return round < wanted.rounds || passed < wanted.seconds ||
           (!minima.reached() && passed < wanted.most_seconds);
  };
  for (int round = 0; goes_on(round); ++round) {
    for (std::size_t place = 0; place < lanes.size(); ++place) {
      const std::size_t i = round % 2 == 0 ? place : lanes.size() - 1 - place;
      lanes[i].runner->run(1);
      samples[i].push_back(seconds_of(*lanes[i].runner, times[i]));
      minima.note(i, samples[i].back());
    }
    minima.end_round();
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].time = summary(samples[i]);
  }
}

}  // namespace measure
