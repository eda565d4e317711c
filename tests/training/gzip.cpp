// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <zlib.h>

#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/gzip.hpp>
#include <ipu_dsl/formats/zip.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/session.hpp>

#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

using bytes = std::vector<std::uint8_t>;

struct net : model<input<6>, sequential<named<"scores", Dense<3, use_bias<false>>>>> {};

struct trained : compile<net, micro_batch<8>, loss<sparse_categorical_crossentropy>> {};

/// Raw deflated data, as an archive has them.
bytes deflated(const bytes& content) {
  z_stream stream = {};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  bytes packed(deflateBound(&stream, static_cast<uLong>(content.size())));
  bytes source = content;
  stream.next_in = source.data();
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// What `np.savez_compressed` makes of one array: the record of the directory tells how it is
/// packed, its checksum and both sizes.
bytes compressed_archive(const std::string& name, const bytes& content) {
  const std::vector<zip_entry> entries = {{name + ".npy", deflated(content)}};
  bytes archive = zip_bytes(entries);
  const std::size_t central = 30 + entries[0].name.size() + entries[0].bytes.size();
  bytes fields;
  append_little_endian(fields, crc32_of(content), 4);
  append_little_endian(fields, static_cast<std::uint32_t>(entries[0].bytes.size()), 4);
  append_little_endian(fields, static_cast<std::uint32_t>(content.size()), 4);
  archive[central + 10] = 8;
  std::copy(fields.begin(), fields.end(),
            archive.begin() + static_cast<std::ptrdiff_t>(central + 16));
  return archive;
}

}  // namespace

TEST_CASE("compressed weights are loaded as the refusal advises") {
  const temporary_directory folder;
  const std::string path = folder / "weights.npz";
  session<trained> run({}, {.seed = 1});
  const std::string plain = folder / "kernel.npy";
  save_parameter(run.weights(), 0, plain);
  const bytes array = read_file(plain);
  write_file_atomically(path, compressed_archive(run.weights().name(0), array));

  session<trained> other({}, {.seed = 2});
  const std::uint64_t before = other.weights().fingerprint();
  REQUIRE(before != run.weights().fingerprint());
  const std::string said = sentence_of([&] { other.load(path); });
  CHECK(said.find("scores/kernel.npy is compressed") != std::string::npos);
  CHECK(said.find("inflate_entry of ipu_dsl/formats/gzip.hpp") != std::string::npos);
  CHECK(other.weights().fingerprint() == before);

  load_weights(other.weights(), path, inflate_entry);
  CHECK(other.weights().fingerprint() == run.weights().fingerprint());
}
