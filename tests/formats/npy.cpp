// SPDX-License-Identifier: MIT
// Tests of formats/npy.hpp and formats/npy_header.hpp.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/formats/npy.hpp>

#include "formats/mutations.hpp"
#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using bytes = std::vector<std::uint8_t>;

/// An NPY file of this dictionary and these elements, as other programs may write it.
bytes file_of(std::string_view dictionary, const bytes& elements, std::uint32_t version = 1) {
  bytes file;
  append_text(file, "\x93NUMPY");
  append_little_endian(file, version, 2);
  append_little_endian(file, static_cast<std::uint32_t>(dictionary.size()), version == 2 ? 4 : 2);
  append_text(file, dictionary);
  file.insert(file.end(), elements.begin(), elements.end());
  return file;
}

std::string sentence_for(const bytes& file) {
  return tests::sentence_of([&] { parse_npy(file, "a.npy"); });
}

/// What is said of a dictionary before six bytes.
std::string sentence_for(std::string_view dictionary) {
  return sentence_for(file_of(dictionary, {1, 2, 3, 4, 5, 6}));
}

static_assert(dtype_of<float>() == dtype::float32);
static_assert(dtype_of<std::int32_t>() == dtype::int32);
static_assert(dtype_of<std::uint8_t>() == dtype::uint8);

TEST_CASE("the bytes of an NPY file are those that NumPy writes") {
  const std::vector<float> values = {1.0f, -2.0f};
  const bytes file = npy_bytes(make_npy<float>(values, {2, 1}));
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  CHECK(file.size() == 128 + 8);
  CHECK(text.substr(0, 10) == std::string_view("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(text.substr(10, 60) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), } ");
  CHECK(text[127] == '\n');
  CHECK(bytes(file.begin() + 128, file.end()) == bytes{0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0});
}

TEST_CASE("what is written is read back, of every type and rank") {
  const tests::temporary_directory directory;
  const std::vector<float> floats = {1.5f, -0.0f, 1e-40f, 3.0e38f, 0.1f, -7.0f};
  const std::vector<std::int32_t> integers = {1, -2, 2147483647, 0, 5, -6};
  const std::vector<std::uint8_t> small = {0, 255, 3, 4, 5, 6};
  int checked = 0;
  for (const std::vector<std::int64_t>& extents :
       std::vector<std::vector<std::int64_t>>{{6}, {2, 3}, {3, 2}, {1, 6, 1}, {1, 2, 1, 3}}) {
    for (const npy_array& array :
         {make_npy<float>(floats, extents), make_npy<std::int32_t>(integers, extents),
          make_npy<std::uint8_t>(small, extents)}) {
      write_npy(directory / "a.npy", array);
      CHECK(read_npy(directory / "a.npy") == array);
      ++checked;
    }
  }
  CHECK(checked == 15);
  CHECK(npy_values<float>(make_npy<float>(floats, {6}), "a") == floats);
  CHECK(npy_values<std::int32_t>(make_npy<std::int32_t>(integers, {6}), "a") == integers);
  CHECK(npy_values<std::uint8_t>(make_npy<std::uint8_t>(small, {6}), "a") == small);
}

TEST_CASE("scalars and arrays without elements") {
  const std::vector<float> one = {4.0f};
  const npy_array scalar = make_npy<float>(one, {});
  CHECK(parse_npy(npy_bytes(scalar), "a.npy") == scalar);
  const npy_array nothing = make_npy<float>({}, {0, 3});
  CHECK(parse_npy(npy_bytes(nothing), "a.npy") == nothing);
  CHECK(npy_values<float>(nothing, "a").empty());
}

TEST_CASE("headers that other programs write") {
  const bytes six = {1, 2, 3, 4, 5, 6};
  const npy_array expected = {dtype::uint8, {2, 3}, six};
  int checked = 0;
  for (const std::string_view dictionary :
       {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}",
        "{\"shape\":(2,3,),\"fortran_order\":False,\"descr\":\"|u1\"}\n",
        "  { 'fortran_order' : False , 'shape' : ( 2 , 3 ) , 'descr' : '|u1' , }   \n"}) {
    CHECK(parse_npy(file_of(dictionary, six), "a.npy") == expected);
    CHECK(parse_npy(file_of(dictionary, six, 2), "a.npy") == expected);
    ++checked;
  }
  CHECK(checked == 3);
}

TEST_CASE("every fault of an NPY file has its sentence") {
  CHECK(sentence_for(bytes{'P', 'K', 3, 4, 5, 6}) ==
        "a.npy is no NPY file: its first six bytes are not \\x93NUMPY.");
  CHECK(sentence_for(file_of("", {}, 3)) == "a.npy has NPY version 3.0; expected 1.0 or 2.0.");
  CHECK(sentence_for("{'descr': '<f8', 'fortran_order': False, 'shape': (6,)}") ==
        "a.npy holds elements of type '<f8'; expected '<f4', '<i4' or '|u1'.");
  CHECK(sentence_for("{'descr': '|u1', 'fortran_order': True, 'shape': (6,)}") ==
        "a.npy is in Fortran order; save it from np.ascontiguousarray.");
  CHECK(sentence_for("{'descr': '|u1', 'fortran_order': False, 'shape': (7,)}") ==
        "a.npy is truncated: its extents (7,) ask for 7 elements of 1 bytes and it has 6 bytes for "
        "them.");
  CHECK(sentence_for("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)}") ==
        "a.npy has trailing bytes: its extents (2, 2) ask for 4 elements of 1 bytes and it has 6 "
        "bytes for them.");
  CHECK(sentence_for("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}") ==
        "a.npy has trailing bytes: its extents (1,) ask for 1 elements of 4 bytes and it has 6 "
        "bytes for them.");
  CHECK(sentence_for("{'descr': '|u1', 'shape': (6,)}") ==
        "The NPY header of a.npy makes no sense: one of 'descr', 'fortran_order' and 'shape' is "
        "missing.");
  CHECK(sentence_for("{'descr': '|u1', 'descr': '|u1'}") ==
        "The NPY header of a.npy makes no sense: the key 'descr' is unknown or stands twice.");
  CHECK(sentence_for("{'descr': '|u1', 'fortran_order': False, 'shape': (-6,)}") ==
        "The NPY header of a.npy makes no sense: expected an extent before: -6,)}.");
  CHECK(
      sentence_for("{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}") ==
      "The NPY header of a.npy makes no sense: an extent is too large.");
  CHECK(sentence_for("{'descr': '|u1', 'fortran_order': False, "
                     "'shape': (4000000000, 4000000000)}") ==
        "a.npy has impossible extents (4000000000, 4000000000).");
}

TEST_CASE("values of the wrong number or type are refused") {
  const std::vector<float> two = {1.0f, 2.0f};
  CHECK(tests::sentence_of([&] { make_npy<float>(two, {3}); }) ==
        "An array (3,) cannot hold 2 values.");
  CHECK(tests::sentence_of([&] { make_npy<float>(two, {-1, -2}); }) ==
        "The array has impossible extents (-1, -2).");
  CHECK(tests::sentence_of([&] { npy_values<std::int32_t>(make_npy<float>(two, {2}), "w"); }) ==
        "w holds float32; expected int32.");
}

TEST_CASE("a damaged NPY file parses or is refused") {
  const std::vector<std::int32_t> values = {1, 2, 3, 4, 5, 6};
  const bytes file = npy_bytes(make_npy<std::int32_t>(values, {2, 3}));
  const auto parse = [](std::span<const std::uint8_t> damaged) {
    const npy_array parsed = parse_npy(damaged, "a.npy");
    CHECK(npy::element_count(parsed.extents, "a.npy") *
              static_cast<std::size_t>(bytes_of(parsed.element)) ==
          parsed.bytes.size());
  };
  const tests::mutation_counts truncated = tests::truncate_everywhere(file, parse);
  CHECK(truncated.parsed == 0);
  CHECK(truncated.refused == file.size());
  const tests::mutation_counts changed = tests::change_every_byte(file, 128, parse);
  CHECK(changed.parsed + changed.refused == 128 * 255);
  // Blanks for line ends, quotes of the other kind, another element of the same size.
  CHECK(changed.parsed > 0);
  CHECK(changed.refused > 128 * 250 / 2);
  WARN("checked " << truncated.refused << " truncated and " << changed.parsed + changed.refused
                  << " changed files, " << changed.parsed << " of them valid");
}

}  // namespace
