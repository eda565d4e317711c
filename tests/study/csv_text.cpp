// SPDX-License-Identifier: MIT
// Tests of study/text/csv_text.hpp.
#include <string_view>

#include <ipu_dsl/study/text/csv_text.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr checks test_words() {
  checks done;
  done.that(csv::word_of(action_kind::input_gradient) == "I");
  done.that(csv::word_of(action_kind::fetch) == "FETCH");
  for (int entry = 0; entry < csv::vocabulary_size; ++entry) {
    done.that(csv::find_word(csv::vocabulary[entry].characters) == entry);
  }
  done.that(csv::find_word("F_") == csv::vocabulary_size);
  return done;
}

constexpr checks test_quotes() {
  checks done;
  done.that(csv::quote("0F1").view() == "\"0F1\"");
  done.that(csv::quote("a\tb\x7f").view() == "\"a?b?\"");
  done.that(csv::quote("123456789012345678901234567890123").view() ==
            "\"12345678901234567890123456789012...\"");
  return done;
}

constexpr checks test_marks() {
  checks done;
  done.that(csv::without_byte_order_mark("\xef\xbb\xbf"
                                         "0F0") == "0F0");
  done.that(csv::without_byte_order_mark("0F0") == "0F0");
  done.that(csv::fault_of_characters("\xff\xfe"
                                     "0")
                .got.view() == "one in UTF-16");
  done.that(!csv::fault_of_characters("0F0").found());
  return done;
}

constexpr checks test_lines() {
  checks done;
  csv::cursor text(" \r\n\t\n 0F0,\n");
  text.skip_blank_lines();
  done.that(text.line == 3);
  text.skip_blanks();
  done.that(text.stands_at('0'));
  done.that(!text.ends_cell());
  text.at += 3;
  done.that(text.ends_cell());
  done.that(!text.ends_line());
  ++text.at;
  done.that(text.ends_line());
  text.next_line();
  done.that(text.ends_text());
  text.next_line();
  done.that(text.line == 4);
  return done;
}

static_assert(test_words());
static_assert(test_quotes());
static_assert(test_marks());
static_assert(test_lines());

TEST_CASE("words, quotes and marks of a text") {
  CHECK(test_words());
  CHECK(test_quotes());
  CHECK(test_marks());
}

TEST_CASE("a cursor reads from line to line") {
  CHECK(test_lines());
}

}  // namespace
