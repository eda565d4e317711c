// SPDX-License-Identifier: MIT
// Tests of formats/gzip.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/formats/gzip.hpp>
#include <ipu_dsl/formats/idx.hpp>
#include <ipu_dsl/formats/npz.hpp>

#include "formats/goldens.hpp"
#include "formats/mutations.hpp"
#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using bytes = std::vector<std::uint8_t>;

/// Packs bytes by zlib itself; `window` as in zlib's deflateInit2.
bytes packed(const bytes& content, int window) {
  z_stream stream = {};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  bytes result(deflateBound(&stream, static_cast<uLong>(content.size())));
  stream.next_in = const_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = result.data();
  stream.avail_out = static_cast<uInt>(result.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

bytes gzipped(const bytes& content) {
  return packed(content, 16 + MAX_WBITS);
}

bytes pattern(std::size_t size) {
  bytes content(size);
  for (std::size_t i = 0; i < size; ++i) {
    content[i] = static_cast<std::uint8_t>(i * i / 7 + i);
  }
  return content;
}

TEST_CASE("gunzip gives back what was packed") {
  int checked = 0;
  for (const std::size_t size : std::vector<std::size_t>{0, 1, 65535, 65536, 65537, 300000}) {
    const bytes content = pattern(size);
    CHECK(gunzip(gzipped(content), "a.gz") == content);
    CHECK(gunzip(gzipped(content), "a.gz", size) == content);
    ++checked;
  }
  CHECK(checked == 6);
}

TEST_CASE("gunzip reads all members of a file") {
  bytes file = gzipped({1, 2});
  const bytes second = gzipped({3});
  file.insert(file.end(), second.begin(), second.end());
  CHECK(gunzip(file, "a.gz") == bytes{1, 2, 3});
}

TEST_CASE("every fault of a gzip file has its sentence") {
  bytes file = gzipped(pattern(1000));
  CHECK(tests::sentence_of([&] { gunzip(file, "a.gz", 999); }) ==
        "a.gz unpacks to more than 999 bytes.");
  CHECK(tests::sentence_of([&] { gunzip(std::span(file).first(file.size() - 1), "a.gz"); }) ==
        "a.gz is truncated: its compressed data stop after 1000 unpacked bytes.");
  CHECK(tests::sentence_of([&] { gunzip({}, "a.gz"); }) ==
        "a.gz is truncated: its compressed data stop after 0 unpacked bytes.");
  bytes trailing = file;
  trailing.insert(trailing.end(), {1, 2, 3});
  CHECK(tests::sentence_of([&] { gunzip(trailing, "a.gz"); }) ==
        "a.gz has 3 bytes behind the end of its compressed data.");
  file[file.size() - 5] ^= 1;
  CHECK(tests::sentence_of([&] { gunzip(file, "a.gz"); }) ==
        "a.gz is corrupt: its compressed data make no sense after 1000 unpacked bytes.");
}

TEST_CASE("a small file that unpacks to a huge one is stopped at the limit") {
  const bytes bomb = gzipped(bytes(std::size_t{1} << 24, 0));
  CHECK(bomb.size() < 20000);
  CHECK(tests::sentence_of([&] { gunzip(bomb, "a.gz", std::size_t{1} << 20); }) ==
        "a.gz unpacks to more than 1048576 bytes.");
}

TEST_CASE("the reader unpacks gzip files and passes on others") {
  const tests::temporary_directory directory;
  const bytes labels = {0, 0, 8, 1, 0, 0, 0, 2, 5, 6};
  write_file_atomically(directory / "labels", labels);
  write_file_atomically(directory / "labels.gz", gzipped(labels));
  CHECK(read_idx(directory / "labels", 1, read_file_or_gzip).bytes == bytes{5, 6});
  CHECK(read_idx(directory / "labels.gz", 1, read_file_or_gzip).bytes == bytes{5, 6});
  const std::string path = directory / "labels.gz";
  CHECK(tests::sentence_of([&] { read_idx(path, 1); }).find(path + " is compressed") == 0);
}

TEST_CASE("a damaged gzip file is refused or unpacks to the same bytes") {
  const bytes content = pattern(40);
  const bytes file = gzipped(content);
  std::size_t other_content = 0;
  const auto parse = [&](std::span<const std::uint8_t> damaged) {
    if (gunzip(damaged, "a.gz") != content) {
      ++other_content;
    }
  };
  const tests::mutation_counts truncated = tests::truncate_everywhere(file, parse);
  CHECK(truncated.parsed == 0);
  CHECK(truncated.refused == file.size());
  const tests::mutation_counts changed = tests::change_every_byte(file, file.size(), parse);
  CHECK(changed.parsed + changed.refused == file.size() * 255);
  CHECK(changed.refused > file.size() * 255 / 2);
  CHECK(other_content == 0);
  WARN("checked " << truncated.refused << " truncated and " << changed.parsed + changed.refused
                  << " changed files, " << changed.parsed << " of them valid");
}

/// An archive of one deflated entry that claims to unpack to `size` bytes.
bytes deflated_archive(const bytes& content, std::size_t size) {
  const std::vector<zip_entry> entries = {{"a.npy", packed(content, -MAX_WBITS)}};
  bytes archive = zip_bytes(entries);
  const std::size_t central = 30 + 5 + entries[0].bytes.size();
  bytes fields;
  append_little_endian(fields, crc32_of(content), 4);
  append_little_endian(fields, static_cast<std::uint32_t>(entries[0].bytes.size()), 4);
  append_little_endian(fields, static_cast<std::uint32_t>(size), 4);
  archive[central + 10] = 8;
  std::copy(fields.begin(), fields.end(),
            archive.begin() + static_cast<std::ptrdiff_t>(central + 16));
  return archive;
}

TEST_CASE("deflated entries of an NPZ file are read with the component") {
  const std::vector<float> values(100, 2.5f);
  const npy_array array = make_npy<float>(values, {10, 10});
  const bytes content = npy_bytes(array);
  const bytes archive = deflated_archive(content, content.size());
  const std::vector<npz_entry> read = parse_npz(archive, "w.npz", inflate_entry);
  REQUIRE(read.size() == 1);
  CHECK(read[0].array == array);
  CHECK(tests::sentence_of([&] { parse_npz(archive, "w.npz"); }) ==
        "w.npz/a.npy is compressed: save it with np.savez, or hand inflate_entry of "
        "ipu_dsl/formats/gzip.hpp (component gzip) to what reads it: read_npz(path, "
        "inflate_entry), load_by_name(weights, path, {.inflater = inflate_entry}).");
}

TEST_CASE("deflated entries of another size than claimed are refused") {
  const bytes content = pattern(1000);
  int checked = 0;
  for (const std::size_t size : std::vector<std::size_t>{0, 1, 999, 1001, 5000}) {
    const std::string words = tests::sentence_of(
        [&] { parse_npz(deflated_archive(content, size), "w.npz", inflate_entry); });
    CHECK(words == "w.npz/a.npy unpacks to a size other than the " + std::to_string(size) +
                       " bytes it claims.");
    ++checked;
  }
  CHECK(checked == 5);
  CHECK(tests::sentence_of([&] {
          inflate_entry(bytes{1, 2}, std::size_t{1} << 29, "w.npz/a.npy");
        }) == "w.npz/a.npy claims to unpack 2 bytes to 536870912.");
}

TEST_CASE("a limit that is no limit does not wrap") {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  const bytes content = pattern(300000);
  CHECK(gunzip(gzipped(content), "a.gz", none) == content);
  CHECK(gunzip(gzipped(content), "a.gz", none - 1) == content);
  CHECK(gunzip(gzipped({}), "a.gz", 0).empty());
  CHECK(tests::sentence_of([&] { gunzip(gzipped({1}), "a.gz", 0); }) ==
        "a.gz unpacks to more than 0 bytes.");
}

TEST_CASE("a compressed archive of NumPy is read") {
  const std::vector<npz_entry> read = parse_npz(tests::compressed_archive, "w.npz", inflate_entry);
  REQUIRE(read.size() == 1);
  CHECK(read[0].array == parse_npz(tests::saved_archive, "w.npz")[0].array);
  CHECK(read[0].name == "größe/kernel");
}

/// An archive of `count` deflated entries, each of `content`.
bytes deflated_entries(const bytes& content, std::size_t count) {
  const bytes small = packed(content, -MAX_WBITS);
  const std::uint32_t checksum = crc32_of(content);
  bytes archive;
  bytes directory;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = std::to_string(i) + ".npy";
    const zips::record entry = {.name = name,
                                .method = zips::deflated,
                                .checksum = checksum,
                                .packed_size = small.size(),
                                .size = content.size(),
                                .local_offset = archive.size()};
    zips::append_central(directory, entry);
    zips::append_local(archive, entry);
    archive.insert(archive.end(), small.begin(), small.end());
  }
  const std::size_t offset = archive.size();
  archive.insert(archive.end(), directory.begin(), directory.end());
  zips::append_end(archive, {count, directory.size(), offset});
  return archive;
}

TEST_CASE("the limit of unpacking is that of an archive, not of an entry") {
  const std::vector<float> zeros(std::size_t{1} << 18, 0.0F);
  const bytes content = npy_bytes(make_npy<float>(zeros, {1 << 18}));
  const bytes archive = deflated_entries(content, 8);
  const std::size_t all = 8 * content.size();
  CHECK(archive.size() < all / 100);
  CHECK(parse_npz(archive, "w.npz", inflate_entry, all).size() == 8);
  CHECK(tests::sentence_of([&] { parse_npz(archive, "w.npz", inflate_entry, all - 1); }) ==
        "w.npz claims to unpack to more than " + std::to_string(all - 1) + " bytes.");
  // By default a gibibyte, refused before anything is unpacked.
  const bytes bomb = deflated_entries(content, 1024);
  CHECK(tests::sentence_of([&] { parse_npz(bomb, "w.npz", inflate_entry); }) ==
        "w.npz claims to unpack to more than 1073741824 bytes.");
}

TEST_CASE("a damaged compressed archive parses or is refused") {
  const bytes& archive = tests::compressed_archive;
  const npy_array expected = parse_npz(archive, "w.npz", inflate_entry)[0].array;
  std::size_t others = 0;
  const auto parse = [&](std::span<const std::uint8_t> damaged) {
    const std::vector<npz_entry> read = parse_npz(damaged, "w.npz", inflate_entry);
    others += read.size() == 1 && read[0].array == expected ? 0U : 1U;
  };
  const tests::mutation_counts truncated = tests::truncate_everywhere(archive, parse);
  CHECK(truncated.parsed == 0);
  CHECK(truncated.refused == archive.size());
  const tests::mutation_counts changed = tests::change_every_byte(archive, archive.size(), parse);
  CHECK(changed.parsed + changed.refused == archive.size() * 255);
  CHECK(changed.parsed > 0);
  CHECK(others == 0);
  WARN("checked " << truncated.refused << " truncated and " << changed.parsed + changed.refused
                  << " changed archives, " << changed.parsed << " of them valid");
}

}  // namespace
