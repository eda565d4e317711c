// SPDX-License-Identifier: MIT
// The schedules of the reference as short types.
#pragma once

#include <concepts>
#include <string_view>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

/// What the reference's schedules share: one generator and one set of rules. `Derived` brings
/// `name`, `how`, and whether training wants distinct devices.
template <typename Derived>
struct rotating_schedule {
  /// The reference's rules for a placement, the first one broken.
  static constexpr problem allows_placement(int devices, list_view<int> device_of_stage,
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
    const auto check = [aim](int p, int s, int m) {
      const problem found = rules::device_count(Derived::name, p, s, Derived::least_stages);
      return found.found() ? found : allows_placement(p, neighbouring_placement(p, s), m, aim);
    };
    problem found = rules::with_way_out(check, devices, stages, micro_batches);
    if (found.found() && stages < Derived::least_stages) {
      found.hint << ", or run it without a pipeline";
    }
    return found;
  }

  /// Training with stage s on `device_of_stage[s]`.
  static constexpr program make_placed(int devices, list_view<int> device_of_stage,
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

/// One of the schedules above without the reference's divisibility rules: any number of
/// micro-batches, fewer than stages as well. `relaxed<grouped>`.
template <typename Schedule>
struct relaxed : Schedule {
  static constexpr problem allows(int devices, int stages, int micro_batches, purpose) {
    if constexpr (!std::derived_from<Schedule, rotating_schedule<Schedule>>) {
      problem found = refuse("grouped, interleaved or sequential_schedule",
                             label() << Schedule::name, "write ");
      found.where = "relaxed<...>";
      found.hint << Schedule::name << " alone: it has none of the rules that relaxed takes away";
      return found;
    } else {
      const auto check = [](int p, int s, int m) {
        const problem found = rules::counts(Schedule::name, p, s, m);
        return found.found() ? found
                             : rules::device_count(Schedule::name, p, s, Schedule::least_stages);
      };
      return rules::with_way_out(check, devices, stages, micro_batches);
    }
  }
};

}  // namespace ipu_dsl
