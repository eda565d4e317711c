// SPDX-License-Identifier: MIT
// Tests of formats/zip.hpp, formats/zip_reader.hpp and formats/zip_record.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/formats/zip.hpp>

#include "formats/goldens.hpp"
#include "formats/mutations.hpp"
#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using bytes = std::vector<std::uint8_t>;

const std::vector<zip_entry> two = {{"one", {1, 2, 3}}, {"other", {4}}};

// Local record of "one": 30 + 3 bytes, content: 3, local record of "other": 30 + 5, content: 1.
constexpr std::size_t second_local = 36;
constexpr std::size_t first_central = 72;
constexpr std::size_t second_central = first_central + 46 + 3;

/// What is said when the bytes from `position` on are these.
std::string sentence_with(std::size_t position, const bytes& values) {
  bytes archive = zip_bytes(two);
  std::copy(values.begin(), values.end(), archive.begin() + static_cast<std::ptrdiff_t>(position));
  return tests::sentence_of([&] { parse_zip(archive, "a.zip"); });
}

TEST_CASE("an archive is read back") {
  const std::vector<zip_entry> parsed = parse_zip(zip_bytes(two), "a.zip");
  REQUIRE(parsed.size() == 2);
  CHECK(parsed[0].name == "one");
  CHECK(parsed[0].bytes == bytes{1, 2, 3});
  CHECK(parsed[1].name == "other");
  CHECK(parsed[1].bytes == bytes{4});
  CHECK(parse_zip(zip_bytes({}), "a.zip").empty());
}

TEST_CASE("an archive with a comment behind its end is read") {
  bytes archive = zip_bytes(two);
  archive.insert(archive.end(), {'P', 'K', '!'});
  CHECK(parse_zip(archive, "a.zip").size() == 2);
}

TEST_CASE("every fault of an archive has its sentence") {
  CHECK(tests::sentence_of([] { parse_zip({}, "a.zip"); }) ==
        "a.zip is no zip archive, or truncated: its 0 bytes hold no end record.");
  CHECK(sentence_with(33, {9}) == "a.zip/one is corrupt: its checksum is not the one recorded.");
  CHECK(sentence_with(second_local, {0}) == "a.zip is corrupt: no entry other at position 36.");
  CHECK(sentence_with(second_central, {0}) ==
        "a.zip is corrupt: no entry of the directory at position 121.");
  CHECK(sentence_with(first_central + 8, {1}) ==
        "a.zip/one is encrypted or packed by method 0; expected 0 (stored) or 8 (deflated).");
  CHECK(sentence_with(first_central + 10, {12}) ==
        "a.zip/one is encrypted or packed by method 12; expected 0 (stored) or 8 (deflated).");
  CHECK(sentence_with(first_central + 10, {8}) ==
        "a.zip/one is compressed: save it with np.savez, or hand inflate_entry of "
        "ipu_dsl/formats/gzip.hpp (component gzip) to what reads it: read_npz(path, "
        "inflate_entry), load_by_name(weights, path, {.inflater = inflate_entry}).");
  CHECK(sentence_with(first_central + 24, {5}) ==
        "a.zip/one is corrupt: stored as 3 bytes, yet of 5.");
}

TEST_CASE("entries that share bytes are refused") {
  constexpr std::ptrdiff_t local = 30 + 1 + 300;
  const std::vector<zip_entry> entries = {{"a", bytes(300, 7)}, {"a", bytes(300, 7)}};
  bytes archive = zip_bytes(entries);
  // The second entry goes, and both records of the directory name the first.
  archive.erase(archive.begin() + local, archive.begin() + 2 * local);
  const std::size_t second_central_offset = local + 47 + 42;
  const std::size_t directory_offset = archive.size() - 6;
  for (std::size_t i = 0; i < 4; ++i) {
    archive[second_central_offset + i] = 0;
  }
  archive[directory_offset] = static_cast<std::uint8_t>(local % 256);
  archive[directory_offset + 1] = static_cast<std::uint8_t>(local / 256);
  CHECK(tests::sentence_of([&] { parse_zip(archive, "a.zip"); }) ==
        "a.zip is corrupt: its entries overlap.");
}

TEST_CASE("a damaged archive parses or is refused") {
  const bytes archive = zip_bytes(two);
  const auto parse = [](std::span<const std::uint8_t> damaged) { parse_zip(damaged, "a.zip"); };
  const tests::mutation_counts truncated = tests::truncate_everywhere(archive, parse);
  CHECK(truncated.parsed == 0);
  CHECK(truncated.refused == archive.size());
  const tests::mutation_counts changed = tests::change_every_byte(archive, archive.size(), parse);
  CHECK(changed.parsed + changed.refused == archive.size() * 255);
  // Versions, dates and attributes mean nothing here; content and offsets do.
  CHECK(changed.parsed > 0);
  CHECK(changed.refused > changed.parsed / 2);
  WARN("checked " << truncated.refused << " truncated and " << changed.parsed + changed.refused
                  << " changed archives, " << changed.parsed << " of them valid");
}

TEST_CASE("an archive in 64 bits as Python writes it is read") {
  const std::vector<zip_entry> parsed = parse_zip(tests::long_archive, "a.zip");
  REQUIRE(parsed.size() == 2);
  CHECK(parsed[0].name == "one");
  CHECK(parsed[0].bytes == bytes{1, 2, 3});
  CHECK(parsed[1].name == "other");
  CHECK(parsed[1].bytes == bytes{4});
}

TEST_CASE("archives around the number of entries that 16 bits hold are written and read back") {
  int checked = 0;
  for (const std::size_t count : {65534U, 65535U, 65536U, 65537U, 70000U}) {
    std::vector<zip_entry> entries(count);
    for (std::size_t i = 0; i < count; ++i) {
      entries[i] = {std::to_string(i), {static_cast<std::uint8_t>(i)}};
    }
    const std::vector<zip_entry> parsed = parse_zip(zip_bytes(entries), "a.zip");
    REQUIRE(parsed.size() == count);
    CHECK(parsed.front().name == "0");
    CHECK(parsed.back().name == std::to_string(count - 1));
    CHECK(parsed.back().bytes == entries.back().bytes);
    ++checked;
  }
  CHECK(checked == 5);
}

TEST_CASE("an archive whose end counts its entries modulo 65536 is refused") {
  bytes archive = zip_bytes(two);
  const std::size_t counts = archive.size() - 14;
  archive[counts] = archive[counts + 2] = 0;
  CHECK(tests::sentence_of([&] { parse_zip(archive, "a.zip"); }) ==
        "a.zip is corrupt: its directory has 2 entries, its end record counts 0.");
}

/// A record of the directory, written and read again.
zips::record read_again(const zips::record& written) {
  bytes directory;
  zips::append_central(directory, written);
  byte_cursor cursor(directory, "a.zip");
  const zips::record read = zips::take_record(cursor, "a.zip");
  CHECK(cursor.remaining() == 0);
  return read;
}

TEST_CASE("sizes and offsets of any size are written and read back") {
  constexpr std::uint64_t four_gib = std::uint64_t{1} << 32;
  int checked = 0;
  for (const std::uint64_t size : {std::uint64_t{3}, four_gib - 2, four_gib - 1, four_gib}) {
    for (const std::uint64_t offset : {std::uint64_t{0}, four_gib - 1, four_gib, 9 * four_gib}) {
      const zips::record read =
          read_again({.name = "one", .packed_size = size, .size = size, .local_offset = offset});
      CHECK(read.size == size);
      CHECK(read.packed_size == size);
      CHECK(read.local_offset == offset);
      ++checked;
    }
  }
  CHECK(checked == 16);
}

TEST_CASE("the end of an archive of any size is written and read back") {
  constexpr std::uint64_t four_gib = std::uint64_t{1} << 32;
  bytes end;
  zips::append_end64(end, {5, 200, 9 * four_gib}, 0);
  zips::append_end(end, {0, 0, 0});
  // The short record says that everything stands elsewhere.
  const std::size_t counts = end.size() - 14;
  std::fill(end.begin() + static_cast<std::ptrdiff_t>(counts), end.end() - 2, 0xFF);
  CHECK(tests::sentence_of([&] { parse_zip(end, "a.zip"); }) ==
        "a.zip is corrupt: a directory of 200 bytes at position 38654705664 does not end before "
        "the end record at 76.");
  bytes long_end;
  zips::append_end(long_end, {5, 200, 9 * four_gib});
  CHECK(long_end.size() == zips::end64_size + zips::locator_size + zips::end_size);
  bytes short_end;
  zips::append_end(short_end, {5, 200, four_gib - 2});
  CHECK(short_end.size() == zips::end_size);
}

TEST_CASE("names beyond ASCII are marked as UTF-8 and others are not") {
  const std::vector<zip_entry> entries = {
      {"gr\xC3\xB6\xC3\x9F"
       "e",
       {1}}};
  const bytes archive = zip_bytes(entries);
  CHECK(archive[7] == 8);  // bit 11 of the flags
  CHECK(archive[30 + 7 + 1 + 9] == 8);
  CHECK(parse_zip(archive, "a.zip")[0].name == entries[0].name);
  CHECK(zip_bytes(two)[7] == 0);
}

TEST_CASE("names that NumPy would not find are neither written nor read") {
  using std::string_literals::operator""s;
  const auto written = [](const std::string& name) {
    const std::vector<zip_entry> entries = {{name, {1}}};
    return tests::sentence_of([&] { zip_bytes(entries); });
  };
  CHECK(written("a\0b"s) ==
        "The archive has an entry of the name a\\x00b; expected UTF-8 without a NUL.");
  CHECK(written("gr\xF6\xDF") ==
        "The archive has an entry of the name gr\\xF6\\xDF; expected UTF-8 without a NUL.");
  CHECK(written(std::string(65536, 'a')) ==
        "The archive has an entry whose name is of 65536 bytes, " + std::string(40, 'a') +
            "...; expected at most 65535.");
  CHECK(written(std::string(65535, 'a')).empty());
  CHECK(sentence_with(first_central + 46, {0}) ==
        "a.zip has an entry of the name \\x00ne; expected UTF-8 without a NUL.");
  CHECK(sentence_with(30, {'\x1B'}) ==
        "a.zip is corrupt: the directory calls an entry one, the entry itself \\x1Bne.");
  CHECK(sentence_with(second_central + 46, {0x1B, '[', '2', 'J', '!'}) ==
        "a.zip is corrupt: the directory calls an entry \\x1B[2J!, the entry itself other.");
}

TEST_CASE("what the end of an archive says is not believed") {
  const std::size_t end = zip_bytes(two).size() - 22;
  CHECK(sentence_with(end + 4, {1}) ==
        "a.zip is a part of an archive of several files; expected a whole one.");
  CHECK(sentence_with(end + 8, {1}) ==
        "a.zip is a part of an archive of several files; expected a whole one.");
  CHECK(sentence_with(end + 12, {101}) ==
        "a.zip is corrupt: a directory of 101 bytes at position 72 does not end before the end "
        "record at 172.");
  CHECK(sentence_with(end + 12, {49}) ==
        "a.zip is corrupt: its directory has 1 entries, its end record counts 2.");
  CHECK(sentence_with(end + 16, {0xFF, 0xFF, 0xFF, 0xFF}) ==
        "a.zip is corrupt: a directory of 100 bytes at position 4294967295 does not end before the "
        "end record at 172.");
  CHECK(sentence_with(first_central + 42, {0, 0, 0, 0xF0}) ==
        "a.zip is corrupt: no entry one at position 4026531840.");
  CHECK(sentence_with(first_central + 20, {0, 0, 0, 0xF0, 0, 0, 0, 0xF0}) ==
        "a.zip is truncated: its entry one asks for 4026531840 bytes and there are 161.");
}

TEST_CASE("what the long records of an archive say is not believed") {
  const bytes& whole = tests::long_archive;
  const std::size_t end64 = whole.size() - 22 - 20 - 56;
  const auto sentence = [&](std::size_t position, const bytes& values) {
    bytes archive = whole;
    std::copy(values.begin(), values.end(),
              archive.begin() + static_cast<std::ptrdiff_t>(position));
    return tests::sentence_of([&] { parse_zip(archive, "a.zip"); });
  };
  CHECK(sentence(end64 + 56 + 8, {0, 0, 0, 0, 0, 0, 0, 0x80}) ==
        "a.zip is corrupt: no end record of Zip64 at position 9223372036854775808.");
  CHECK(sentence(end64, {0}) == "a.zip is corrupt: no end record of Zip64 at position 260.");
  CHECK(sentence(end64 + 24, {3, 0, 0, 0, 0, 0, 0, 0, 3}) ==
        "a.zip is corrupt: its two end records say 2 and 3 of the same thing.");
  CHECK(sentence(end64 + 16, {1}) ==
        "a.zip is a part of an archive of several files; expected a whole one.");
  // The extra field of the first entry: its length, then the size that stands in it.
  CHECK(sentence(112 + 46 + 3 + 2, {4}) ==
        "a.zip/one is truncated: it needs 8 bytes at position 0 and has 4.");
  CHECK(sentence(112 + 46 + 3 + 2, {17}) ==
        "a.zip/one is corrupt: an extra field is longer than all of them.");
  CHECK(sentence(112 + 46 + 3 + 4, {0, 0, 0, 0, 0, 0, 0, 0xFF}) ==
        "a.zip/one is corrupt: stored as 3 bytes, yet of 18374686479671623680.");
}

TEST_CASE("a damaged archive of long numbers parses or is refused") {
  const bytes& archive = tests::long_archive;
  std::size_t others = 0;
  const auto parse = [&](std::span<const std::uint8_t> damaged) {
    const std::vector<zip_entry> parsed = parse_zip(damaged, "a.zip");
    others += parsed.size() == 2 && parsed[0].bytes == bytes{1, 2, 3} ? 0U : 1U;
  };
  const tests::mutation_counts truncated = tests::truncate_everywhere(archive, parse);
  CHECK(truncated.parsed == 0);
  CHECK(truncated.refused == archive.size());
  const tests::mutation_counts changed = tests::change_every_byte(archive, archive.size(), parse);
  CHECK(changed.parsed + changed.refused == archive.size() * 255);
  CHECK(changed.parsed > 0);
  CHECK(others == 0);
  WARN("checked " << truncated.refused << " truncated and " << changed.parsed + changed.refused
                  << " changed archives, " << changed.parsed << " of them valid");
}

}  // namespace
