// SPDX-License-Identifier: MIT
// Tests of formats/csv.hpp.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/formats/csv.hpp>

#include "formats/mutations.hpp"
#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using rows = std::vector<std::vector<std::string>>;

csv_cells parse(std::string_view text, char separator = ',') {
  return parse_csv({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "a.csv",
                   separator);
}

rows cells_of(const csv_cells& parsed) {
  rows found(parsed.rows());
  for (std::size_t row = 0; row < parsed.rows(); ++row) {
    for (std::size_t column = 0; column < parsed.columns(); ++column) {
      found[row].emplace_back(parsed.text(row, column));
    }
  }
  return found;
}

std::string said(std::string_view text) {
  return tests::sentence_of([&] { parse(text); });
}

TEST_CASE("rows end in any way, the last one with or without an end") {
  const rows expected = {{"a", "b"}, {"1", ""}, {"", "2"}};
  for (const char* text : {"a,b\n1,\n,2\n", "a,b\r\n1,\r\n,2\r\n", "a,b\r1,\r,2\r",
                           "a,b\r\r1,\n\r,2", "a,b\n1,\r\n,2", "\n\na,b\n\n1,\n\n,2\n\n",
                           "\xEF\xBB\xBF"
                           "a,b\n1,\n,2\r"}) {
    CHECK(cells_of(parse(text)) == expected);
  }
  CHECK(cells_of(parse("a;b\n1;\n;2", ';')) == expected);
  CHECK(cells_of(parse("a\tb\n1\t\n\t2", '\t')) == expected);
  CHECK(parse("").rows() == 0);
  CHECK(parse("\n\r\n\n").rows() == 0);
}

TEST_CASE("what ends lines, begins quotes or stands in numbers separates no cells") {
  int refused = 0;
  for (const char separator : {'"', '\n', '\r'}) {
    const std::string said = tests::sentence_of([&] { parse("a,b\n1,2\n", separator); });
    refused += said.ends_with(", which ends lines or begins quotes. Hint: {.separator = ','}.");
  }
  CHECK(refused == 3);
  int of_numbers = 0;
  for (const char separator : std::string_view("0123456789+-.")) {
    const std::string said = tests::sentence_of([&] { parse("a,b\n1,2\n", separator); });
    of_numbers += said.ends_with(", which numbers are made of. Hint: {.separator = ','}.");
  }
  CHECK(of_numbers == 13);
  CHECK(parse("a\tb\n1\t2\n", '\t').columns() == 2);
}

TEST_CASE("quotes hold separators, lines and quotes, and blanks belong to cells") {
  CHECK(cells_of(parse("\"a,b\",\"c\r\nd\"\n\"5\"\"\",\"\"\n a , b\n")) ==
        rows{{"a,b", "c\r\nd"}, {"5\"", ""}, {" a ", " b"}});
}

TEST_CASE("cells know the lines that they begin in") {
  const csv_cells parsed = parse("a,b\n\n\"1\n\n2\",3\n4,5");
  CHECK(parsed.rows() == 3);
  CHECK(parsed.line(0, 1) == 1);
  CHECK(parsed.line(1, 0) == 3);
  CHECK(parsed.line(1, 1) == 5);
  CHECK(parsed.line(2, 0) == 6);
}

TEST_CASE("every fault of a CSV file has its sentence with line and column") {
  CHECK(said("a,b\n1,2\n3\n") == "a.csv, line 3 has 1 cell; expected 2, as the first line has.");
  CHECK(said("a,b\n\"1\n\",2,3\n") ==
        "a.csv, line 2 has 3 cells; expected 2, as the first line has.");
  CHECK(said("a;b\n1,5;2\n") ==
        "a.csv, line 2 has 2 cells; expected 1, as the first line has. Hint: {.separator = ';'} "
        "reads it as several.");
  CHECK(said("a,b\n1,5\"\n") ==
        "a.csv, line 2, column 2 has a quote in a cell that does not begin with one. Hint: "
        "\"5\"\"\" is 5\" as a cell.");
  CHECK(said("a,b\n1,\"2\n3,4\n") ==
        "a.csv, line 2, column 2 begins with a quote that never ends.");
  CHECK(said("a,b\n\"1\"x,2\n") ==
        "a.csv, line 2, column 1 goes on behind its quotes: expected , or the end of the line, got "
        "x.");
  CHECK(said(std::string_view("a,b\n1,\0\n", 8)) == "a.csv, line 2 has a byte 0: it is no text.");
  CHECK(said("\xFF\xFE"
             "a") == "a.csv is UTF-16; expected UTF-8.");
}

/// As a careful program would write it.
std::string quoted(const std::string& cell) {
  std::string all = "\"";
  for (const char each : cell) {
    all += each;
    all += each == '"' ? "\"" : "";
  }
  return all + "\"";
}

TEST_CASE("what is written with quotes is read as it was, whatever is in it") {
  constexpr std::string_view letters = "a,\"\n\r;1 ";
  std::size_t checked = 0;
  for (std::uint64_t table = 0; table < 400; ++table) {
    std::uint64_t drawn = 0;
    const auto draw = [&](std::uint32_t below) {
      return uniform_below(random_word(11, table, drawn++), below);
    };
    rows written(1 + draw(3));
    const std::size_t columns = 1 + draw(3);
    std::string text;
    for (std::vector<std::string>& row : written) {
      for (std::size_t column = 0; column < columns; ++column) {
        std::string cell;
        const std::uint32_t length = draw(5);
        for (std::uint32_t i = 0; i < length; ++i) {
          cell += letters[draw(static_cast<std::uint32_t>(letters.size()))];
        }
        text += (column == 0 ? "" : ",") + quoted(cell);
        row.push_back(cell);
        ++checked;
      }
      text += draw(2) == 0 ? "\n" : "\r\n";
    }
    CHECK(cells_of(parse(text)) == written);
  }
  CHECK(checked > 1'000);
}

TEST_CASE("a damaged CSV file is parsed or refused, nothing else") {
  constexpr std::string_view text = "a,\"b\"\n1,\"2\"\"\n\"\r\n\"x\",\n";
  const std::span<const std::uint8_t> file(reinterpret_cast<const std::uint8_t*>(text.data()),
                                           text.size());
  const auto parse_bytes = [](std::span<const std::uint8_t> bytes) { parse_csv(bytes, "a.csv"); };
  const tests::mutation_counts cut = tests::truncate_everywhere(file, parse_bytes);
  const tests::mutation_counts changed = tests::change_every_byte(file, file.size(), parse_bytes);
  CHECK(cut.parsed + cut.refused == file.size());
  CHECK(cut.parsed > 0);
  CHECK(cut.refused > 0);
  CHECK(changed.parsed + changed.refused == file.size() * 255);
  CHECK(changed.parsed > 0);
  CHECK(changed.refused > 0);
  std::printf("checked %zu damaged files\n",
              cut.parsed + cut.refused + changed.parsed + changed.refused);
}

}  // namespace
