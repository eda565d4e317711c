// SPDX-License-Identifier: MIT
// The rows of a schedule in static storage, made in as many constant evaluations as they take.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ipu_dsl/schedule/pieces/row_pieces.hpp>
#include <ipu_dsl/schedule/whole_study.hpp>

namespace ipu_dsl::pieces {

template <typename Schedule>
concept makes_pieces = row_schedule<Schedule> || pieced_schedule<Schedule>;

/// The most stages x micro-batches of which a schedule makes a program without a flag.
template <schedule_type Schedule>
constexpr std::int64_t most_made() {
  if constexpr (makes_pieces<Schedule>) {
    return studying::most_made_in_pieces<Schedule>();
  } else {
    return studying::most_made_at_once<Schedule>();
  }
}

/// The training program of a schedule: made row by row where it has a `make_row`, or in other
/// pieces
/// (`pieced_schedule`), otherwise in one evaluation. Slots of lockstep come with the latter alone.
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches, typename Costs>
struct schedule_rows {
 private:
  /// Where rows come from that are not made all together.
  template <typename Of = Schedule>
  static constexpr auto find_rows() {
    if constexpr (row_schedule<Of>) {
      return std::type_identity<rows_by_device<Of, Devices, Stages, MicroBatches>>();
    } else {
      return std::type_identity<
          typename Of::template rows_in_pieces<Devices, Stages, MicroBatches, Costs>>();
    }
  }

  template <typename Of = Schedule>
  using pieced_rows = typename decltype(find_rows<Of>())::type;

  static constexpr problem allow() {
    constexpr problem counts =
        studying::allow_up_to<Schedule>(most_made<Schedule>(), Devices, Stages, MicroBatches);
    if constexpr (!makes_pieces<Schedule> || counts.found()) {
      return counts;
    } else {
      return pieced_rows<>::fault;
    }
  }

 public:
  /// Why there are no rows, or nothing.
  static constexpr problem fault = allow();

 private:
  static constexpr program_view make() {
    if constexpr (fault.found()) {
      return {};
    } else if constexpr (makes_pieces<Schedule>) {
      return pieced_rows<>::joined.view();
    } else {
      return studying::rows_at_once<Schedule, Devices, Stages, MicroBatches, Costs>::frozen.view();
    }
  }

 public:
  static constexpr program_view rows = make();
};

}  // namespace ipu_dsl::pieces
