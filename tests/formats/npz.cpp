// SPDX-License-Identifier: MIT
// Tests of formats/npz.hpp.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/formats/npz.hpp>

#include "formats/goldens.hpp"
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

TEST_CASE("an archive of NumPy is read, and its name beyond ASCII found") {
  const std::vector<npz_entry> entries = parse_npz(tests::saved_archive, "w.npz");
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].name == "größe/kernel");
  const npy_array* const kernel = find_array(entries, "größe/kernel");
  REQUIRE(kernel != nullptr);
  CHECK(npy_values<float>(*kernel, "kernel") ==
        std::vector<float>{1.5F, -2.0F, 3.25F, 4.0F, 5.0F, 1e-3F});
}

TEST_CASE("names of arrays reach a sentence as what can be shown") {
  using std::string_literals::operator""s;
  const npy_array array = weights()[1].array;
  const std::vector<npz_entry> twice = {{"\x1B[2J", array}, {"\x1B[2J", array}};
  CHECK(tests::sentence_of([&] { npz_bytes(twice); }) ==
        "The archive has two arrays of the name \\x1B[2J.");
  const std::vector<zip_entry> other = {{"\x1B[2J", {1}}};
  CHECK(tests::sentence_of([&] { parse_npz(zip_bytes(other), "w.npz"); }) ==
        "w.npz holds a file \\x1B[2J; expected files *.npy alone.");
  const std::vector<zip_entry> short_array = {{"\n.npy", {1}}};
  CHECK(tests::sentence_of([&] { parse_npz(zip_bytes(short_array), "w.npz"); }) ==
        "w.npz/\\x0A.npy is truncated: it needs 6 bytes at position 0 and has 1.");
  const std::vector<npz_entry> nul = {{"a\0b"s, array}};
  CHECK(tests::sentence_of([&] { npz_bytes(nul); }) ==
        "The archive has an entry of the name a\\x00b.npy; expected UTF-8 without a NUL.");
}

}  // namespace
