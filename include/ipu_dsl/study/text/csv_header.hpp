// SPDX-License-Identifier: MIT
// The header of schedules as text: lines of `# key=value` before the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/study/text/csv_text.hpp>
#include <ipu_dsl/study/text/schedule_assembly.hpp>

namespace ipu_dsl::csv {

/// What a header can say. Values are numbers, but for these: `delay` may be `newest`, `columns` is
/// `slots` or `order`, and `placement` is a device for each stage, with commas between them.
enum class key : std::uint8_t {
  devices,
  stages,
  micro_batches,
  copies,
  update_interval,
  delay,
  placement,
  columns,
};

inline constexpr std::string_view keys[] = {
    "devices",         "stages", "micro_batches", "copies",
    "update_interval", "delay",  "placement",     "columns",
};
inline constexpr int key_count = 8;

/// Reads the header; false, with the fault in `read`, if there is one.
class header_reader {
 public:
  constexpr header_reader(cursor& text, std::string_view name, parsed_schedule& read)
      : text_(text), name_(name), read_(read) {}

  constexpr bool read_into(schedule_header& said) {
    text_.skip_blank_lines();
    while (text_.stands_at('#')) {
      ++text_.at;
      if (!read_line(said)) {
        return false;
      }
      text_.next_line();
      // With a number of devices said, every line is a row from here on.
      if (said.devices == 0) {
        text_.skip_blank_lines();
      }
    }
    const std::size_t placed = said.placement.size();
    if (placed != 0 && said.stages != 0 && static_cast<std::size_t>(said.stages) != placed) {
      problem found;
      found.expected << "a placement of the " << how_many(said.stages, "stage");
      found.got << how_many(placed, "device");
      read_.refuse_at(found, label("schedule ") << name_ << ", header", 0, 0);
      return false;
    }
    return true;
  }

 private:
  constexpr bool read_line(schedule_header& said) {
    text_.skip_blanks();
    while (!text_.ends_line()) {
      if (!read_entry(said)) {
        return false;
      }
      text_.skip_blanks();
    }
    return true;
  }

  /// `key=value`
  constexpr bool read_entry(schedule_header& said) {
    entry_ = text_.at;
    while (!text_.ends_line() && !text_.stands_at('=') && !is_blank(*text_.at)) {
      ++text_.at;
    }
    const std::string_view name(entry_, static_cast<std::size_t>(text_.at - entry_));
    int which = 0;
    while (which < key_count && keys[which] != name) {
      ++which;
    }
    if (which == key_count || !text_.stands_at('=')) {
      return fail("a key and a value such as devices=4",
                  "keys are devices, stages, micro_batches, copies, update_interval, delay, "
                  "placement and columns");
    }
    ++text_.at;
    if (seen_[which]) {
      return fail("every key once", "");
    }
    seen_[which] = true;
    return read_value(static_cast<key>(which), said) &&
           (text_.ends_line() || is_blank(*text_.at) || fail("a space behind the value", ""));
  }

  constexpr bool read_value(key which, schedule_header& said) {
    switch (which) {
      case key::devices:
        return read_number(said.devices, 1, schedule_assembly::most_devices);
      case key::stages:
        return read_number(said.stages, 1, schedule_assembly::most_stages);
      case key::micro_batches:
        return read_number(said.micro_batches, 1, schedule_assembly::most_micro_batches);
      case key::copies:
        return read_number(said.weights.copies, 1, schedule_assembly::most_stages);
      case key::update_interval:
        return read_number(said.weights.update_interval, 0, schedule_assembly::most_micro_batches);
      case key::delay:
        return read_delay(said.weights.delay);
      case key::placement:
        return read_placement(said.placement);
      case key::columns:
        return read_columns(said.columns_are_slots);
    }
    return false;
  }

  constexpr bool read_number(int& value, int least, int largest) {
    value = text_.read_number();
    if (value < least || value > largest) {
      label expected = "a number from ";
      return fail(expected << least << " to " << largest, "");
    }
    return true;
  }

  /// Takes `characters` if they stand here.
  constexpr bool take(std::string_view characters) {
    const std::string_view rest(text_.at, static_cast<std::size_t>(text_.end - text_.at));
    if (!rest.starts_with(characters)) {
      return false;
    }
    text_.at += characters.size();
    return true;
  }

  constexpr bool read_delay(int& delay) {
    if (take("newest")) {
      delay = weight_policy::newest;
      return true;
    }
    return read_number(delay, 0, schedule_assembly::most_micro_batches);
  }

  constexpr bool read_columns(bool& are_slots) {
    are_slots = take("slots");
    return are_slots || take("order") || fail("slots or order", "");
  }

  constexpr bool read_placement(list<int>& placement) {
    do {
      int device = 0;
      if (!read_number(device, 0, schedule_assembly::most_devices - 1)) {
        return false;
      }
      placement.push_back(device);
    } while (placement.size() < schedule_assembly::most_stages && take(","));
    return true;
  }

  /// Refuses the entry that is being read.
  constexpr bool fail(const label& expected, const text<191>& hint) {
    const char* entry_end = entry_;
    while (entry_end != text_.end && *entry_end != '\n' && !is_blank(*entry_end)) {
      ++entry_end;
    }
    label where = "schedule ";
    where << name_ << ", line " << text_.line << ", header";
    const std::string_view entry(entry_, static_cast<std::size_t>(entry_end - entry_));
    read_.refuse_at(refuse(expected, quote(entry), hint), where, text_.line,
                    static_cast<int>(entry_ - text_.line_begin) + 1);
    return false;
  }

  cursor& text_;
  std::string_view name_;
  parsed_schedule& read_;
  const char* entry_ = nullptr;
  bool seen_[key_count] = {};
};

}  // namespace ipu_dsl::csv
