// SPDX-License-Identifier: MIT
// Tests of formats/bytes.hpp.
#include <cstdint>
#include <vector>

#include <ipu_dsl/formats/bytes.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

TEST_CASE("byte_cursor reads numbers of both orders") {
  const std::vector<std::uint8_t> bytes = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2};
  byte_cursor cursor(bytes, "a file");
  CHECK(cursor.big_endian_32() == 0x0102'0304);
  CHECK(cursor.little_endian_32() == 0x0403'0201);
  CHECK(cursor.little_endian_16() == 0x0201);
  CHECK(cursor.position() == 10);
  CHECK(cursor.remaining() == 0);
}

TEST_CASE("byte_cursor refuses to read over the end and stays where it was") {
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  byte_cursor cursor(bytes, "a file", 1);
  CHECK(tests::sentence_of([&] { cursor.little_endian_32(); }) ==
        "a file is truncated: it needs 4 bytes at position 1 and has 2.");
  CHECK(cursor.take(2)[1] == 3);
  byte_cursor behind(bytes, "a file", 7);
  CHECK(behind.remaining() == 0);
  CHECK(tests::sentence_of([&] { behind.take(1); }) ==
        "a file is truncated: it needs 1 bytes at position 7 and has 0.");
}

TEST_CASE("what is appended is read back") {
  std::vector<std::uint8_t> bytes;
  append_little_endian(bytes, 0xA1B2'C3D4, 4);
  append_little_endian(bytes, 0xFFFF'0102, 2);
  append_text(bytes, "end");
  byte_cursor cursor(bytes, "a file");
  CHECK(cursor.little_endian_32() == 0xA1B2'C3D4);
  CHECK(cursor.little_endian_16() == 0x0102);
  CHECK(cursor.take_text(3) == "end");
}

TEST_CASE("gzip files are known by their first two bytes") {
  CHECK(looks_like_gzip(std::vector<std::uint8_t>{0x1F, 0x8B}));
  CHECK_FALSE(looks_like_gzip(std::vector<std::uint8_t>{0x1F}));
  CHECK_FALSE(looks_like_gzip(std::vector<std::uint8_t>{0x8B, 0x1F}));
}

}  // namespace
