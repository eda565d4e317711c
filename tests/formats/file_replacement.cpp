// SPDX-License-Identifier: MIT
// Tests of formats/file_replacement.hpp on POSIX systems.
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <ipu_dsl/formats/file.hpp>

#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace ipu_dsl;
using bytes = std::vector<std::uint8_t>;

/// What the system was asked for by this thread, in order: 'f' and 'd' for bringing a file and a
/// directory to the disk, 'r' for renaming.
thread_local std::string asked;

}  // namespace

// These stand before those of the C library.
extern "C" int fsync(int file) {
  struct stat found = {};
  asked += ::fstat(file, &found) == 0 && S_ISDIR(found.st_mode) ? 'd' : 'f';
  return static_cast<int>(::syscall(SYS_fsync, file));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  asked += 'r';
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}

namespace {

struct stat state_of(const std::string& path) {
  struct stat found = {};
  REQUIRE(::lstat(path.c_str(), &found) == 0);
  return found;
}

mode_t mode_of(const std::string& path) {
  return state_of(path).st_mode & 07777;
}

std::size_t files_in(const tests::temporary_directory& directory) {
  const std::filesystem::directory_iterator files(directory.path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST_CASE("the file is on the disk before it has its name, and then the name is") {
  const tests::temporary_directory directory;
  asked.clear();
  write_file_atomically(directory / "file", bytes{1});
  CHECK(asked == "frd");
}

TEST_CASE("the mode of a file is kept, and a new one has that of the process") {
  const tests::temporary_directory directory;
  const std::string path = directory / "file";
  const mode_t old_mask = ::umask(027);
  write_file_atomically(path, bytes{1});
  CHECK(mode_of(path) == 0640);
  int checked = 0;
  for (const mode_t mode : {0600U, 0644U, 0666U, 0755U, 02750U}) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    write_file_atomically(path, bytes{2});
    CHECK(mode_of(path) == mode);
    ++checked;
  }
  ::umask(old_mask);
  CHECK(checked == 5);
}

TEST_CASE("the owner of a file is kept where that is allowed") {
  if (::geteuid() != 0) {
    WARN("skipped: only root may give a file away");
    return;
  }
  const tests::temporary_directory directory;
  const std::string path = directory / "file";
  write_file_atomically(path, bytes{1});
  REQUIRE(::chown(path.c_str(), 65534, 65533) == 0);
  write_file_atomically(path, bytes{2});
  CHECK(state_of(path).st_uid == 65534);
  CHECK(state_of(path).st_gid == 65533);
  CHECK(read_file(path) == bytes{2});
}

TEST_CASE("a file that may not be written is not replaced") {
  const tests::temporary_directory directory;
  const std::string path = directory / "file";
  write_file_atomically(path, bytes{1});
  REQUIRE(::chmod(path.c_str(), 0444) == 0);
  REQUIRE(::chmod(directory.path().c_str(), 0777) == 0);
  // Root may write every file, so for once be somebody else.
  const bool root = ::geteuid() == 0;
  REQUIRE((!root || ::seteuid(65534) == 0));
  const std::string said = tests::sentence_of([&] { write_file_atomically(path, bytes{2}); });
  REQUIRE((!root || ::seteuid(0) == 0));
  CHECK(said == "Cannot write " + path + ": Permission denied.");
  CHECK(read_file(path) == bytes{1});
  CHECK(files_in(directory) == 1);
}

TEST_CASE("paths of one file are known as such, there or not") {
  const tests::temporary_directory directory;
  write_file_atomically(directory / "there", bytes{1});
  REQUIRE(::mkdir((directory / "folder").c_str(), 0700) == 0);
  REQUIRE(::symlink("there", (directory / "link").c_str()) == 0);
  REQUIRE(::symlink(".", (directory / "same").c_str()) == 0);
  for (const std::string name : {"there", "new"}) {
    const std::string plain = directory / name;
    CHECK(files::is_same_file(plain, plain));
    CHECK(files::is_same_file(plain, directory / ("./" + name)));
    CHECK(files::is_same_file(plain, directory / ("folder/../" + name)));
    CHECK(files::is_same_file(directory / ("same/" + name), plain));
    CHECK(!files::is_same_file(plain, directory / ("folder/" + name)));
    CHECK(!files::is_same_file(plain, directory / "other"));
    CHECK(!files::is_same_file(plain, directory / ("none/" + name)));
  }
  CHECK(files::is_same_file(directory / "link", directory / "there"));
}

TEST_CASE("what cannot be written is known before there is anything to write") {
  const tests::temporary_directory directory;
  const auto refusal = [](const std::string& path) {
    return tests::sentence_of([&] { files::check_writable(path); });
  };
  const std::string there = directory / "there";
  write_file_atomically(there, bytes{1});
  CHECK(refusal(there).empty());
  CHECK(refusal(directory / "new").empty());
  CHECK(refusal("/dev/null").empty());
  CHECK(files_in(directory) == 1);
  CHECK(refusal(directory.path()) == "Cannot write " + directory.path() + ": Is a directory.");
  CHECK(refusal(directory / "none/new") ==
        "Cannot write " + (directory / "none/new") + ": No such file or directory.");
  CHECK(refusal(there + "/new") == "Cannot write " + there + "/new: Not a directory.");
  CHECK(refusal("") == "Expected the path of a file, got an empty one.");
  const std::string link = directory / "link";
  REQUIRE(::symlink("none/new", link.c_str()) == 0);
  CHECK(refusal(link) == "Cannot write " + link + ": No such file or directory.");
  // Root may write everywhere, so for once be somebody else.
  REQUIRE(::chmod(there.c_str(), 0444) == 0);
  REQUIRE(::chmod(directory.path().c_str(), 0555) == 0);
  const bool root = ::geteuid() == 0;
  REQUIRE((!root || ::seteuid(65534) == 0));
  const std::string of_file = refusal(there);
  const std::string of_folder = refusal(directory / "new");
  REQUIRE((!root || ::seteuid(0) == 0));
  REQUIRE(::chmod(directory.path().c_str(), 0700) == 0);
  CHECK(of_file == "Cannot write " + there + ": Permission denied.");
  CHECK(of_folder == "Cannot write " + (directory / "new") + ": Permission denied.");
}

TEST_CASE("a symbolic link stays, and what it leads to is replaced") {
  const tests::temporary_directory directory;
  std::filesystem::create_directory(directory / "folder");
  write_file_atomically(directory / "folder/file", bytes{1});
  std::filesystem::create_symlink("file", directory / "folder/relative");
  std::filesystem::create_symlink("folder/relative", directory / "chain");
  std::filesystem::create_symlink(directory / "folder/file", directory / "absolute");
  std::filesystem::create_symlink("folder/new", directory / "dangling");
  std::uint8_t content = 2;
  for (const char* const name : {"folder/relative", "chain", "absolute"}) {
    write_file_atomically(directory / name, bytes{content});
    CHECK(S_ISLNK(state_of(directory / name).st_mode));
    CHECK(S_ISREG(state_of(directory / "folder/file").st_mode));
    CHECK(read_file(directory / "folder/file") == bytes{content});
    ++content;
  }
  CHECK(content == 5);
  write_file_atomically(directory / "dangling", bytes{7});
  CHECK(S_ISLNK(state_of(directory / "dangling").st_mode));
  CHECK(read_file(directory / "folder/new") == bytes{7});
  CHECK(files_in(directory) == 4);
}

TEST_CASE("links that lead in a circle are refused") {
  const tests::temporary_directory directory;
  std::filesystem::create_symlink("two", directory / "one");
  std::filesystem::create_symlink("one", directory / "two");
  CHECK(tests::sentence_of([&] { write_file_atomically(directory / "one", bytes{1}); }) ==
        "Cannot write " + (directory / "one") + ": Too many levels of symbolic links.");
}

TEST_CASE("a pipe and a device are written to and stay what they are") {
  const tests::temporary_directory directory;
  const std::string pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  bytes read;
  std::thread reader([&] { read = read_file(pipe); });
  const bytes content(300'000, 7);
  write_file_atomically(pipe, content);
  reader.join();
  CHECK(read == content);
  CHECK(S_ISFIFO(state_of(pipe).st_mode));
  std::filesystem::create_symlink("/dev/null", directory / "null");
  write_file_atomically(directory / "null", bytes{1});
  CHECK(S_ISLNK(state_of(directory / "null").st_mode));
  CHECK(S_ISCHR(state_of("/dev/null").st_mode));
  CHECK(files_in(directory) == 2);
}

TEST_CASE("what stands for an open file is refused") {
  const tests::temporary_directory directory;
  write_file_atomically(directory / "file", bytes{1});
  const int file = ::open((directory / "file").c_str(), O_RDWR);
  REQUIRE(file >= 0);
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (file_exists(path)) {
    CHECK(tests::sentence_of([&] { write_file_atomically(path, bytes{2}); }) ==
          "Cannot write " + path + ": it stands for a file that is open already; name that file.");
  }
  ::close(file);
  CHECK(read_file(directory / "file") == bytes{1});
}

TEST_CASE("writing that fails keeps the old content and leaves nothing beside it") {
  const tests::temporary_directory directory;
  const std::string path = directory / "file";
  write_file_atomically(path, bytes{1, 2, 3});
  // No file may grow beyond a thousand bytes: as a full disk, at a place of our choice.
  rlimit old_limit = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old_limit) == 0);
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {1000, old_limit.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const std::string said = tests::sentence_of([&] { write_file_atomically(path, bytes(2000, 4)); });
  const std::string said_portably =
      tests::sentence_of([&] { files::replace_portably(path, bytes(2000, 4)); });
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_action);
  CHECK(said == "Cannot write " + path + ": File too large.");
  CHECK(said_portably == said);
  CHECK(read_file(path) == bytes{1, 2, 3});
  CHECK(files_in(directory) == 1);
}

TEST_CASE("a temporary that was left behind does not stand in the way") {
  const tests::temporary_directory directory;
  const std::string path = directory / "file";
  const std::string left = files::temporary_beside(path, std::to_string(::getpid()) + ".0");
  write_file_atomically(left, bytes{9});
  write_file_atomically(path, bytes{1});
  CHECK(read_file(path) == bytes{1});
  CHECK(read_file(left) == bytes{9});
  CHECK(files_in(directory) == 2);
}

TEST_CASE("files that are too large are refused") {
  const tests::temporary_directory directory;
  const std::string path = directory / "sparse";
  write_file_atomically(path, bytes{1});
  constexpr off_t size = off_t{1} << 42;
  if (IPU_DSL_SANITIZED || ::truncate(path.c_str(), size) != 0) {
    WARN("skipped: a sanitizer, or a file system without files of 4 TiB");
    return;
  }
  CHECK(tests::sentence_of([&] { read_file(path); }) ==
        "Cannot read " + path + ": there is no memory for its 4398046511104 bytes.");
}

TEST_CASE("what has no end is refused") {
  const files::handle endless(std::fopen("/dev/zero", "rb"));
  REQUIRE(endless != nullptr);
  CHECK(tests::sentence_of([&] { files::read_open(endless.get(), "/dev/zero", 100'000); }) ==
        "Cannot read /dev/zero: it goes on behind 100000 bytes.");
}

}  // namespace
