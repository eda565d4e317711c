// SPDX-License-Identifier: MIT
// Tests of formats/file.hpp.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
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

/// What lies in a directory.
std::size_t files_in(const tests::temporary_directory& directory) {
  const std::filesystem::directory_iterator files(directory.path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST_CASE("paths that are none are refused") {
  using std::string_literals::operator""s;
  for (const auto& refusal : {tests::sentence_of([] { read_file(""); }),
                              tests::sentence_of([] { write_file_atomically("", bytes{1}); })}) {
    CHECK(refusal == "Expected the path of a file, got an empty one.");
  }
  for (const auto& refusal :
       {tests::sentence_of([] { read_file("a\0b"s); }),
        tests::sentence_of([] { write_file_atomically("a\0b"s, bytes{1}); })}) {
    CHECK(refusal == "Expected the path of a file, got one with a NUL after a.");
  }
}

TEST_CASE("writing replaces the old content and leaves nothing beside it") {
  const tests::temporary_directory directory;
  int checked = 0;
  for (const auto& write : {write_file_atomically, files::replace_portably}) {
    write(directory / "file", bytes{1, 2, 3});
    write(directory / "file", bytes{4});
    CHECK(read_file(directory / "file") == bytes{4});
    write(directory / "file", {});
    CHECK(read_file(directory / "file").empty());
    CHECK(files_in(directory) == 1);
    ++checked;
  }
  CHECK(checked == 2);
}

TEST_CASE("writing where a directory is says so and leaves nothing beside it") {
  const tests::temporary_directory directory;
  std::filesystem::create_directory(directory / "file");
  int checked = 0;
  for (const auto& write : {write_file_atomically, files::replace_portably}) {
    CHECK(tests::sentence_of([&] { write(directory / "file", bytes{4}); }) ==
          "Cannot write " + (directory / "file") + ": Is a directory.");
    ++checked;
  }
  CHECK(checked == 2);
  CHECK(files_in(directory) == 1);
}

TEST_CASE("writing where no directory is says so") {
  const tests::temporary_directory directory;
  const std::string absent = directory / "absent/file";
  CHECK(tests::sentence_of([&] { write_file_atomically(absent, bytes{4}); }) ==
        "Cannot write " + absent + ": No such file or directory.");
  CHECK(tests::sentence_of([&] { files::replace_portably(absent, bytes{4}); }) ==
        "Cannot write " + absent + ": No such file or directory.");
}

TEST_CASE("a name as long as a name can be is written") {
  const tests::temporary_directory directory;
  const std::string path = directory / std::string(255, 'a');
  write_file_atomically(path, bytes{1});
  CHECK(read_file(path) == bytes{1});
  files::replace_portably(path, bytes{2});
  CHECK(read_file(path) == bytes{2});
}

TEST_CASE("writers of one file do not disturb each other") {
  const tests::temporary_directory directory;
  const std::string path = directory / "file";
  constexpr int rounds = 200;
  std::atomic<int> failed = 0;
  const auto writer = [&](std::uint8_t value) {
    const bytes content(5000, value);
    for (int i = 0; i < rounds; ++i) {
      failed += tests::sentence_of([&] { write_file_atomically(path, content); }).empty() ? 0 : 1;
    }
  };
  write_file_atomically(path, bytes(5000, 1));
  std::thread one(writer, std::uint8_t{1});
  std::thread other(writer, std::uint8_t{2});
  int whole = 0;
  for (int i = 0; i < rounds; ++i) {
    const bytes seen = read_file(path);
    whole += seen == bytes(5000, 1) || seen == bytes(5000, 2) ? 1 : 0;
  }
  one.join();
  other.join();
  CHECK(failed == 0);
  CHECK(whole == rounds);
  CHECK(files_in(directory) == 1);
}

}  // namespace
