// SPDX-License-Identifier: MIT
// What saved_training_interface.hpp declares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/training/checkpoint_definition.hpp>
#include <ipu_dsl/training/saved_training_interface.hpp>

namespace ipu_dsl {

namespace checkpoint {

/// The array of how far training has come: two numbers of eight bytes, the lowest first.
inline constexpr std::string_view progress_name = "training/progress";
inline constexpr std::size_t progress_bytes = 16;

inline std::vector<std::uint8_t> npy_file_of(const training_progress& reached) {
  const std::int64_t extents[] = {progress_bytes};
  std::vector<std::uint8_t> bytes = npy::header_bytes(dtype::uint8, extents);
  append_little_endian(bytes, reached.updates, 8);
  append_little_endian(bytes, reached.samples, 8);
  return bytes;
}

inline training_progress read_progress(zips::archive_reader& archive, const std::string& path) {
  const std::size_t entry = find_entry(archive, progress_name);
  if (entry == archive.size()) {
    raise_error({"The file ", path, " has no array ", progress_name,
                 ": it holds weights, not how far training has come. Load it with load."});
  }
  const std::string name(progress_name);
  const auto file = archive.take(entry);
  const npy::array_in_file array = npy::find_array(file.bytes, name);
  const npy::file_extents& extents = array.header.extents;
  if (array.header.stored.element != dtype::uint8 || extents.rank != 1 ||
      extents.values[0] != std::int64_t{progress_bytes}) {
    raise_error({"The array ", progress_name, " of ", path, " must have 16 values of uint8."});
  }
  std::uint8_t bytes[progress_bytes] = {};
  npy::convert(array, name, bytes);
  training_progress reached;
  for (std::size_t i = 0; i < 8; ++i) {
    reached.updates |= std::uint64_t{bytes[i]} << (8 * i);
    reached.samples |= std::uint64_t{bytes[8 + i]} << (8 * i);
  }
  return reached;
}

}  // namespace checkpoint

IPU_DSL_INLINE void save_training(session_engine& engine, const std::string& path) {
  engine.require_weights("save_training");
  zips::archive_writer archive;
  checkpoint::add_all(archive, engine.weights());
  checkpoint::add_all(archive, engine.kept());
  archive.add(sentence_of({checkpoint::progress_name, ".npy"}),
              checkpoint::npy_file_of(engine.progress()));
  write_file_atomically(path, archive.finish());
}

IPU_DSL_INLINE void load_training(session_engine& engine, const std::string& path,
                                  non_finite floats) {
  engine.require_weights("load_training");
  const std::vector<std::uint8_t> file = read_file(path);
  zips::archive_reader archive(file, path, refuse_deflated, default_unpacked_limit);
  const training_progress reached = checkpoint::read_progress(archive, path);
  const list<float> weights = checkpoint::read_all(engine.weights(), archive, path, floats);
  const list<float> kept = checkpoint::read_all(engine.kept(), archive, path, floats);
  const std::size_t expected = engine.weights().size() + engine.kept().size() + 1;
  if (archive.size() != expected) {
    raise_error({"The file ", path, " has ", archive.size(), " arrays, training of this model has ",
                 expected, "."});
  }
  checkpoint::set_all(engine.weights(), weights);
  checkpoint::set_all(engine.kept(), kept);
  engine.go_on_from(reached);
}

}  // namespace ipu_dsl
