// SPDX-License-Identifier: MIT
// A schedule type as a value, which a list can hold and a person can choose at run time.
#pragma once

#include <concepts>
#include <string_view>

#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

/// A schedule of the catalogue: what it is called, what it is, and its functions.
struct catalogue_entry {
  std::string_view name;
  std::string_view summary;     ///< one phrase
  std::string_view also;        ///< other names in the field, with ", " between them
  int stages_a_device = 1;      ///< as many as it is meant for, those of both copies included
  bool virtual_stages = false;  ///< takes any other number of stages a device as well, in rounds
  int copies = 1;               ///< of the weights, see `weight_policy`
  bool synchronous = true;      ///< one update, at the end of a run
  purpose aim = purpose::training;  ///< what its `make` makes programs for

  problem (*allows)(int devices, int stages, int micro_batches, purpose aim) = nullptr;
  program (*make)(int devices, int stages, int micro_batches) = nullptr;
  program (*make_forward)(int devices, int stages, int micro_batches) = nullptr;
  /// The program for the costs of a stage graph; of schedules that do not look at costs, `make`'s.
  program (*make_for)(int devices, int micro_batches, const stage_graph_view& graph) = nullptr;
};

/// What nobody can derive from a schedule type.
struct catalogue_words {
  std::string_view summary;
  std::string_view also = {};
  bool synchronous = true;
  purpose aim = purpose::training;
};

/// The entry of a schedule type. How many stages a device has is told by what it is derived from.
template <schedule_type Schedule>
constexpr catalogue_entry make_catalogue_entry(const catalogue_words& words) {
  constexpr bool looped = std::derived_from<Schedule, looped_schedule<Schedule>>;
  constexpr bool v = std::derived_from<Schedule, v_schedule<Schedule>>;
  constexpr bool two_copies = std::derived_from<Schedule, two_copy_schedule<Schedule>>;
  return {
      .name = Schedule::name,
      .summary = words.summary,
      .also = words.also,
      .stages_a_device = looped || v || two_copies ? 2 : 1,
      .virtual_stages = looped,
      .copies = two_copies ? 2 : 1,
      .synchronous = words.synchronous,
      .aim = words.aim,
      .allows = &Schedule::allows,
      .make = &Schedule::make,
      .make_forward = &Schedule::make_forward,
      .make_for =
          [](int devices, int micro_batches, const stage_graph_view& graph) {
            return make_program_for<Schedule>(devices, micro_batches, graph, purpose::training);
          },
  };
}

}  // namespace ipu_dsl
