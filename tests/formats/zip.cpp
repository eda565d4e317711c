// SPDX-License-Identifier: MIT
// Tests of formats/zip.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/formats/zip.hpp>

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
        "a.zip/one is compressed: save it with np.savez, or read it with inflate_entry of "
        "ipu_dsl/formats/gzip.hpp (component gzip).");
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

}  // namespace
