// SPDX-License-Identifier: MIT
// The nearest counts that a schedule takes, as the hint of one that it does not take.
#pragma once

#include <string_view>

#include <ipu_dsl/core/problem.hpp>

namespace ipu_dsl {

namespace rules {

/// Looks for counts that are allowed: `allowed(devices, stages, micro_batches)`, all of them at
/// least 1. What it proposes has been asked for, so that every hint is a way out.
template <typename Allowed>
class way_out {
 public:
  constexpr way_out(const Allowed& allowed, int devices, int stages, int micro_batches)
      : allowed_(allowed), devices_(devices), stages_(stages), micro_batches_(micro_batches) {}

  /// Other stages, or other devices, or both if neither is enough; with other micro-batches where
  /// these do not go with them. Nothing if other micro-batches are enough, or if nothing is found.
  constexpr text<191> hint() const {
    text<191> words;
    if (fits(devices_, stages_)) {
      return words;
    }
    add_stages(words);
    add_devices(words);
    if (words.empty()) {
      add_both(words);
    }
    return words;
  }

 private:
  /// Whether there is a number of micro-batches with which the others are allowed: one that is a
  /// multiple of all that schedules ask for, and large.
  constexpr bool fits(int devices, int stages) const {
    return allowed_(devices, stages, 2 * devices * stages);
  }

  /// The nearest stages for these devices, below or above (`step` -1 or 1); 0 if there are none.
  constexpr int next_stages(int devices, int step) const {
    const int last = step < 0 ? 0 : stages_ + 2 * devices + 1;
    int stages = stages_ + step;
    while (stages != last && !fits(devices, stages)) {
      stages += step;
    }
    return stages == last ? 0 : stages;
  }

  /// The nearest devices for the stages at hand: fewer, or more if there are none; 0 if there are
  /// none at all.
  constexpr int next_devices() const {
    int devices = devices_ - 1;
    while (devices > 0 && !fits(devices, stages_)) {
      --devices;
    }
    if (devices > 0) {
      return devices;
    }
    devices = devices_ + 1;
    while (devices <= stages_ && !fits(devices, stages_)) {
      ++devices;
    }
    return devices <= stages_ ? devices : 0;
  }

  /// The micro-batches at hand, or the nearest that go with these counts.
  constexpr int micro_batches_for(int devices, int stages) const {
    for (int step = 0;; ++step) {
      if (allowed_(devices, stages, micro_batches_ + step)) {
        return micro_batches_ + step;
      }
      if (step < micro_batches_ && allowed_(devices, stages, micro_batches_ - step)) {
        return micro_batches_ - step;
      }
    }
  }

  constexpr bool keeps_micro_batches(int devices, int stages) const {
    return allowed_(devices, stages, micro_batches_);
  }

  constexpr void add_micro_batches(text<191>& words, std::string_view before, int devices,
                                   int stages) const {
    if (!keeps_micro_batches(devices, stages)) {
      words << before;
      words << how_many(micro_batches_for(devices, stages), "micro-batch");
    }
  }

  constexpr void add_stages(text<191>& words) const {
    const int fewer = next_stages(devices_, -1);
    const int more = next_stages(devices_, 1);
    if (fewer == 0 && more == 0) {
      return;
    }
    words << "cut the model into ";
    if (fewer > 0 && more > 0 && keeps_micro_batches(devices_, fewer) &&
        keeps_micro_batches(devices_, more)) {
      words << fewer << " or ";
      words << how_many(more, "stage");
      return;
    }
    const bool up = fewer == 0 || (more > 0 && keeps_micro_batches(devices_, more));
    words << how_many(up ? more : fewer, "stage");
    add_micro_batches(words, " and use ", devices_, up ? more : fewer);
  }

  constexpr void add_devices(text<191>& words) const {
    const int devices = next_devices();
    if (devices > 0) {
      words << (words.empty() ? "use " : ", or use ");
      words << how_many(devices, "device");
      add_micro_batches(words, " and ", devices, stages_);
    }
  }

  constexpr void add_both(text<191>& words) const {
    for (const int devices : {devices_ - 1, devices_ + 1}) {
      const int fewer = devices > 0 ? next_stages(devices, -1) : 0;
      const int stages = devices > 0 && fewer == 0 ? next_stages(devices, 1) : fewer;
      if (stages > 0) {
        words << (words.empty() ? "use " : ", or ");
        words << how_many(devices, "device");
        words << (keeps_micro_batches(devices, stages) ? " and " : ", ");
        words << how_many(stages, "stage");
        add_micro_batches(words, " and ", devices, stages);
      }
    }
  }

  const Allowed& allowed_;
  int devices_;
  int stages_;
  int micro_batches_;
};

/// What a schedule says of counts, `judge(devices, stages, micro_batches)`, with a way out that it
/// takes where devices or stages are wrong. The hint of a rule about micro-batches stays.
template <typename Check>
constexpr problem with_way_out(const Check& judge, int devices, int stages, int micro_batches) {
  problem found = judge(devices, stages, micro_batches);
  if (found.found() && devices > 0 && stages > 0 && micro_batches > 0) {
    const auto allowed = [&judge](int d, int s, int m) { return !judge(d, s, m).found(); };
    const text<191> hint = way_out(allowed, devices, stages, micro_batches).hint();
    if (!hint.empty()) {
      found.hint = hint;
    }
  }
  return found;
}

}  // namespace rules

}  // namespace ipu_dsl
