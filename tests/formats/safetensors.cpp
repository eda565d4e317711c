// SPDX-License-Identifier: MIT
// Tests of formats/safetensors.hpp.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/formats/safetensors.hpp>

#include "formats/goldens.hpp"
#include "formats/mutations.hpp"
#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using bytes = std::vector<std::uint8_t>;

std::vector<safetensors_entry> weights() {
  return {{"logits/kernel", {2, 3}, {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}},
          {"größe \"\n\\", {}, {7.0F}},
          {"nothing", {0, 3}, {}}};
}

/// A file of this header, and of `data` bytes behind it.
bytes file_of(std::string_view json, std::size_t data) {
  bytes made;
  append_little_endian(made, json.size(), 8);
  append_text(made, json);
  made.resize(made.size() + data);
  return made;
}

/// What a file of this header is refused with; empty if it is taken.
std::string refusal(std::string_view json, std::size_t data = 0) {
  return tests::sentence_of([&] { safetensors_file(file_of(json, data), "w"); });
}

std::string senseless(std::string_view json) {
  const std::string said = refusal(json);
  const std::string begin = "The safetensors header of w makes no sense: ";
  return said.starts_with(begin) ? said.substr(begin.size()) : "not so: " + said;
}

constexpr bool widening_is_exact() {
  using namespace safetensors;
  return widened_float16(0x3C00) == 1.0F && widened_float16(0xC000) == -2.0F &&
         widened_float16(0x7BFF) == 65504.0F && widened_float16(0x0001) == 0x1p-24F &&
         widened_float16(0x03FF) == 1023 * 0x1p-24F && widened_float16(0x0400) == 0x1p-14F &&
         std::bit_cast<std::uint32_t>(widened_float16(0x8000)) == 0x8000'0000U &&
         widened_float16(0x7C00) == std::numeric_limits<float>::infinity() &&
         widened_float16(0xFC00) == -std::numeric_limits<float>::infinity() &&
         widened_bfloat16(0x3F80) == 1.0F && widened_bfloat16(0xC049) == -3.140625F;
}

static_assert(widening_is_exact());

TEST_CASE("every float16 is the float32 that the formula of IEEE says") {
  CHECK(widening_is_exact());
  int finite = 0;
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x1'0000; ++bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31U);
    const int fraction = static_cast<int>(bits & 1023U);
    const float got = safetensors::widened_float16(static_cast<std::uint16_t>(bits));
    if (exponent == 31) {
      wrong += std::isfinite(got) || (fraction != 0) != std::isnan(got) ? 1 : 0;
      continue;
    }
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    const double expected = bits >= 0x8000 ? -magnitude : magnitude;
    wrong += static_cast<double>(got) != expected || std::signbit(got) != (bits >= 0x8000) ? 1 : 0;
    ++finite;
  }
  CHECK(finite == 63'488);
  CHECK(wrong == 0);
}

TEST_CASE("safetensors are written, found by name, and read back") {
  const tests::temporary_directory directory;
  const std::vector<safetensors_entry> written = weights();
  write_safetensors(directory / "w.safetensors", written);
  const safetensors_file read = read_safetensors(directory / "w.safetensors");
  REQUIRE(read.size() == written.size());
  for (const safetensors_entry& entry : written) {
    const std::size_t index = read.find(entry.name);
    REQUIRE(index < read.size());
    CHECK(read.at(index).extents == entry.extents);
    CHECK(read.floats(index) == entry.values);
  }
  CHECK(read.find("logits/bias") == read.size());
  REQUIRE(read.metadata().size() == 1);
  CHECK(read.metadata()[0] == std::pair<std::string, std::string>("format", "pt"));
  const bytes again = safetensors_bytes(written);
  CHECK(read_file(directory / "w.safetensors") == again);
  // The format wants the arrays at a multiple of 8.
  CHECK(again[0] % 8 == 0);
}

TEST_CASE("a file that Python wrote is read, whatever the types and the order of its header") {
  const safetensors_file read(tests::safetensors_file_of_python, "w");
  REQUIRE(read.size() == 6);
  const std::vector<float> numbers = {1.5F, -2.0F, 3.25F, 4.0F, 5.0F, 1e-3F};
  const std::size_t beyond_ascii = read.find("größe/🧠");
  REQUIRE(beyond_ascii == 0);
  CHECK(read.floats(beyond_ascii) == numbers);
  CHECK(read.floats(read.find("doubles")) == numbers);
  CHECK(read.at(read.find("doubles")).extents == std::vector<std::int64_t>{3, 2});
  const std::vector<float> halves = read.floats(read.find("halves"));
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(halves == std::vector<float>{1.5F, -2.0F, 65504.0F, 0x1p-24F, infinity, -0.0F});
  CHECK(std::signbit(halves[5]));
  const std::vector<float> upper = read.floats(read.find("upper"));
  REQUIRE(upper.size() == 3);
  CHECK(upper[1] == -3.140625F);
  CHECK(std::abs(upper[2] / 1e38F - 1) < 0x1p-7F);
  CHECK(read.floats(read.find("nothing")).empty());
  CHECK_FALSE(read.holds_floats(read.find("step")));
  CHECK(tests::sentence_of([&] { read.floats(read.find("step")); }) ==
        "The array step of w holds I64; expected F32, F16, BF16 or F64.");
  CHECK(read.metadata().size() == 2);
}

TEST_CASE("arrays that overlap, leave gaps, or are no arrays are refused with a sentence") {
  const std::string four = R"("dtype":"F32","shape":[2])";
  CHECK(refusal("{}") == "");
  CHECK(refusal("{}   ") == "");
  CHECK(refusal(R"({"a":{)" + four + R"(,"data_offsets":[0,8]}})", 8) == "");
  CHECK(refusal(R"({"a":{)" + four + R"(,"data_offsets":[0,8]},"b":{)" + four +
                    R"(,"data_offsets":[4,12]}})",
                12) == "The array b of w begins at byte 4 and overlaps what ends at 8.");
  CHECK(refusal(R"({"a":{)" + four + R"(,"data_offsets":[0,8]},"b":{)" + four +
                    R"(,"data_offsets":[12,20]}})",
                20) == "The array b of w begins at byte 12 behind a gap after what ends at 8.");
  CHECK(refusal(R"({"a":{)" + four + R"(,"data_offsets":[0,8]}})", 7) ==
        "The arrays of w end at byte 8 of 7 behind the header: it is truncated.");
  CHECK(refusal(R"({"a":{)" + four + R"(,"data_offsets":[0,8]}})", 9) ==
        "The arrays of w end at byte 8 of 9 behind the header: bytes are left over.");
  CHECK(refusal("{}", 1) ==
        "The arrays of w end at byte 0 of 1 behind the header: bytes are left over.");
  CHECK(refusal(R"({"a":{)" + four + R"(,"data_offsets":[0,12]}})", 12) ==
        "The array a of w has the shape (2) of F32, which are 8 bytes; its data_offsets are 0 and "
        "12.");
  CHECK(refusal(R"({"a":{)" + four + R"(,"data_offsets":[8,0]}})", 8) ==
        "The array a of w has the shape (2) of F32, which are 8 bytes; its data_offsets are 8 and "
        "0.");
  CHECK(refusal(R"({"a":{)" + four + R"(,"data_offsets":[0,8]},"a":{)" + four +
                    R"(,"data_offsets":[8,16]}})",
                16) == "w has two arrays of the name a.");
  CHECK(refusal(R"({"a":{"dtype":"F8","shape":[2],"data_offsets":[0,8]}})", 8) ==
        "The array a of w has elements of an unknown type, F8.");
}

TEST_CASE("sizes that overflow are refused with a sentence") {
  CHECK(refusal(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})") ==
        "The array a of w has impossible extents (4611686018427387904, 4).");
  CHECK(refusal(R"({"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}})") ==
        "The array a of w has impossible extents (2305843009213693952).");
  CHECK(senseless(R"({"a":{"dtype":"F32","shape":[9223372036854775808]}})") ==
        "a number is too large.");
  std::string many = "1";
  for (int i = 0; i < 64; ++i) {
    many += ",1";
  }
  CHECK(refusal(R"({"a":{"dtype":"U8","shape":[)" + many + R"(],"data_offsets":[0,1]}})", 1) ==
        "The array a of w has 65 dimensions; expected at most 64.");
  bytes long_header = file_of("{}", 0);
  long_header[7] = 0x80;
  CHECK(tests::sentence_of([&] { safetensors_file(long_header, "w"); }) ==
        "w is no safetensors file: its header would have 9223372036854775810 bytes; expected at "
        "most 100000000.");
  CHECK(tests::sentence_of([&] { safetensors_file(bytes(7), "w"); }) ==
        "w is truncated: it needs 8 bytes at position 0 and has 7.");
}

TEST_CASE("a header that is no JSON of the format is refused with a sentence") {
  CHECK(senseless("") == "expected { as its first character.");
  CHECK(senseless(" {}") == "expected { as its first character.");
  CHECK(senseless("{") == "expected \" before: the end.");
  CHECK(senseless("{}x") == "something follows it: x.");
  CHECK(senseless(R"({"a")") == "expected : before: the end.");
  CHECK(senseless(R"({"a":1})") == "expected { before: 1}.");
  CHECK(senseless(R"({"a":{"dtype":"F32","dtype":"F32"}})") ==
        "the key dtype is unknown or stands twice.");
  CHECK(senseless(R"({"a":{"kind":"F32"}})") == "the key kind is unknown or stands twice.");
  CHECK(senseless(R"({"a":{"dtype":"F32","shape":[]}})") ==
        "one of dtype, shape and data_offsets is missing.");
  CHECK(senseless(R"({"a":{"shape":[1,]}})") == "expected a whole number before: ]}}.");
  CHECK(senseless(R"({"a":{"shape":[-1]}})") == "expected a whole number before: -1]}}.");
  CHECK(senseless(R"({"a":{"shape":[01]}})") == "a number begins with 0: 01]}}.");
  CHECK(senseless(R"({"a":{"shape":[1.5]}})") == "expected ] before: .5]}}.");
  CHECK(senseless(R"({"a":{"data_offsets":[1]}})") == "data_offsets are two numbers, got 1.");
  CHECK(senseless(R"({"__metadata__":{},"__metadata__":{}})") == "it has __metadata__ twice.");
  CHECK(senseless(R"({"__metadata__":{"a":1}})") == "expected \" before: 1}}.");
  CHECK(senseless(R"({"a)") == "a text does not end.");
  CHECK(senseless(R"({"\x"})") == "unknown escape before: x\"}.");
  CHECK(senseless(R"({"\u12G4"})") == "expected four hexadecimal digits before: 12G4\"}.");
  CHECK(senseless(R"({"\uD83E"})") == "a text has half of a UTF-16 pair.");
  CHECK(senseless(R"({"\uD83E\u0041"})") == "a text has half of a UTF-16 pair.");
  CHECK(senseless(R"({"\uDDE0"})") == "a text has half of a UTF-16 pair.");
  CHECK(senseless("{\"a\nb\"}") == "a text has a control character: a\\x0Ab.");
  CHECK(senseless("{\"a\xFF\"}") == "a text has bytes that are no UTF-8: a\\xFF.");
}

TEST_CASE("numbers that float32 cannot hold are refused when they are asked for") {
  bytes file = file_of(R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}})", 0);
  append_little_endian(file, std::bit_cast<std::uint64_t>(1.0), 8);
  append_little_endian(file, std::bit_cast<std::uint64_t>(-1e39), 8);
  const safetensors_file read(file, "w");
  CHECK(tests::sentence_of([&] { read.floats(0); }) ==
        "The array a of w holds -1e+39 as its value 1, which float32 cannot hold.");
}

TEST_CASE("what cannot be written as safetensors is refused with a sentence") {
  std::vector<safetensors_entry> twice = weights();
  twice[1].name = twice[0].name;
  CHECK(tests::sentence_of([&] { safetensors_bytes(twice); }) ==
        "The file has two arrays of the name logits/kernel.");
  const std::vector<safetensors_entry> reserved = {{"__metadata__", {}, {1.0F}}};
  CHECK(tests::sentence_of([&] { safetensors_bytes(reserved); }) ==
        "The file has an array of the name __metadata__; expected UTF-8 other than __metadata__.");
  const std::vector<safetensors_entry> no_utf8 = {{"\xFF", {}, {1.0F}}};
  CHECK(tests::sentence_of([&] { safetensors_bytes(no_utf8); }) ==
        "The file has an array of the name \\xFF; expected UTF-8 other than __metadata__.");
  const std::vector<safetensors_entry> few = {{"a", {2, 2}, {1.0F}}};
  CHECK(tests::sentence_of([&] { safetensors_bytes(few); }) ==
        "The array a of the shape (2, 2) cannot hold 1 values.");
}

/// Reads all that a file has. What is parsed must be whole: nothing more is known of it.
void read_all(std::span<const std::uint8_t> file) {
  const safetensors_file read(bytes(file.begin(), file.end()), "w");
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (read.holds_floats(i)) {
      const std::vector<float> values = read.floats(i);
      const std::size_t size = read.at(i).stored.bytes;
      REQUIRE(values.size() * size == read.at(i).end - read.at(i).begin);
    }
  }
}

TEST_CASE("a damaged safetensors file parses or is refused") {
  const bytes file = safetensors_bytes(weights());
  const std::size_t header = 8 + file[0] + 256U * file[1];
  const tests::mutation_counts truncated = tests::truncate_everywhere(file, read_all);
  CHECK(truncated.parsed == 0);
  CHECK(truncated.refused == file.size());
  const tests::mutation_counts changed = tests::change_every_byte(file, header, read_all);
  CHECK(changed.parsed + changed.refused == header * 255);
  // Letters of names may change, and little else.
  CHECK(changed.parsed > 0);
  CHECK(changed.parsed < changed.refused);
  const bytes python = tests::safetensors_file_of_python;
  CHECK(tests::truncate_everywhere(python, read_all).parsed == 0);
}

TEST_CASE("words of the format in any order parse or are refused") {
  constexpr std::string_view words[] = {"{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "\"a\"",
                                        "\"b\"",
                                        "\"dtype\":",
                                        "\"F32\"",
                                        "\"F16\"",
                                        "\"shape\":[",
                                        "\"data_offsets\":[0,4]",
                                        "\"data_offsets\":[4,8]",
                                        "1",
                                        "2",
                                        "\"__metadata__\":{",
                                        "\\u00e4",
                                        "\"",
                                        " ",
                                        R"("c":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})"};
  std::minstd_rand generator(7);
  const auto random = [&] { return static_cast<std::size_t>(generator()); };
  tests::mutation_counts counts;
  for (int i = 0; i < 100'000; ++i) {
    std::string json = "{";
    const std::size_t length = random() % 12;
    for (std::size_t word = 0; word < length; ++word) {
      json += words[random() % std::size(words)];
    }
    json += random() % 4 != 0 ? "}" : "";
    tests::count_one(file_of(json, 4 * (random() % 3)), read_all, counts);
  }
  CHECK(counts.parsed > 1000);
  CHECK(counts.refused > 50'000);
  WARN("of 100,000 files of words in any order " << counts.parsed << " parsed");
}

}  // namespace
