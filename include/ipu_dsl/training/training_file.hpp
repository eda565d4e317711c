// SPDX-License-Identifier: MIT
// The arrays of saved training beside those of weights: their names, and how they lie in its file.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/model_interface.hpp>
#include <ipu_dsl/training/checkpoint_definition.hpp>
#include <ipu_dsl/training/saved_training_interface.hpp>
#include <ipu_dsl/training/training_place.hpp>

namespace ipu_dsl::checkpoint {

// Whole numbers of 64 bits lie in arrays of bytes, the lowest first: NumPy sees them with
// `.view("<u8")`.

/// Of what is written and read here. Another one is refused.
inline constexpr std::uint64_t training_version = 1;

inline constexpr std::string_view progress_name = "training/progress";
inline constexpr std::string_view place_name = "training/place";
inline constexpr std::string_view data_name = "training/data";
inline constexpr std::string_view rate_name = "training/learning_rate";
inline constexpr std::string_view epoch_rates_name = "training/epoch_rates";
inline constexpr std::string_view backup_name = "training/backup.txt";
inline constexpr std::string_view optimizer_name = "training/optimizer.txt";
inline constexpr std::string_view identity_name = "training/identity";
inline constexpr std::string_view architecture_name = "training/architecture.txt";

/// The name of the array of a value of the runs.
inline std::string name_of_value(const run_value_interface& value) {
  return sentence_of({"training/values/", value.name});
}

inline void add_words(zips::archive_writer& archive, std::string_view name,
                      list_view<std::uint64_t> words) {
  const std::int64_t extents[] = {static_cast<std::int64_t>(8 * words.size())};
  std::vector<std::uint8_t> bytes = npy::header_bytes(dtype::uint8, extents);
  for (const std::uint64_t word : words) {
    append_little_endian(bytes, word, 8);
  }
  archive.add(sentence_of({name, ".npy"}), bytes);
}

inline void add_text(zips::archive_writer& archive, std::string_view name, std::string_view text) {
  archive.add(name, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

inline void add_float(zips::archive_writer& archive, std::string_view name, float value) {
  const std::int64_t extents[] = {1};
  std::vector<std::uint8_t> bytes = npy::header_bytes(dtype::float32, extents);
  append_bytes(bytes, &value, sizeof value);
  archive.add(sentence_of({name, ".npy"}), bytes);
}

/// The file of saved training that is read, and how many of its arrays were.
struct opened_training {
  zips::archive_reader& archive;
  const std::string& path;
  std::size_t used = 0;

  /// The text of an entry that is no array; none if it is not there.
  std::string text(std::string_view name) {
    const std::size_t entry = find_entry(archive, name);
    if (entry == archive.size()) {
      return {};
    }
    const auto file = archive.take(entry);
    ++used;
    return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
  }

  bool has(std::string_view name) const { return find_entry(archive, name) != archive.size(); }

  [[noreturn]] void refuse_array(std::string_view name, const char* wanted) const {
    raise_error({"The array ", name, " of ", path, " must have ", wanted, "."});
  }

  /// The bytes of an array of one axis, which is there.
  std::vector<std::uint8_t> take(std::string_view name, dtype type, const char* wanted) {
    const std::size_t entry = find_entry(archive, name);
    if (entry == archive.size()) {
      raise_error({"The file ", path, " has no array ", name, "; it has ", names_in(archive), "."});
    }
    const auto file = archive.take(entry);
    const npy::array_in_file array = npy::find_array(file.bytes, name);
    if (array.header.stored.element != type || array.header.extents.rank != 1) {
      refuse_array(name, wanted);
    }
    std::vector<std::uint8_t> bytes(array.kept_bytes());
    npy::convert(array, std::string(name), bytes.data());
    ++used;
    return bytes;
  }

  list<std::uint64_t> words(std::string_view name) {
    constexpr const char* wanted = "one axis of uint8, eight for each number";
    const std::vector<std::uint8_t> bytes = take(name, dtype::uint8, wanted);
    if (bytes.size() % 8 != 0) {
      refuse_array(name, wanted);
    }
    list<std::uint64_t> found(bytes.size() / 8);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      found[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
    }
    return found;
  }

  float number(std::string_view name) {
    const std::vector<std::uint8_t> bytes = take(name, dtype::float32, "1 value of float32");
    if (bytes.size() != sizeof(float)) {
      refuse_array(name, "1 value of float32");
    }
    float value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
};

inline list<std::uint64_t> words_of(const training_place& place) {
  list<std::uint64_t> words{static_cast<std::uint64_t>(place.epoch),
                            static_cast<std::uint64_t>(place.steps),
                            place.begun ? std::uint64_t{1} : 0,
                            static_cast<std::uint64_t>(place.steps_of_epoch),
                            static_cast<std::uint64_t>(place.micro_batch),
                            std::bit_cast<std::uint64_t>(place.loss)};
  for (const double counted : place.counted) {
    words.push_back(std::bit_cast<std::uint64_t>(counted));
  }
  return words;
}

inline training_place place_of(const list<std::uint64_t>& words, const opened_training& file) {
  constexpr std::size_t head = 6;
  if (words.size() < head || words[0] >> 31 != 0 || words[2] > 1 || words[4] >> 31 != 0) {
    file.refuse_array(place_name, "the numbers that save_training writes");
  }
  training_place place;
  place.epoch = static_cast<std::int32_t>(words[0]);
  place.steps = static_cast<std::int64_t>(words[1]);
  place.begun = words[2] == 1;
  place.steps_of_epoch = static_cast<std::int64_t>(words[3]);
  place.micro_batch = static_cast<std::int32_t>(words[4]);
  place.loss = std::bit_cast<double>(words[5]);
  for (std::size_t i = head; i < words.size(); ++i) {
    place.counted.push_back(std::bit_cast<double>(words[i]));
  }
  return place;
}

inline list<std::uint64_t> words_of(const epoch_rates& rates) {
  return {std::bit_cast<std::uint32_t>(rates.before), std::bit_cast<std::uint32_t>(rates.behind)};
}

inline epoch_rates rates_of(const list<std::uint64_t>& words, const opened_training& file) {
  epoch_rates rates;
  if (words.size() == 2 && words[0] >> 32 == 0 && words[1] >> 32 == 0) {
    rates.before = std::bit_cast<float>(static_cast<std::uint32_t>(words[0]));
    rates.behind = std::bit_cast<float>(static_cast<std::uint32_t>(words[1]));
    rates.known = !is_non_finite(rates.before) && rates.before >= 0;
  }
  if (!rates.known) {
    file.refuse_array(epoch_rates_name, "the two rates that backup_and_restore writes");
  }
  return rates;
}

}  // namespace ipu_dsl::checkpoint
