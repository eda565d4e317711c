// SPDX-License-Identifier: MIT
// Schedules that a user writes down, as a text or as a table, as schedule types.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/schedule/rotation.hpp>
#include <ipu_dsl/schedule/schedule_rules.hpp>
#include <ipu_dsl/study/text/csv_reader.hpp>
#include <ipu_dsl/study/text/slot_table.hpp>

namespace ipu_dsl {

namespace written_rows {

/// The counts of a written schedule, or the fault of it.
struct summary {
  problem fault;
  int devices = 0;
  int stages = 0;
  int copies = 1;
  int micro_batches = 0;  ///< of all copies of the weights
};

constexpr summary summarize(const parsed_schedule& read) {
  const int copies = read.rows.weights.copies;
  return {read.fault, read.rows.devices, read.rows.stages, copies,
          copies * read.rows.micro_batches};
}

/// A table with an extent for devices and one for slots, row after row.
template <std::size_t Devices, std::size_t Slots>
constexpr parsed_schedule read_table(const cell (&table)[Devices][Slots],
                                     const schedule_header& said, std::string_view name) {
  list<cell> flat;
  for (const auto& row : table) {
    flat.append(row);
  }
  return read_slots(flat, static_cast<int>(Devices), said, name);
}

/// How messages call a schedule type: one without a name is called as it is in the program.
template <typename Schedule>
consteval std::string_view title() {
  if constexpr (requires { std::string_view(Schedule::name); }) {
    return Schedule::name;
  } else {
    return type_name<Schedule>();
  }
}

/// A type that has a text which the compiler can read.
template <typename Schedule>
concept has_text =
    requires { typename std::bool_constant<std::string_view(Schedule::csv).empty()>; };

/// A type that has a table as `read_table` takes it.
template <typename Schedule>
concept has_table = requires(schedule_header said) {
  read_table(Schedule::table, said, std::string_view());
  typename std::bool_constant<(static_cast<void>(cell(Schedule::table[0][0])), true)>;
};

/// A type that has something called so, whatever it is. Asked by concepts, not within functions:
/// where clang has refused a table, a function that names it is no constant.
template <typename Schedule>
concept names_table = requires { Schedule::table; };

template <typename Schedule>
concept names_weights = requires { Schedule::weights; };

/// What is wrong with a type that has neither.
template <typename Schedule>
constexpr problem nothing_written() {
  problem found = rules::problem_of_schedule(title<Schedule>());
  found.expected << "csv, a text, or table, an array cell[devices][slots]";
  if constexpr (requires { Schedule::csv; }) {
    found.got << "a csv that the compiler cannot read";
    found.hint << "write static constexpr std::string_view csv = \"0F0,0B0\"";
  } else if constexpr (names_table<Schedule>) {
    found.got << "a table of another type";
    found.hint << "write static constexpr cell table[devices][slots], every row as long";
  } else {
    found.got << "neither";
    found.hint << "write static constexpr std::string_view csv = \"0F0,0B0\"";
  }
  return found;
}

/// What is wrong with a type that has a text, and what belongs to a table.
template <typename Schedule>
constexpr problem written_twice() {
  problem found = rules::problem_of_schedule(title<Schedule>());
  found.expected << "csv, or table with weights if it needs them";
  found.got << (names_table<Schedule> ? "csv and table" : "csv and weights");
  found.hint
      << "take one out: a text says in its first line what weights are, and how often updated";
  return found;
}

/// Reads what a schedule type has written down.
template <typename Schedule>
constexpr parsed_schedule read() {
  constexpr bool of_table = names_table<Schedule> || names_weights<Schedule>;
  if constexpr (has_text<Schedule> && of_table) {
    parsed_schedule made;
    made.fault = written_twice<Schedule>();
    return made;
  } else if constexpr (has_text<Schedule>) {
    return parse_csv(Schedule::csv, title<Schedule>());
  } else if constexpr (!has_table<Schedule>) {
    parsed_schedule made;
    made.fault = nothing_written<Schedule>();
    return made;
  } else {
    schedule_header said;
    if constexpr (names_weights<Schedule>) {
      said.weights = Schedule::weights;
    }
    return read_table(Schedule::table, said, title<Schedule>());
  }
}

/// Read once a type: whoever looks for a legal count asks again and again.
template <typename Schedule>
inline constexpr summary summary_of = summarize(read<Schedule>());

/// Every stage forward, on the devices of training. With several copies of the weights
/// micro-batches are dealt to them in turn: micro-batch i of copy c enters in slot i x copies + c,
/// and takes one stage a slot.
constexpr program forward_program(const program& trained, int micro_batches) {
  const int copies = trained.weights.copies;
  const list<int>& device_of_stage = trained.device_of_stage;
  if (copies == 1) {
    return rotate(trained.devices, device_of_stage, micro_batches, overlap::all,
                  purpose::inference);
  }
  const int length = trained.stages / copies;
  program rows(trained.devices, device_of_stage, micro_batches / copies);
  rows.weights = trained.weights;
  for (int device = 0; device < rows.devices; ++device) {
    for (int slot = 0; slot < micro_batches + length - 1; ++slot) {
      for (int stage = rows.stages - 1; stage >= 0; --stage) {
        const int since = slot - stage % length - stage / length;
        if (device_of_stage[stage] == device && since >= 0 && since % copies == 0 &&
            since / copies < rows.micro_batches) {
          rows.put(action_kind::forward, stage, since / copies);
          rows.slot.push_back(slot);
        }
      }
    }
    rows.end_row();
  }
  return rows;
}

/// Why these counts are not the written ones.
constexpr problem fault_of_counts(const summary& is, std::string_view name, int devices, int stages,
                                  int micro_batches) {
  problem found = rules::problem_of_schedule(name);
  found.expected << "what is written: " << how_many(is.devices, "device") << ", "
                 << how_many(is.stages, "stage") << " and "
                 << how_many(is.micro_batches, "micro-batch");
  found.got << devices << ", " << stages << " and " << micro_batches;
  if (stages != is.stages) {
    found.hint << "cut the model into " << how_many(is.stages, "stage");
  } else if (devices != is.devices) {
    found.hint << "use " << how_many(is.devices, "device");
  } else {
    found.hint << "use a gradient accumulation count of " << is.micro_batches;
  }
  return found;
}

}  // namespace written_rows

/// A schedule type of one's own, written down. `Derived` brings `name`, and either
/// - `csv`, a text as `parse_csv` takes it, or
/// - `table`, an array `cell[devices][slots]`, and `weights`, a `weight_policy`, if it needs one:
///
///     struct mine : written_schedule<mine> {
///       static constexpr std::string_view name = "mine";
///       static constexpr std::string_view csv = "0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n";
///     };
///
/// It takes the counts that are written and no others. (A schedule for any counts is a type with
/// constexpr functions that make programs: see `schedule_type`.) With several copies of the weights
/// the number of micro-batches is that of all copies together.
template <typename Derived>
struct written_schedule {
  /// The fault of what is written, or why these counts are not the written ones. Inference takes
  /// any number of micro-batches that the copies of the weights can share.
  static constexpr problem allows(int devices, int stages, int micro_batches, purpose aim) {
    const written_rows::summary& is = written_rows::summary_of<Derived>;
    if (is.fault.found()) {
      return is.fault;
    }
    const problem low =
        rules::counts(written_rows::title<Derived>(), devices, stages, micro_batches);
    if (low.found()) {
      return low;
    }
    const bool trains = aim == purpose::training;
    if (devices != is.devices || stages != is.stages ||
        (trains && micro_batches != is.micro_batches)) {
      return written_rows::fault_of_counts(is, written_rows::title<Derived>(), devices, stages,
                                           micro_batches);
    }
    return trains ? problem()
                  : rules::multiple_of(written_rows::title<Derived>(), is.copies, stages,
                                       micro_batches, aim);
  }

  /// What is written; ask `allows` before.
  static constexpr program make(int, int, int) { return written_rows::read<Derived>().rows; }

  /// Evaluate and predict: every stage forward, on the devices of training.
  static constexpr program make_forward(int, int, int micro_batches) {
    return written_rows::forward_program(written_rows::read<Derived>().rows, micro_batches);
  }

  /// As many as there are rows, whatever the stages: `allows` refuses another number of those.
  static constexpr int devices_for(int stages) {
    const written_rows::summary& is = written_rows::summary_of<Derived>;
    return is.fault.found() ? stages : is.devices;
  }
};

}  // namespace ipu_dsl
