// SPDX-License-Identifier: MIT
// The schedules of the reference as short types, and what a schedule of one's own has to have.
#pragma once

#include <concepts>
#include <span>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/schedule/rotation.hpp>

namespace ipu_dsl {

/// A schedule is a type with a name, a rule for the counts it takes, and a generator for training
/// and one for inference. One's own is equal to the library's; the proof judges both.
template <typename Schedule>
concept schedule_type = requires(int count, purpose aim) {
  { Schedule::name } -> std::convertible_to<std::string_view>;
  { Schedule::allows(count, count, count, aim) } -> std::same_as<problem>;
  { Schedule::make(count, count, count) } -> std::same_as<program>;
  { Schedule::make_forward(count, count, count) } -> std::same_as<program>;
};

/// The program of a schedule for a purpose.
template <schedule_type Schedule>
constexpr program make_program(int devices, int stages, int micro_batches, purpose aim) {
  // Not one conditional expression: g++ 12 frees such a result twice during constant evaluation.
  if (aim == purpose::training) {
    return Schedule::make(devices, stages, micro_batches);
  }
  return Schedule::make_forward(devices, stages, micro_batches);
}

namespace rules {

/// A problem of "schedule grouped"; the caller says what.
constexpr problem problem_of_schedule(std::string_view name) {
  problem found;
  found.where << "schedule " << name;
  return found;
}

/// The reference's rule that counts are a multiple of the overlap length; "use 4 or 8" names the
/// legal counts on both sides.
constexpr problem multiple_of(std::string_view name, int length, int stages, int micro_batches,
                              purpose aim) {
  if (micro_batches >= length && micro_batches % length == 0) {
    return {};
  }
  problem found = problem_of_schedule(name);
  found.expected << (aim == purpose::training ? "a gradient accumulation count"
                                              : "a number of steps per execution");
  if (length == 1) {
    found.expected << " of at least 1";
  } else {
    found.expected << " that is a multiple of " << length;
  }
  if (length == 2 * stages) {
    found.expected << " (2 x " << stages << " stages)";
  } else if (length == stages) {
    found.expected << " (" << stages << " stages)";
  }
  found.got << micro_batches;
  const std::int64_t below = micro_batches < length ? 0 : micro_batches / length * length;
  found.hint << "use ";
  if (below > 0) {
    found.hint << below << " or ";
  }
  found.hint << below + length;
  return found;
}

/// Stages need devices, and no device may stay empty.
constexpr problem device_count(std::string_view name, int devices, int stages, int least_stages) {
  problem found;
  if (stages < least_stages) {
    found = problem_of_schedule(name);
    found.expected << "a pipeline of at least " << least_stages << " stages";
    found.got << stages;
    found.hint = "cut the model into stages, or run it without a pipeline";
  } else if (devices < 1 || devices > stages) {
    found = problem_of_schedule(name);
    found.expected << "between 1 and " << stages << " devices (one a stage at most)";
    found.got << devices;
  }
  return found;
}

/// Interleaved training gives every stage a device of its own.
constexpr problem devices_distinct(std::string_view name, std::span<const int> device_of_stage) {
  for (std::size_t second = 1; second < device_of_stage.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (device_of_stage[first] == device_of_stage[second]) {
        problem found = problem_of_schedule(name);
        found.expected << "every stage on a device of its own in training";
        found.got << "stages " << first << " and " << second << " on device "
                  << device_of_stage[first];
        found.hint = "use grouped or sequential_schedule, or one device a stage";
        return found;
      }
    }
  }
  return {};
}

}  // namespace rules

/// What the reference's schedules share: one generator and one set of rules. `Derived` brings
/// `name`, `how`, and whether training wants distinct devices.
template <typename Derived>
struct rotating_schedule {
  /// The reference's rules for a placement, the first one broken.
  static constexpr problem allows_placement(int devices, std::span<const int> device_of_stage,
                                            int micro_batches, purpose aim) {
    const int stages = static_cast<int>(device_of_stage.size());
    problem found = rules::device_count(Derived::name, devices, stages, Derived::least_stages);
    if (!found.found() && Derived::how == overlap::disjoint && aim == purpose::training) {
      found = rules::devices_distinct(Derived::name, device_of_stage);
    }
    if (!found.found()) {
      const int length = overlap_length(device_of_stage, Derived::how, aim);
      found = rules::multiple_of(Derived::name, length, stages, micro_batches, aim);
    }
    return found;
  }

  /// The same for neighbouring stages sharing devices.
  static constexpr problem allows(int devices, int stages, int micro_batches, purpose aim) {
    const problem found =
        rules::device_count(Derived::name, devices, stages, Derived::least_stages);
    return found.found() ? found
                         : allows_placement(devices, neighbouring_placement(devices, stages),
                                            micro_batches, aim);
  }

  /// Training with stage s on `device_of_stage[s]`.
  static constexpr program make_placed(int devices, std::span<const int> device_of_stage,
                                       int micro_batches, purpose aim = purpose::training) {
    return rotate(devices, device_of_stage, micro_batches, Derived::how, aim);
  }

  /// Training: forward, backward, update.
  static constexpr program make(int devices, int stages, int micro_batches) {
    return make_placed(devices, neighbouring_placement(devices, stages), micro_batches);
  }

  /// Evaluate and predict: forward alone.
  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return make_placed(devices, neighbouring_placement(devices, stages), micro_batches,
                       purpose::inference);
  }
};

/// Every device does a backward and a forward in each time slot; the reference's default. Its order
/// is that of eager 1F1B: stage s holds 2 (S - s) - 1 micro-batches, whatever their number.
struct grouped : rotating_schedule<grouped> {
  static constexpr std::string_view name = "grouped";
  static constexpr overlap how = overlap::all;
  static constexpr int least_stages = 2;
};

/// In every time slot half of the devices do a forward and half a backward. Its order is that of
/// 1F1B (PipeDream-flush): stage s holds S - s micro-batches.
struct interleaved : rotating_schedule<interleaved> {
  static constexpr std::string_view name = "interleaved";
  static constexpr overlap how = overlap::disjoint;
  static constexpr int least_stages = 2;
};

/// One micro-batch at a time, for debugging and for a model in one stage, which is no pipeline.
/// (`sequential` is the combinator of models.)
struct sequential_schedule : rotating_schedule<sequential_schedule> {
  static constexpr std::string_view name = "sequential";
  static constexpr overlap how = overlap::none;
  static constexpr int least_stages = 1;
};

}  // namespace ipu_dsl
