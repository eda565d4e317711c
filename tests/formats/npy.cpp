// SPDX-License-Identifier: MIT
// Tests of formats/npy.hpp, formats/npy_header.hpp and formats/npy_conversion.hpp.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/formats/npy.hpp>

#include "formats/goldens.hpp"
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
  CHECK(sentence_for("{'descr': '<f2', 'fortran_order': False, 'shape': (6,)}") ==
        "a.npy holds elements of type '<f2'; expected float32, float64, int32 or int64, '<f4', "
        "'<f8', '<i4' or '<i8', or bytes, '|u1'. Hint: save array.astype(\"float32\").");
  CHECK(sentence_for("{'descr': '<i2', 'fortran_order': False, 'shape': (6,)}") ==
        "a.npy holds elements of type '<i2'; expected float32, float64, int32 or int64, '<f4', "
        "'<f8', '<i4' or '<i8', or bytes, '|u1'. Hint: save array.astype(\"float32\"), "
        "or \"int32\" of classes.");
  CHECK(sentence_for("{'descr': '<U3', 'fortran_order': False, 'shape': (6,)}") ==
        "a.npy holds elements of type '<U3'; expected float32, float64, int32 or int64, '<f4', "
        "'<f8', '<i4' or '<i8', or bytes, '|u1'. Hint: save numbers alone: an archive is read "
        "whole, and others need their own.");
  CHECK(sentence_for("{'descr': [('x', '<f4'), ('y', '<i4')], 'shape': (6,)}") ==
        "a.npy holds records of several fields; save each field by itself.");
  CHECK(sentence_for("{'descr': '|u1', 'fortran_order': False, 'shape': (7,)}") ==
        "a.npy is truncated: its extents (7) ask for 7 elements of 1 bytes and it has 6 bytes for "
        "them.");
  CHECK(sentence_for("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)}") ==
        "a.npy has trailing bytes: its extents (2, 2) ask for 4 elements of 1 bytes and it has 6 "
        "bytes for them.");
  CHECK(sentence_for("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}") ==
        "a.npy has trailing bytes: its extents (1) ask for 1 elements of 4 bytes and it has 6 "
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
        "An array (3) cannot hold 2 values.");
  CHECK(tests::sentence_of([&] { make_npy<float>(two, {-1, -2}); }) ==
        "The array has impossible extents (-1, -2).");
  CHECK(tests::sentence_of([&] { npy_values<std::int32_t>(make_npy<float>(two, {2}), "w"); }) ==
        "w holds float32 or float64; expected int32. Hint: save array.astype(\"int32\").");
  const std::vector<std::int32_t> whole = {1, 2};
  CHECK(tests::sentence_of([&] { npy_values<float>(make_npy<std::int32_t>(whole, {2}), "w"); }) ==
        "w holds int32 or int64; expected float32. Hint: save array.astype(\"float32\").");
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

TEST_CASE("what NumPy saves in another type or order is converted") {
  const std::vector<float> numbers = {1.5F, -2.0F, 3.25F, 4.0F, 5.0F, 1e-3F};
  const npy_array expected = make_npy<float>(numbers, {2, 3});
  CHECK(parse_npy(tests::fortran_float64, "a.npy") == expected);
  CHECK(parse_npy(tests::big_endian_float32, "a.npy") == expected);
  std::vector<std::int32_t> counted(24);
  std::iota(counted.begin(), counted.end(), 0);
  CHECK(parse_npy(tests::fortran_cube, "a.npy") == make_npy<std::int32_t>(counted, {2, 3, 4}));
}

TEST_CASE("Fortran order of every rank and size is the same array") {
  const std::string shapes[] = {"()", "(1,)", "(5,)", "(0, 3)", "(1, 1, 1)", "(1, 4)", "(4, 1)"};
  int checked = 0;
  for (const std::string& shape : shapes) {
    bytes elements(shape == "(0, 3)"                        ? 0
                   : shape == "(5,)"                        ? 5
                   : shape == "(1, 4)" || shape == "(4, 1)" ? 4
                                                            : 1);
    std::iota(elements.begin(), elements.end(), std::uint8_t{1});
    const std::string rest = ", 'descr': '|u1', 'shape': " + shape + "}";
    CHECK(parse_npy(file_of("{'fortran_order': True" + rest, elements), "a.npy") ==
          parse_npy(file_of("{'fortran_order': False" + rest, elements), "a.npy"));
    ++checked;
  }
  CHECK(checked == 7);
}

/// An NPY file of one number of 8 bytes, lowest first.
bytes file_of_one(std::string_view type, std::uint64_t bits) {
  bytes element;
  append_little_endian(element, bits, 8);
  return file_of("{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (1,)}",
                 element);
}

float read_double(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  return npy_values<float>(parse_npy(file_of_one("<f8", bits), "a.npy"), "a")[0];
}

TEST_CASE("float64 becomes the nearest float32, or is refused") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double most = static_cast<double>(std::numeric_limits<float>::max());
  CHECK(read_double(0.1) == 0.1F);
  CHECK(std::signbit(read_double(-0.0)));
  CHECK(read_double(1e-300) == 0.0F);
  CHECK(read_double(most) == std::numeric_limits<float>::max());
  CHECK(read_double(-infinity) == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(read_double(std::numeric_limits<double>::quiet_NaN())));
  CHECK(sentence_for(file_of_one("<f8", std::bit_cast<std::uint64_t>(-1e300))) ==
        "a.npy holds -1e+300 at (0), which float32 cannot hold.");
  CHECK_THROWS_AS(read_double(std::nextafter(most, infinity)), error);
}

TEST_CASE("int64 becomes int32, or is refused") {
  int checked = 0;
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{2147483647}, std::int64_t{-2147483648}}) {
    const npy_array read =
        parse_npy(file_of_one("<i8", static_cast<std::uint64_t>(value)), "a.npy");
    CHECK(npy_values<std::int32_t>(read, "a")[0] == value);
    ++checked;
  }
  CHECK(checked == 4);
  CHECK(sentence_for(file_of_one("<i8", std::uint64_t{1} << 31)) ==
        "a.npy holds 2147483648 at (0), which int32 cannot hold.");
}

TEST_CASE("a number that does not fit is named by its index") {
  bytes file = tests::fortran_cube;
  file[128 + 8 * (1 + 2 * 2 + 6 * 3) + 5] = 1;  // [1][2][3] in Fortran order
  CHECK(sentence_for(file) == "a.npy holds 1099511627799 at (1, 2, 3), which int32 cannot hold.");
}

TEST_CASE("texts of an NPY file reach a sentence as what can be shown") {
  const auto refusal = [](std::string_view dictionary) { return sentence_for(dictionary); };
  CHECK(refusal("{'descr': '\x1B[2J'}") ==
        "a.npy holds elements of type '\\x1B[2J'; expected float32, float64, int32 or int64, "
        "'<f4', '<f8', '<i4' or '<i8', or bytes, '|u1'. Hint: save numbers alone: an archive is "
        "read whole, and others need their own.");
  CHECK(refusal(std::string_view("{'a\0b': 1}", 10)) ==
        "The NPY header of a.npy makes no sense: the key 'a\\x00b' is unknown or stands twice.");
  CHECK(refusal("{'shape': (\x1B\n\x7F") ==
        "The NPY header of a.npy makes no sense: expected an extent before: \\x1B\\x0A\\x7F.");
  CHECK(refusal("\x1B") == "The NPY header of a.npy makes no sense: expected { before: \\x1B.");
}

TEST_CASE("more dimensions than NumPy has are refused") {
  std::string shape;
  for (int axis = 0; axis < 65; ++axis) {
    shape += "1,";
  }
  CHECK(sentence_for(file_of("{'descr': '|u1', 'fortran_order': False, 'shape': (" + shape + ")}",
                             {1})) == "a.npy has 65 dimensions; expected at most 64.");
}

TEST_CASE("a damaged NPY file that is converted parses or is refused") {
  const auto parse = [](std::span<const std::uint8_t> damaged) {
    const npy_array parsed = parse_npy(damaged, "a.npy");
    CHECK(npy::element_count(parsed.extents, "a.npy") *
              static_cast<std::size_t>(bytes_of(parsed.element)) ==
          parsed.bytes.size());
  };
  std::size_t parsed = 0;
  std::size_t refused = 0;
  for (const bytes& file : {tests::fortran_float64, tests::fortran_cube}) {
    const tests::mutation_counts truncated = tests::truncate_everywhere(file, parse);
    CHECK(truncated.parsed == 0);
    CHECK(truncated.refused == file.size());
    const tests::mutation_counts changed = tests::change_every_byte(file, file.size(), parse);
    CHECK(changed.parsed + changed.refused == file.size() * 255);
    parsed += changed.parsed;
    refused += changed.refused;
  }
  CHECK(parsed > 0);
  CHECK(refused > parsed);
  WARN("checked " << parsed + refused << " changed files, " << parsed << " of them valid");
}

}  // namespace
