// SPDX-License-Identifier: MIT
// A file that grows by lines while training goes on.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/file_replacement.hpp>
#include <ipu_dsl/training/callbacks/record_line.hpp>

namespace ipu_dsl {

/// Writes whole lines, each handed to the system at once: whoever kills the program loses none
/// that was written. Takes no memory between `open` and `close`.
class log_file {
 public:
  /// Begins an empty file, or goes on behind what is there, which stays until the first line is
  /// written: a `fit` that another callback refuses loses no log. Throws `error` if it cannot be
  /// written.
  void open(const std::string& path, bool append) {
    files::check_path(path);
    path_ = path;
    reopen("ab");
    std::fseek(file_.get(), 0, SEEK_END);
    begins_ = !append;
    empty_ = begins_ || std::ftell(file_.get()) <= 0;
    ends_line_ = !empty_ && lacks_end_of_line(path);
  }

  /// The first line of a file without its end, or its first 4 KB; empty for a file that is not
  /// there, and for what holds nothing, such as a pipe, from which reading may wait for ever.
  static std::string first_line_of(const std::string& path) {
    constexpr std::size_t longest = 4096;
    std::string line;
    if (!holds_lines(path)) {
      return line;
    }
    const files::handle file(std::fopen(path.c_str(), "rb"));
    int letter = file == nullptr ? EOF : std::fgetc(file.get());
    while (letter != EOF && letter != '\n' && letter != '\r' && line.size() < longest) {
      line += static_cast<char>(letter);
      letter = std::fgetc(file.get());
    }
    return line;
  }

  /// Whether what is written to a path stays there: not in a pipe or a device.
  static bool holds_lines(const std::string& path) {
#if IPU_DSL_POSIX_FILES
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
#else
    return !path.empty();
#endif
  }

  /// Whether nothing stands in it.
  bool empty() const { return empty_; }

  /// Throws `error` if the line cannot be written: the disk is full, say.
  void write(const record_line& line) {
    empty_ = false;
    if (std::exchange(begins_, false)) {
      discard();
    }
    // A program that was killed may have left a part of a line.
    if (std::exchange(ends_line_, false) && std::fputc('\n', file_.get()) == EOF) {
      files::refuse_writing(path_);
    }
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size()) {
      files::refuse_writing(path_);
    }
  }

  /// Throws `error` if what was written may be lost.
  void close() {
    if (!file_.close()) {
      files::refuse_writing(path_);
    }
  }

 private:
  /// Whether the last line of a file has no end.
  static bool lacks_end_of_line(const std::string& path) {
    if (!holds_lines(path)) {
      return false;
    }
    const files::handle file(std::fopen(path.c_str(), "rb"));
    return file != nullptr && std::fseek(file.get(), -1, SEEK_END) == 0 &&
           std::fgetc(file.get()) != '\n';
  }

  void reopen(const char* mode) {
    file_.reset(std::fopen(path_.c_str(), mode));
    if (file_ == nullptr) {
      files::refuse_writing(path_);
    }
    // What is written goes to the system as it is: there is nothing to lose, and no buffer to take.
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  }

  /// What stood in the file. Pipes and devices hold nothing.
  void discard() {
#if IPU_DSL_POSIX_FILES
    if (::ftruncate(::fileno(file_.get()), 0) != 0 && errno != EINVAL) {
      files::refuse_writing(path_);
    }
#else
    reopen("wb");
#endif
  }

  std::string path_;
  files::handle file_;
  bool empty_ = true;
  bool ends_line_ = false;  ///< that stands there, with the next one
  bool begins_ = false;     ///< with the next line, and without what is there
};

}  // namespace ipu_dsl
