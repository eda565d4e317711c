// SPDX-License-Identifier: MIT
// The content of a file replaced as a whole, on POSIX and elsewhere.
// Over 300 lines: the steps of one replacement, each with its own fault, in the order in which
// they are done.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/error.hpp>

#if defined(__unix__) || defined(__APPLE__)
#define IPU_DSL_POSIX_FILES 1
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#define IPU_DSL_POSIX_FILES 0
#endif

namespace ipu_dsl {

namespace files {

/// An open file, or null; closed when its handle goes. Written out, because `std::unique_ptr` costs
/// the compiler more than all that is done with it.
class handle {
 public:
  explicit handle(std::FILE* file = nullptr) : file_(file) {}

  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;

  handle(handle&& other) noexcept : file_(std::exchange(other.file_, nullptr)) {}

  ~handle() { close(); }

  std::FILE* get() const { return file_; }

  /// False, with `errno` set, if closing fails: what was written may then be lost.
  bool close() {
    std::FILE* const file = file_;
    file_ = nullptr;
    return file == nullptr || std::fclose(file) == 0;
  }

  /// Closes what is open and keeps `file` instead.
  void reset(std::FILE* file) {
    close();
    file_ = file;
  }

  friend bool operator==(const handle& file, std::nullptr_t) { return file.file_ == nullptr; }

 private:
  std::FILE* file_;
};

/// How many names are tried for a temporary file before writing is given up.
inline constexpr int most_names = 10'000;

/// Throws `error` with what the system says of the last call.
[[noreturn]] inline void refuse_writing(const std::string& path) {
  const std::string reason = std::strerror(errno);
  raise_error({"Cannot write ", path, ": ", reason, "."});
}

/// Throws `error` for a path that the system would read only a part of, or nothing.
inline void check_path(const std::string& path) {
  if (path.empty()) {
    raise_error("Expected the path of a file, got an empty one.");
  }
  if (path.find('\0') != std::string::npos) {
    raise_error({"Expected the path of a file, got one with a NUL after ", path.c_str(), "."});
  }
}

/// The path of a temporary file beside `path`: its name, cut so that the longer one is still a
/// name, and what makes it different from that of another writer.
inline std::string temporary_beside(const std::string& path, const std::string& writer) {
  constexpr std::size_t longest_start = 200;
  const std::size_t slash = path.find_last_of('/');
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  const std::string_view start = std::string_view(path).substr(0, begin + longest_start);
  return sentence_of({start, ".", writer, ".partial"});
}

/// Replaces the content in the C library's words alone: without the last steps to the disk, without
/// the mode of the old file. Throws `error`, and leaves the old content, if that fails.
inline void replace_portably(const std::string& path, std::span<const std::uint8_t> bytes) {
  std::string temporary;
  handle file;
  for (int i = 0; i < most_names && file == nullptr; ++i) {
    temporary = temporary_beside(path, sentence_of({i}));
    file.reset(std::fopen(temporary.c_str(), "wbx"));
    if (file == nullptr && errno != EEXIST) {
      break;
    }
  }
  if (file == nullptr) {
    refuse_writing(path);
  }
  // Nothing has no address, and fwrite must not be given none.
  const bool written =
      bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  // A full disk may show only when the last bytes leave the buffer.
  const bool closed = file.close();
  if (!written || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    std::remove(temporary.c_str());
    errno = reason;
    refuse_writing(path);
  }
}

#if IPU_DSL_POSIX_FILES

/// A descriptor, closed when it goes.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}

  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  ~descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }

  int number() const { return number_; }

  /// False, with `errno` set, if closing fails: what was written may then be lost.
  bool close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0;
  }

 private:
  int number_;
};

/// False, with `errno` set, unless all bytes were written.
inline bool write_all(int file, std::span<const std::uint8_t> bytes) {
  // Systems differ in how many bytes one call may have; all take this.
  constexpr std::size_t piece = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t written =
        ::write(file, bytes.data(), bytes.size() < piece ? bytes.size() : piece);
    if (written < 0 && errno != EINTR) {
      return false;
    }
    const std::size_t done = written < 0 ? 0 : static_cast<std::size_t>(written);
    bytes = {bytes.data() + done, bytes.size() - done};
  }
  return true;
}

/// What the symbolic link at `path` says, seen from where `path` is seen from.
inline std::string link_target(const std::string& path) {
  std::string words(4096, '\0');
  const ssize_t length = ::readlink(path.c_str(), words.data(), words.size());
  if (length < 0 || static_cast<std::size_t>(length) == words.size()) {
    errno = length < 0 ? errno : ENAMETOOLONG;
    refuse_writing(path);
  }
  words.resize(static_cast<std::size_t>(length));
  const std::size_t slash = path.find_last_of('/');
  const bool stands_alone = words.starts_with('/') || slash == std::string::npos;
  return stands_alone ? words : path.substr(0, slash + 1) + words;
}

/// Where the symbolic links at `path` lead, `path` itself if it is none. What they lead to need not
/// be there yet.
inline std::string follow_links(const std::string& path) {
  constexpr int most_links = 40;
  std::string here = path;
  struct stat found = {};
  for (int i = 0; i < most_links; ++i) {
    if (::lstat(here.c_str(), &found) != 0 || !S_ISLNK(found.st_mode)) {
      return here;
    }
    // A link there stands for a file that is open, and its name says nothing for certain.
    if (here.starts_with("/proc/") || here.starts_with("/dev/fd/")) {
      raise_error(
          {"Cannot write ", path, ": it stands for a file that is open already; name that file."});
    }
    here = link_target(here);
  }
  errno = ELOOP;
  refuse_writing(path);
}

/// Writes to what is no file that could be replaced: a pipe, a terminal, /dev/null.
inline void write_directly(const std::string& path, std::span<const std::uint8_t> bytes) {
  descriptor file(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (file.number() < 0 || !write_all(file.number(), bytes) || !file.close()) {
    refuse_writing(path);
  }
}

/// A new file beside the one that it is to replace; removed again unless it did.
class replacement {
 public:
  /// `path` is where it goes in the end, links followed.
  replacement(std::string path, mode_t mode) : path_(std::move(path)), file_(create(mode)) {}

  replacement(const replacement&) = delete;
  replacement& operator=(const replacement&) = delete;

  ~replacement() {
    if (!temporary_.empty()) {
      ::unlink(temporary_.c_str());
    }
  }

  /// Gives it the owner, the group and the mode of the old file, as far as the system allows.
  void take_after(const struct stat& old) {
    const bool same_owner = ::fchown(file_.number(), old.st_uid, old.st_gid) == 0;
    const bool same_group =
        same_owner || ::fchown(file_.number(), static_cast<uid_t>(-1), old.st_gid) == 0;
    // A program that runs as its owner must not run as another, and the rights of a group are not
    // another's.
    const mode_t kept = same_owner ? 07777 : same_group ? 0777 : 0707;
    ::fchmod(file_.number(), old.st_mode & kept);
  }

  /// Writes the content, to the disk itself.
  bool write(std::span<const std::uint8_t> bytes) {
    return write_all(file_.number(), bytes) && synchronise(file_.number()) && file_.close();
  }

  /// Takes the place of the old file.
  bool commit() {
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
      return false;
    }
    temporary_.clear();
    return true;
  }

  /// False, with `errno` set, if it could not even be made.
  bool made() const { return file_.number() >= 0; }

 private:
  /// Brings a file or a directory to the disk. True as well where there is nothing to bring.
  static bool synchronise(int file) {
    return ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
  }

  int create(mode_t mode) {
    const std::int64_t process = ::getpid();
    for (int i = 0; i < most_names; ++i) {
      const std::string name = temporary_beside(path_, sentence_of({process, ".", i}));
      const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      if (file >= 0 || errno != EEXIST) {
        temporary_ = file >= 0 ? name : "";
        return file;
      }
    }
    return -1;
  }

  std::string path_;
  std::string temporary_;
  descriptor file_;
};

/// Where the file at `path` stands: "." or a path that ends with a slash.
inline std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Whether two paths lead to the same file or directory, which has to be there.
inline bool lead_to_same(const std::string& one, const std::string& other) {
  struct stat found = {};
  struct stat of_other = {};
  return ::stat(one.c_str(), &found) == 0 && ::stat(other.c_str(), &of_other) == 0 &&
         found.st_dev == of_other.st_dev && found.st_ino == of_other.st_ino;
}

/// The same of a file that need not be there yet.
inline bool is_same_file(const std::string& one, const std::string& other) {
  const auto name_in = [](const std::string& path) {
    return std::string_view(path).substr(path.find_last_of('/') + 1);
  };
  const bool alike =
      name_in(one) == name_in(other) && lead_to_same(folder_of(one), folder_of(other));
  return one == other || alike || lead_to_same(one, other);
}

/// Asks for the new name of a file to be on the disk too. Whoever reads the directory sees it
/// already, so that a system that cannot do it has not failed.
inline void synchronise_directory_of(const std::string& path) {
  const descriptor directory(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() >= 0) {
    ::fsync(directory.number());
  }
}

/// Replaces a regular file, `old`, or makes one where `old` is null.
inline void replace_regular(const std::string& path, const struct stat* old,
                            std::span<const std::uint8_t> bytes) {
  // A file that may not be written is not replaced, even where its directory would allow it.
  if (old != nullptr && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    refuse_writing(path);
  }
  const std::string target = follow_links(path);
  // Nobody else may read the new content before it has the mode of the old.
  replacement fresh(target, old != nullptr ? 0600 : 0666);
  if (fresh.made() && old != nullptr) {
    fresh.take_after(*old);
  }
  if (!fresh.made() || !fresh.write(bytes) || !fresh.commit()) {
    refuse_writing(path);
  }
  synchronise_directory_of(target);
}

/// Throws `error` if nothing can be written to `path` as things are: so that nobody trains for
/// hours for a file whose directory is not there. That it can be written later is not promised.
inline void check_writable(const std::string& path) {
  check_path(path);
  struct stat found = {};
  const bool there = ::stat(path.c_str(), &found) == 0;
  if (there && S_ISDIR(found.st_mode)) {
    errno = EISDIR;
    refuse_writing(path);
  }
  if (there && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    refuse_writing(path);
  }
  if (there && !S_ISREG(found.st_mode)) {
    return;
  }
  const std::string folder = folder_of(follow_links(path));
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    refuse_writing(path);
  }
}

/// Replaces what is at `path`, as `write_file_atomically` promises.
inline void replace(const std::string& path, std::span<const std::uint8_t> bytes) {
  struct stat found = {};
  const bool there = ::stat(path.c_str(), &found) == 0;
  if (!there && errno != ENOENT) {
    refuse_writing(path);
  }
  if (!there || S_ISREG(found.st_mode)) {
    return replace_regular(path, there ? &found : nullptr, bytes);
  }
  if (S_ISDIR(found.st_mode)) {
    errno = EISDIR;
    refuse_writing(path);
  }
  if (S_ISBLK(found.st_mode)) {
    raise_error({"Cannot write ", path, ": it is a disk, not a file."});
  }
  write_directly(path, bytes);
}

#else

inline bool is_same_file(const std::string& one, const std::string& other) {
  return one == other;
}

inline void check_writable(const std::string& path) {
  check_path(path);
}

inline void replace(const std::string& path, std::span<const std::uint8_t> bytes) {
  replace_portably(path, bytes);
}

#endif

}  // namespace files

}  // namespace ipu_dsl
