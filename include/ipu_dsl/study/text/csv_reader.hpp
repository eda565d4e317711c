// SPDX-License-Identifier: MIT
// Reads schedules from text: the grammar of PyTorch's schedule files, and what it has no words for.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/study/text/csv_header.hpp>
#include <ipu_dsl/study/text/csv_text.hpp>
#include <ipu_dsl/study/text/schedule_assembly.hpp>

namespace ipu_dsl {

namespace csv {

/// Reads the rows behind a header. What reads returns false once there is a fault.
class row_reader {
 public:
  constexpr row_reader(cursor& text, const schedule_header& said, std::string_view name,
                       parsed_schedule& read)
      : text_(text), said_(said), name_(name), read_(read), made_(said) {
    // An action takes at least three characters and a comma.
    made_.reserve(static_cast<std::size_t>(text.end - text.at) / 4 + 1);
  }

  constexpr void read() {
    if (!read_rows()) {
      return;
    }
    if (made_.finish()) {
      read_.rows = made_.take();
    } else {
      refuse_text(made_.fault());
    }
  }

 private:
  static constexpr std::string_view joined_example =
      "a step of two actions is such as (0F7;7B3)OVERLAP_F_B";

  /// A blank line is an idle device if another row follows, or if the header wants so many rows.
  constexpr bool read_rows() {
    int blank_lines = 0;
    while (!text_.ends_text()) {
      text_.skip_blanks();
      if (text_.ends_line()) {
        ++blank_lines;
      } else {
        for (; blank_lines > 0; --blank_lines) {
          made_.end_row(0);
        }
        if (!read_row()) {
          return false;
        }
      }
      text_.next_line();
    }
    for (; blank_lines > 0 && made_.rows_ended() < said_.devices; --blank_lines) {
      made_.end_row(0);
    }
    if (said_.devices != 0 && made_.rows_ended() != said_.devices) {
      problem found;
      found.expected << how_many(said_.devices, "row") << ", as the header says";
      found.got << made_.rows_ended();
      return refuse_text(found);
    }
    return true;
  }

  constexpr bool read_row() {
    column_ = 0;
    while (read_plain_cell() || read_cell()) {
      ++column_;
      if (text_.at == text_.end || *text_.at == '\n') {
        made_.end_row(column_);
        return true;
      }
      ++text_.at;
    }
    return false;
  }

  /// Reads a cell that is one of PyTorch's letters between two numbers and is followed at once by
  /// the next one. Nearly every cell is, and this takes 40 % of the steps of constant evaluation
  /// that reading word by word takes; whatever is different is left to that.
  constexpr bool read_plain_cell() {
    constexpr int most_digits = 5;
    const char* const end = text_.end;
    const char* at = text_.at;
    int stage = 0;
    for (; at != end && *at >= '0' && *at <= '9' && at - text_.at < most_digits; ++at) {
      stage = stage * 10 + (*at - '0');
    }
    if (at == end || at == text_.at) {
      // An idle cell, if it is one.
      return at != end && *at == ',';
    }
    const int kind = *at == 'F' ? 0 : *at == 'B' ? 1 : *at == 'I' ? 2 : *at == 'W' ? 3 : -1;
    const char* const number = ++at;
    int micro_batch = 0;
    for (; at != end && *at >= '0' && *at <= '9' && at - number < most_digits; ++at) {
      micro_batch = micro_batch * 10 + (*at - '0');
    }
    if (kind < 0 || at == number || (at != end && *at != ',' && *at != '\n') ||
        !made_.put({static_cast<action_kind>(kind), stage, micro_batch}, column_)) {
      return false;
    }
    text_.at = at;
    return true;
  }

  constexpr bool read_cell() {
    text_.skip_blanks();
    cell_ = text_.at;
    if (text_.ends_cell()) {
      return true;
    }
    if (*text_.at == '(' ? !read_step() : !read_single()) {
      return false;
    }
    text_.skip_blanks();
    return text_.ends_cell() ||
           fail("a comma or the end of the line behind an action", "an action is such as 2F0");
  }

  constexpr bool read_single() {
    action what = {};
    bool communicates = false;
    if (!read_action(what, communicates)) {
      return false;
    }
    if (communicates) {
      ++read_.dropped;
      return true;
    }
    return made_.put(what, column_) || fail(made_.fault());
  }

  /// `(0F7;7B3)OVERLAP_F_B`: actions that are one step. PyTorch joins two; any number is read.
  constexpr bool read_step() {
    int parts = 0;
    action what = {};
    do {
      ++text_.at;
      text_.skip_blanks();
      bool communicates = false;
      if (!read_action(what, communicates)) {
        return false;
      }
      if (communicates) {
        return fail("computation alone in a step of several actions", joined_example);
      }
      text_.skip_blanks();
      what.joined = text_.stands_at(';');
      if (!made_.put(what, column_)) {
        return fail(made_.fault());
      }
      ++parts;
    } while (what.joined);
    if (!text_.stands_at(')')) {
      return fail("a closing parenthesis behind the actions of one step", joined_example);
    }
    if (parts < 2) {
      return fail("two actions in parentheses", joined_example);
    }
    ++text_.at;
    return text_.read_word() == joined_word ||
           fail("OVERLAP_F_B behind the actions of one step", joined_example);
  }

  /// `2F0`: stage, type, micro-batch. An update needs no number, nor does communication.
  constexpr bool read_action(action& what, bool& communicates) {
    what = {};
    what.stage = text_.read_number();
    if (what.stage < 0) {
      return fail("an action such as 2F0, beginning with its stage",
                  "stage, type, micro-batch; an idle slot is an empty cell");
    }
    const int entry = find_word(text_.read_word());
    if (entry == vocabulary_size) {
      return fail("F, B, I, W, RECOMPUTE, UPDATE, OFFLOAD or FETCH behind the stage",
                  "B is a whole backward, I (input) and W (weights) are its halves");
    }
    communicates = vocabulary[entry].communicates;
    what.kind = vocabulary[entry].kind;
    what.micro_batch = text_.read_number();
    if (what.stage == cursor::most || what.micro_batch == cursor::most) {
      label expected = "numbers below ";
      return fail(expected << cursor::most, "");
    }
    if (what.micro_batch < 0) {
      if (what.kind != action_kind::update && !communicates) {
        return fail("a micro-batch behind the type",
                    "2F0 is the forward of stage 2 on micro-batch 0");
      }
      what.micro_batch = 0;
    }
    return true;
  }

  /// Refuses the cell that is being read.
  constexpr bool fail(const problem& found) {
    label where = "schedule ";
    where << name_ << ", line " << text_.line << ", cell " << column_ + 1;
    read_.refuse_at(found, where, text_.line, static_cast<int>(cell_ - text_.line_begin) + 1);
    return false;
  }

  constexpr bool fail(const label& expected, const text<191>& hint) {
    return fail(refuse(expected, quote(text_.cell_from(cell_)), hint));
  }

  /// Refuses the text as a whole.
  constexpr bool refuse_text(const problem& found) {
    read_.refuse_at(found, label("schedule ") << name_, 0, 0);
    return false;
  }

  cursor& text_;
  const schedule_header& said_;
  std::string_view name_;
  parsed_schedule& read_;
  schedule_assembly made_;
  const char* cell_ = nullptr;
  int column_ = 0;
};

}  // namespace csv

/// Reads a schedule. The text has a line for each device and in it a cell for each action, with
/// commas between them; an empty cell is idle. An action is stage, type, micro-batch: `2F0`. Types:
/// F forward, B whole backward, I input gradient, W weight gradient (PyTorch's, whose files are
/// read as they are), and RECOMPUTE, UPDATE, OFFLOAD, FETCH. `(0F7;7B3)OVERLAP_F_B` is one step of
/// two actions. Communication (`3SEND_F1`, `1UNSHARD`) is passed over and counted.
///
/// Before the rows may stand lines such as `# devices=4 copies=2` with what rows do not tell
/// (csv_header.hpp has the keys). Stages are placed where their actions stand. In a text with
/// backwards and without a single UPDATE, each stage gets an update at the end of its device's row.
/// Blank lines before the first row and behind the last are none, and neither is the byte-order
/// mark that some programs put before a text in UTF-8.
///
/// The column of a cell is its lockstep slot, appended updates having one behind all others; unless
/// the header says `columns=order`.
constexpr parsed_schedule parse_csv(std::string_view text, std::string_view name = "mine") {
  parsed_schedule read;
  const problem unreadable = csv::fault_of_characters(text);
  if (unreadable.found()) {
    read.refuse_at(unreadable, label("schedule ") << name, 0, 0);
    return read;
  }
  csv::cursor at(csv::without_byte_order_mark(text));
  schedule_header said;
  if (csv::header_reader(at, name, read).read_into(said)) {
    csv::row_reader(at, said, name, read).read();
  }
  return read;
}

}  // namespace ipu_dsl
