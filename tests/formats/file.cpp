// SPDX-License-Identifier: MIT
// Tests of formats/file.hpp.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <ipu_dsl/formats/file.hpp>

#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using bytes = std::vector<std::uint8_t>;

TEST_CASE("a file is read as it was written, at every size around the size of a piece") {
  const tests::temporary_directory directory;
  const std::size_t piece = std::size_t{1} << 20;
  int checked = 0;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, piece - 1, piece, piece + 1}) {
    bytes content(size);
    for (std::size_t i = 0; i < size; ++i) {
      content[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    }
    write_file_atomically(directory / "file", content);
    CHECK(read_file(directory / "file") == content);
    ++checked;
  }
  CHECK(checked == 5);
}

TEST_CASE("a missing file and a directory are refused by name") {
  const tests::temporary_directory directory;
  CHECK_FALSE(file_exists(directory / "absent"));
  CHECK(tests::sentence_of([&] { read_file(directory / "absent"); }) ==
        "Cannot open " + (directory / "absent") + ": No such file or directory.");
  CHECK(tests::sentence_of([&] { read_file(directory.path()); }) ==
        "Cannot read " + directory.path() + ": Is a directory.");
}

TEST_CASE("writing replaces the old content and leaves nothing beside it") {
  const tests::temporary_directory directory;
  write_file_atomically(directory / "file", bytes{1, 2, 3});
  write_file_atomically(directory / "file", bytes{4});
  CHECK(read_file(directory / "file") == bytes{4});
  CHECK_FALSE(file_exists(directory / "file.partial"));
}

TEST_CASE("writing that fails keeps the old content") {
  const tests::temporary_directory directory;
  write_file_atomically(directory / "file", bytes{1, 2, 3});
  // A directory where the new content would be written first.
  std::filesystem::create_directory(directory / "file.partial");
  CHECK(tests::sentence_of([&] { write_file_atomically(directory / "file", bytes{4}); }) ==
        "Cannot write " + (directory / "file.partial") + ": Is a directory.");
  CHECK(read_file(directory / "file") == bytes{1, 2, 3});
}

TEST_CASE("writing where a directory is says so and leaves nothing beside it") {
  const tests::temporary_directory directory;
  std::filesystem::create_directory(directory / "file");
  CHECK(tests::sentence_of([&] { write_file_atomically(directory / "file", bytes{4}); }) ==
        "Cannot write " + (directory / "file") + ": Is a directory.");
  CHECK_FALSE(file_exists(directory / "file.partial"));
}

}  // namespace
