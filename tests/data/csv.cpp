// SPDX-License-Identifier: MIT
// Tests of data/csv.hpp.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/data/csv.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>

#include "data/first_source.hpp"
#include "formats/mutations.hpp"
#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

std::vector<std::uint8_t> bytes_of_text(std::string_view text) {
  return {text.begin(), text.end()};
}

csv_table table_of(std::string_view text, const csv_options& options = {}) {
  return parse_csv_table(bytes_of_text(text), "h.csv", options);
}

std::string said(std::string_view text, const csv_options& options = {}) {
  return tests::sentence_of([&] { table_of(text, options); });
}

constexpr std::string_view houses =
    "size,rooms,street,price\n"
    "1.5,3,\"Oak, north\",2e5\n"
    " 2 ,4,Elm,+300000\n"
    "\"2.5\",3,Elm,250000.5\n";

TEST_CASE("columns have names and kinds") {
  const csv_table table = table_of(houses);
  CHECK(table.rows() == 3);
  CHECK(table.columns() == 4);
  CHECK(table.name(2) == "street");
  CHECK(table.kind(0) == csv_kind::numbers);
  CHECK(table.kind(1) == csv_kind::integers);
  CHECK(table.kind(2) == csv_kind::words);
  CHECK(table.kind(3) == csv_kind::numbers);
  CHECK(table.words("street") == std::vector<std::string>{"Oak, north", "Elm", "Elm"});
  CHECK(table.classes("street") == std::vector<std::string>{"Elm", "Oak, north"});
  CHECK(tests::sentence_of([&] { static_cast<void>(table.find("prize")); }) ==
        "h.csv has no column prize; it has size, rooms, street, price.");
  CHECK(tests::sentence_of([&] { static_cast<void>(table_of("a;b\n1;2\n").find("b")); }) ==
        "h.csv has no column b; it has a;b. Hint: {.separator = ';'} reads it as several.");
  CHECK(tests::sentence_of([&] { static_cast<void>(table_of("1,a\n2,c\n").find("b")); }) ==
        "h.csv has no column b; it has 1, a. Hint: {.header = false} calls them 1, 2, ...");
}

TEST_CASE("columns of a table are features, targets and labels") {
  const tests::temporary_directory directory;
  write_file_atomically(directory / "houses.csv", bytes_of_text(houses));
  const csv_table table = read_csv(directory / "houses.csv");
  const auto data = zipped(table.features({"rooms", "size"}), table.targets({"price"}));
  static_assert(decltype(data)::inputs[0].extents == shape{2});
  CHECK(tests::first_numbers(data) == std::vector<float>{3, 1.5F, 4, 2, 3, 2.5F});
  CHECK(tests::targets_of(data) == std::vector<float>{2e5F, 3e5F, 250000.5F});
  const auto streets = zipped(table.features({"size"}), table.labels<2>("street"));
  CHECK(tests::labels_of(streets) == std::vector<std::int32_t>{1, 0, 0});
}

TEST_CASE("a column that is asked for twice in one array is refused") {
  const csv_table table = table_of("a,b\n1,2\n");
  CHECK(tests::sentence_of([&] { table.features({"a", "b", "a"}); }) ==
        "h.csv is asked for its column \"a\" twice in one array.");
  CHECK(tests::sentence_of([&] { table.targets({"b", "b"}); }) ==
        "h.csv is asked for its column \"b\" twice in one array.");
}

TEST_CASE("classes are integers as they are, or words in ascending order") {
  const csv_table table = table_of("plain,from_one,names\n0,10,b\n2,9,a\n1,9,c\n");
  const auto of = [&](const auto& column) {
    return tests::labels_of(zipped(table.features({"plain"}), column));
  };
  CHECK(of(table.labels<3>("plain")) == std::vector<std::int32_t>{0, 2, 1});
  CHECK(table.classes("from_one") == std::vector<std::string>{"9", "10"});
  CHECK(table_of("k\n10\nnan\n9\nNA\n-3\n12345678901234567890\n").classes("k") ==
        std::vector<std::string>{"NA", "nan", "-3", "9", "10", "12345678901234567890"});
  CHECK(of(table.labels<2>("from_one", table.classes("from_one"))) ==
        std::vector<std::int32_t>{1, 0, 0});
  CHECK(of(table.labels<4>("names", {"c", "b", "a", "d"})) == std::vector<std::int32_t>{1, 2, 0});
  CHECK(tests::sentence_of([&] { table.labels<4>("names"); }) ==
        "h.csv, column 3 (names) has 3 classes, a, b, c; expected 4.");
  CHECK(tests::sentence_of([&] { table.labels<2>("names", {"a", "b"}); }) ==
        "h.csv, line 4, column 3 (names) is c; expected one of a, b.");
}

TEST_CASE("integers are numbered alike in every file, or refused") {
  const csv_table known = table_of("k\n1\n2\n3\n");
  const csv_table fresh = table_of("k\n1\n2\n2\n");
  const auto of = [](const csv_table& table, const auto& column) {
    return tests::labels_of(zipped(table.features({"k"}), column));
  };
  CHECK(of(fresh, fresh.labels<3>("k")) == std::vector<std::int32_t>{1, 2, 2});
  CHECK(
      tests::sentence_of([&] { known.labels<3>("k"); }) ==
      "h.csv, line 4, column 1 (k) is 3; expected an integer from 0 to 2, a class as it stands. "
      "Hint: labels<3>(\"k\", known) takes other values, where known = classes(\"k\") of the file "
      "that is trained on.");
  CHECK(of(known, known.labels<3>("k", known.classes("k"))) == std::vector<std::int32_t>{0, 1, 2});
  CHECK(of(fresh, fresh.labels<3>("k", known.classes("k"))) == std::vector<std::int32_t>{0, 1, 1});
}

TEST_CASE("a column with a number in it is not numbered by places") {
  const auto refused = [](std::string_view text, const std::string& begin) {
    const csv_table table = table_of(text);
    const std::string said = tests::sentence_of([&] { table.labels<3>("k"); });
    INFO(said);
    CHECK(said.starts_with(begin + "; expected an integer from 0 to 2, "));
  };
  refused("k\n-1\n0\n1\n", "h.csv, line 2, column 1 (k) is -1");
  refused("k\n1.0\n2.0\n3.0\n", "h.csv, line 2, column 1 (k) is 1.0");
  refused("k\n1\n2\nelm\n", "h.csv, line 4, column 1 (k) is elm");
  refused("k\n0\n1\nNA\n", "h.csv, line 4, column 1 (k) is NA");
  refused("k\n4294967297\n0\n1\n", "h.csv, line 2, column 1 (k) is 4294967297");
}

TEST_CASE("a bad cell is told of with its line and column") {
  const csv_table table = table_of("a,b\n1,2\n\"3\",four\n,5\n7,nan\n8,1e50\n9,inf\n");
  CHECK(table.kind(1) == csv_kind::words);
  CHECK(tests::sentence_of([&] { table.features({"b"}); }) ==
        "h.csv, line 3, column 2 (b) is four; expected a number.");
  CHECK(tests::sentence_of([&] { table.features({"a"}); }) ==
        "h.csv, line 4, column 1 (a) is empty; expected a number. Hint: {.missing = 0.0F} takes "
        "one in its place.");
  CHECK(tests::sentence_of([&] { table_of("a,b\n1,nan\n").features({"b"}); }) ==
        "h.csv, line 2, column 2 (b) is missing, nan; expected a number. Hint: {.missing = 0.0F} "
        "takes one in its place.");
  CHECK(tests::sentence_of([&] { table_of("a,b\n1,1e50\n").features({"b"}); }) ==
        "h.csv, line 2, column 2 (b) is 1e50; expected a finite number that float32 can hold.");
  CHECK(tests::sentence_of([&] { table_of("a,b\n1,inf\n").features({"b"}); }) ==
        "h.csv, line 2, column 2 (b) is inf; expected a finite number that float32 can hold.");
  CHECK(tests::sentence_of([&] { table_of("a,b\n1,-1e999\n").features({"b"}); }) ==
        "h.csv, line 2, column 2 (b) is -1e999; expected a finite number that float32 can hold.");
  CHECK(table_of("a,b\n1,1e999\n").kind(1) == csv_kind::numbers);
  CHECK(table_of("a,b\n1,9223372036854775808\n").kind(1) == csv_kind::integers);
  CHECK(tests::sentence_of([&] { table_of("a,b\n1,\n").labels<1>("b"); }) ==
        "h.csv, line 2, column 2 (b) is empty; expected a class.");
}

TEST_CASE("what is missing may be a number") {
  const csv_table table = table_of("a,b\n1,NA\n,2\nNaN,3\n", {.missing = -1.0F});
  CHECK(table.kind(0) == csv_kind::integers);
  const std::vector<std::string_view> names = {"a", "b"};
  CHECK(table.numbers(names) == std::vector<float>{1, -1, -1, 2, -1, 3});
  CHECK(tests::sentence_of(
            [] { table_of("a,b\n1,2\n", {.missing = std::numeric_limits<float>::quiet_NaN()}); }) ==
        "read_csv of h.csv expects a finite number as .missing, got nan. Hint: {.missing = "
        "0.0F}.");
}

TEST_CASE("an integer that a float would round is refused, unless it is to be rounded") {
  const auto numbers = [](std::string_view text, const csv_options& options = {}) {
    const std::string_view names[] = {"id"};
    return table_of(text, options).numbers(names);
  };
  const auto refused = [&](std::string_view text) {
    return tests::sentence_of([&] { numbers(text); });
  };
  CHECK(numbers("id\n16777216\n-16777216\n16777218\n2147483648\n") ==
        std::vector<float>{16777216.0F, -16777216.0F, 16777218.0F, 2147483648.0F});
  CHECK(refused("id\n16777216\n16777217\n") ==
        "h.csv, line 3, column 1 (id) is 16777217, an integer that float32 cannot hold: it would "
        "become 16777216. Hint: {.round_integers = true} takes the nearest that it can.");
  int said = 0;
  for (const std::string_view each :
       {"-16777217", "33554433", "9007199254740993", "9223372036854775807", "1380004385"}) {
    const std::string text = "id\n" + std::string(each) + "\n";
    said += refused(text).find(each) != std::string::npos ? 1 : 0;
    said += numbers(text, {.round_integers = true}).size() == 1 ? 1 : 0;
  }
  CHECK(said == 10);
  CHECK(numbers("id\n-9223372036854775808\n").front() == -9223372036854775808.0F);
  // Of any length, as customers and accounts are numbered.
  CHECK(
      refused("id\n12345678901234567890\n") ==
      "h.csv, line 2, column 1 (id) is 12345678901234567890, an integer that float32 cannot hold: "
      "it would become 12345679395506094080. Hint: {.round_integers = true} takes the nearest "
      "that it can.");
  CHECK(numbers("id\n+018446744073709551616\n").front() == 18446744073709551616.0F);
  // Beside one with a fraction it is a number like others, which floats round.
  CHECK(numbers("id\n16777217\n0.5\n").front() == 16777216.0F);
  CHECK(table_of("id\n16777217\n").labels<1>("id", {"16777217"}).size() == 1);
}

TEST_CASE("a table has a header, or is said to have none") {
  CHECK(said("1,2\n3,4\n") ==
        "h.csv, line 1 holds numbers; expected the names of columns. Hint: {.header = false} calls "
        "them 1, 2, ...");
  CHECK(said("a,\n3,4\n") == "h.csv, line 1, column 2 is the name of a column and empty.");
  CHECK(said("a,b, a\n3,4,5\n") ==
        "h.csv, line 1, column 3: a column is called a, as column 1 is.");
  CHECK(said("") == "h.csv is empty.");
  CHECK(table_of("a,b\n").rows() == 0);
  const csv_table table = table_of("1,2\n3,4\n", {.header = false});
  CHECK(table.rows() == 2);
  CHECK(tests::first_numbers(zipped(table.features({"2"}), table.targets({"1"}))) ==
        std::vector<float>{2, 4});
}

TEST_CASE("a damaged table is read or refused, nothing else") {
  const std::vector<std::uint8_t> file = bytes_of_text("a,b,c\n1,2.5,x\n-2,\"1e3\",y\n");
  const auto read = [](std::span<const std::uint8_t> bytes) {
    const csv_table table = parse_csv_table(bytes, "h.csv");
    for (std::size_t column = 0; column < table.columns(); ++column) {
      const std::string_view name = table.name(column);
      if (table.kind(column) == csv_kind::words) {
        static_cast<void>(table.classes(name));
      } else {
        static_cast<void>(table.numbers({&name, 1}));
      }
    }
  };
  const tests::mutation_counts cut = tests::truncate_everywhere(file, read);
  const tests::mutation_counts changed = tests::change_every_byte(file, file.size(), read);
  CHECK(cut.parsed > 0);
  CHECK(cut.refused > 0);
  CHECK(changed.parsed + changed.refused == file.size() * 255);
  CHECK(changed.parsed > 0);
  CHECK(changed.refused > 0);
}

}  // namespace
