// SPDX-License-Identifier: MIT
// A large program, made row by row: each row in a constant evaluation of its own, then all of them
// joined.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

/// A schedule that can make the row of one device alone: what `make` has in that row, for stages
/// where `place` says, synchronous and without slots.
template <typename Schedule>
concept row_schedule =
    schedule_type<Schedule> && !costed_schedule<Schedule> && requires(int count, int device) {
      { Schedule::make_row(count, count, count, device) } -> std::same_as<list<action>>;
      { Schedule::place(count, count) } -> std::same_as<list<int>>;
    };

/// A schedule whose rows depend on each other and that makes a large program of them in several
/// constant evaluations: `rows_in_pieces<Devices, Stages, MicroBatches, Costs>` has `fault` and, if
/// there is none, the program as `joined`.
template <typename Schedule>
concept pieced_schedule = schedule_type<Schedule> &&
                          requires { typename Schedule::template rows_in_pieces<1, 2, 1, void>; };

namespace pieces {

/// The longest row that one constant evaluation makes within the compilers' default limits.
inline constexpr std::size_t longest_row = 16384;

/// A row in static storage. It is as long as the longest, because its length is only known when it
/// has been made, and making it twice would cost twice as much; what is not used costs nothing.
struct frozen_row {
  frozen_list<action, longest_row> actions;
  std::size_t count = 0;  ///< of the row that was made, which may be longer

  constexpr const action* data() const { return actions.elements; }
};

constexpr frozen_row freeze_row(const list<action>& row) {
  frozen_row frozen;
  frozen.count = row.size();
  const action* const from = row.data();
  const std::size_t kept = frozen.count < longest_row ? frozen.count : longest_row;
  for (std::size_t i = 0; i < kept; ++i) {
    frozen.actions.elements[i] = from[i];
  }
  return frozen;
}

template <row_schedule Schedule, int Devices, int Stages, int MicroBatches, int Device>
inline constexpr frozen_row row_of =
    freeze_row(Schedule::make_row(Devices, Stages, MicroBatches, Device));

/// `row_of` for every device.
template <row_schedule Schedule, int Devices, int Stages, int MicroBatches,
          typename Indices = std::make_integer_sequence<int, Devices>>
struct rows_by_device;

template <row_schedule Schedule, int Devices, int Stages, int MicroBatches, int... Device>
struct rows_by_device<Schedule, Devices, Stages, MicroBatches,
                      std::integer_sequence<int, Device...>> {
 private:
  static constexpr const frozen_row* made[sizeof...(Device)] = {
      &row_of<Schedule, Devices, Stages, MicroBatches, Device>...};

  static consteval problem check_lengths() {
    problem found;
    for (int device = 0; device < Devices && !found.found(); ++device) {
      if (made[device]->count > longest_row) {
        found = rules::problem_of_schedule(Schedule::name);
        found.expected << "rows of at most " << longest_row << " actions";
        found.got << made[device]->count << " on device " << device;
        found.hint = "a larger program can be proven at run time";
      }
    }
    return found;
  }

  static consteval auto join() {
    constexpr std::size_t actions =
        (row_of<Schedule, Devices, Stages, MicroBatches, Device>.count + ...);
    frozen_program<static_cast<std::size_t>(Devices), static_cast<std::size_t>(Stages), actions, 0>
        rows;
    rows.micro_batches = MicroBatches;
    rows.device_of_stage =
        freeze_list<static_cast<std::size_t>(Stages)>(Schedule::place(Devices, Stages));
    action* const to = rows.actions.elements;
    int next = 0;
    for (int device = 0; device < Devices; ++device) {
      const action* const from = made[device]->data();
      const int count = static_cast<int>(made[device]->count);
      for (int i = 0; i < count; ++i) {
        to[next++] = from[i];
      }
      rows.row_begin.elements[device + 1] = next;
    }
    return rows;
  }

 public:
  static constexpr problem fault = check_lengths();
  /// The program, if there is no fault.
  static constexpr auto joined = join();
};

}  // namespace pieces

}  // namespace ipu_dsl
