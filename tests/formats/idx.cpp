// SPDX-License-Identifier: MIT
// Tests of formats/idx.hpp.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/formats/idx.hpp>

#include "formats/mutations.hpp"
#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using bytes = std::vector<std::uint8_t>;

/// Two images of 1 x 3 pixels.
const bytes images = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 10, 11, 12, 13, 14, 15};
constexpr std::size_t header = 16;

/// What `parse_idx` says when the byte at `position` is `value` instead.
std::string sentence_with(std::size_t position, std::uint8_t value) {
  bytes changed = images;
  changed[position] = value;
  return tests::sentence_of([&] { parse_idx(changed, "images", 3); });
}

TEST_CASE("an IDX file is read") {
  const idx_array parsed = parse_idx(images, "images", 3);
  CHECK(std::vector<std::int32_t>(parsed.extents.begin(), parsed.extents.end()) ==
        std::vector<std::int32_t>{2, 1, 3});
  CHECK(parsed.bytes == bytes{10, 11, 12, 13, 14, 15});
}

TEST_CASE("an IDX file is read from its path by any reader") {
  const tests::temporary_directory directory;
  write_file_atomically(directory / "images", images);
  CHECK(read_idx(directory / "images", 3).bytes.size() == 6);
  const file_reader other = [](const std::string&) { return bytes{0, 0, 8, 1, 0, 0, 0, 1, 7}; };
  CHECK(read_idx("anything", 1, other).bytes == bytes{7});
}

TEST_CASE("every fault of an IDX file has its sentence") {
  CHECK(sentence_with(0, 5) ==
        "images is no IDX file: it begins with the bytes 5 and 0 instead of 0 and 0.");
  CHECK(sentence_with(2, 13) ==
        "images holds elements of IDX type 13; expected type 8, unsigned bytes.");
  CHECK(sentence_with(3, 1) == "images has 1 dimensions; expected 3.");
  CHECK(sentence_with(11, 0) == "Dimension 1 of images is 0; expected 1 to 2147483647.");
  CHECK(sentence_with(4, 0x80) == "Dimension 0 of images is 2147483650; expected 1 to 2147483647.");
  CHECK(sentence_with(7, 3) ==
        "images is truncated: its dimensions ask for 9 bytes behind the header and it has 6.");
  CHECK(sentence_with(7, 1) ==
        "images has trailing bytes: its dimensions ask for 3 bytes behind the header and it has "
        "6.");
  CHECK(tests::sentence_of([] { parse_idx(std::span(images).first(9), "images", 3); }) ==
        "images is truncated: it needs 4 bytes at position 8 and has 1.");
}

TEST_CASE("dimensions that overflow are refused") {
  bytes huge = {0, 0, 8, 3};
  for (int axis = 0; axis < 3; ++axis) {
    huge.insert(huge.end(), {0x7F, 0xFF, 0xFF, 0xFF});
  }
  CHECK(tests::sentence_of([&] { parse_idx(huge, "images", 3); }) ==
        "The dimensions of images multiply to more than a machine can address.");
}

TEST_CASE("a compressed IDX file without the component says what to do") {
  bytes compressed = images;
  compressed[0] = 0x1F;
  compressed[1] = 0x8B;
  CHECK(tests::sentence_of([&] { parse_idx(compressed, "images.gz", 3); }) ==
        "images.gz is compressed: unpack it with gunzip, or read it with read_file_or_gzip of "
        "ipu_dsl/formats/gzip.hpp (component gzip).");
}

TEST_CASE("a damaged IDX file parses or is refused") {
  const auto parse = [](std::span<const std::uint8_t> file) {
    const idx_array parsed = parse_idx(file, "images", 3);
    std::size_t count = 1;
    for (const std::int32_t extent : parsed.extents) {
      count *= static_cast<std::size_t>(extent);
    }
    CHECK(count == parsed.bytes.size());
  };
  const tests::mutation_counts truncated = tests::truncate_everywhere(images, parse);
  CHECK(truncated.parsed == 0);
  CHECK(truncated.refused == images.size());
  const tests::mutation_counts changed = tests::change_every_byte(images, header, parse);
  CHECK(changed.parsed == 0);
  CHECK(changed.refused == header * 255);
  WARN("checked " << truncated.refused << " truncated and " << changed.refused << " changed files");
}

}  // namespace
