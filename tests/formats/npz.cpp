// SPDX-License-Identifier: MIT
// Tests of formats/npz.hpp.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/formats/npz.hpp>

#include "formats/mutations.hpp"
#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using bytes = std::vector<std::uint8_t>;

std::vector<npz_entry> weights() {
  const std::vector<float> kernel = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
  const std::vector<std::int32_t> step = {7};
  return {{"logits/kernel", make_npy<float>(kernel, {2, 3})},
          {"step", make_npy<std::int32_t>(step, {})}};
}

TEST_CASE("arrays are written, found by name, and read back") {
  const tests::temporary_directory directory;
  const std::vector<npz_entry> written = weights();
  write_npz(directory / "w.npz", written);
  const std::vector<npz_entry> read = read_npz(directory / "w.npz");
  CHECK(read == written);
  REQUIRE(find_array(read, "step") != nullptr);
  CHECK(npy_values<std::int32_t>(*find_array(read, "step"), "step") ==
        std::vector<std::int32_t>{7});
  CHECK(find_array(read, "bias") == nullptr);
  CHECK(npz_bytes(read) == npz_bytes(written));
}

TEST_CASE("every fault of an NPZ file has its sentence") {
  std::vector<npz_entry> twice = weights();
  twice[1].name = twice[0].name;
  CHECK(tests::sentence_of([&] { npz_bytes(twice); }) ==
        "The archive has two arrays of the name logits/kernel.");
  const std::vector<zip_entry> other = {{"readme.txt", {1}}};
  CHECK(tests::sentence_of([&] { parse_npz(zip_bytes(other), "w.npz"); }) ==
        "w.npz holds a file readme.txt; expected files *.npy alone.");
  const std::vector<zip_entry> short_array = {{"a.npy", {1}}};
  CHECK(tests::sentence_of([&] { parse_npz(zip_bytes(short_array), "w.npz"); }) ==
        "w.npz/a.npy is truncated: it needs 6 bytes at position 0 and has 1.");
  const npy_array array = weights()[1].array;
  const std::vector<zip_entry> same = {{"a.npy", npy_bytes(array)}, {"a.npy", npy_bytes(array)}};
  CHECK(tests::sentence_of([&] { parse_npz(zip_bytes(same), "w.npz"); }) ==
        "w.npz has two arrays of the name a.");
}

TEST_CASE("a damaged NPZ file parses or is refused") {
  const bytes archive = npz_bytes(weights());
  const std::vector<npz_entry> written = weights();
  std::size_t other_arrays = 0;
  const auto parse = [&](std::span<const std::uint8_t> damaged) {
    for (const npz_entry& entry : parse_npz(damaged, "w.npz")) {
      // The checksums see to it that no array is a wrong one, whatever its entry says of it.
      if (entry.array != written[0].array && entry.array != written[1].array) {
        ++other_arrays;
      }
    }
  };
  const tests::mutation_counts truncated = tests::truncate_everywhere(archive, parse);
  CHECK(truncated.parsed == 0);
  CHECK(truncated.refused == archive.size());
  const tests::mutation_counts changed = tests::change_every_byte(archive, archive.size(), parse);
  CHECK(changed.parsed + changed.refused == archive.size() * 255);
  CHECK(other_arrays == 0);
  WARN("checked " << truncated.refused << " truncated and " << changed.parsed + changed.refused
                  << " changed archives, " << changed.parsed << " of them valid");
}

}  // namespace
