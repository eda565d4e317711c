// SPDX-License-Identifier: MIT
// Schedules read from files, and texts written to them.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/study/text/csv_reader.hpp>

#include "study.hpp"

namespace schedule_study {

/// Reads a text that is not endless. Throws `ipu_dsl::error` if it cannot be read.
inline std::string read_text(const std::string& path) {
  constexpr std::size_t most = std::size_t{64} << 20;
  const ipu_dsl::files::handle file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    throw ipu_dsl::error("Cannot open " + path + ": " + std::strerror(errno) + ".");
  }
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::string text;
  std::size_t got = piece;
  while (got == piece && text.size() <= most) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    got = std::fread(text.data() + before, 1, piece, file.get());
    text.resize(before + got);
  }
  // A directory opens like a file and refuses here.
  if (std::ferror(file.get()) != 0) {
    throw ipu_dsl::error("Cannot read " + path + ": " + std::strerror(errno) + ".");
  }
  if (text.size() > most) {
    throw ipu_dsl::error("Cannot read " + path + ": it is longer than 64 MiB.");
  }
  return text;
}

/// Writes a text. Throws `ipu_dsl::error` if not all of it could be written.
inline void write_text(const std::string& path, std::string_view text) {
  ipu_dsl::write_file_atomically(path,
                                 {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

/// Stages of each copy on every device, or 0 if devices differ in it.
inline int parts_of_devices(const ipu_dsl::program_view& rows) {
  std::vector<int> stages(static_cast<std::size_t>(rows.devices), 0);
  for (const int device : rows.device_of_stage) {
    ++stages[static_cast<std::size_t>(device)];
  }
  for (const int count : stages) {
    if (count != stages[0] || count % rows.weights.copies != 0) {
      return 0;
    }
  }
  return stages[0] / rows.weights.copies;
}

/// Reads, proves and times the schedule of a file. Throws `ipu_dsl::error` if anything is wrong.
inline study examine_file(const std::string& path, const counts& wanted) {
  const std::string text = read_text(path);
  const std::string name = path.substr(path.find_last_of('/') + 1);
  ipu_dsl::parsed_schedule read = ipu_dsl::parse_csv(text, name);
  if (read.fault.found()) {
    throw ipu_dsl::error(read.fault);
  }
  const ipu_dsl::program_view rows = read.rows.view();
  refuse_too_large(name, rows.devices, rows.stages, rows.micro_batches);
  const int parts = parts_of_devices(rows);
  refuse_other_factors(name, rows.stages / rows.weights.copies, wanted.stage_factors);
  costed_stages stages = make_stages(rows.stages, rows.weights.copies, parts > 0 ? parts : 1,
                                     wanted.costs, wanted.stage_factors);
  study made = examine(name, std::move(read.rows), std::move(stages), wanted.lockstep);
  made.cost_of = parts > 0 ? "device" : "stage";
  made.about = read.dropped == 0 ? ""
                                 : std::to_string(read.dropped) +
                                       " communication actions of the file are passed over";
  return made;
}

}  // namespace schedule_study
