// SPDX-License-Identifier: MIT
// Tests of formats/printable.hpp.
#include <string>
#include <string_view>

#include <ipu_dsl/formats/printable.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using std::string_view_literals::operator""sv;

static_assert(is_utf8(""));
static_assert(is_utf8("größe, 重み, 𝛼, \x01"));
static_assert(!is_utf8("\xFC"));              // Latin-1
static_assert(!is_utf8("\xC3"));              // half of a character
static_assert(!is_utf8("\xC3("));             // and something else behind it
static_assert(!is_utf8("\xC0\x80"));          // a NUL in two bytes
static_assert(!is_utf8("\xE0\x80\xAF"));      // a slash in three
static_assert(!is_utf8("\xED\xA0\x80"));      // half of a UTF-16 pair
static_assert(!is_utf8("\xF4\x90\x80\x80"));  // above U+10FFFF
static_assert(!is_utf8("\xF5\x80\x80\x80"));
static_assert(!is_utf8("\x80"));
static_assert(is_ascii("dense_1/kernel") && !is_ascii("größe"));

TEST_CASE("characters are shown as they are") {
  CHECK(printable("dense_1/kernel.npy") == "dense_1/kernel.npy");
  CHECK(printable("größe, 重み, 𝛼") == "größe, 重み, 𝛼");
  CHECK(printable("").empty());
}

TEST_CASE("what a terminal would obey is shown as numbers") {
  CHECK(printable("a\0b"sv) == "a\\x00b");
  CHECK(printable("\x1B[31mred\n") == "\\x1B[31mred\\x0A");
  CHECK(printable("\x7F") == "\\x7F");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\xC2\\x9B31m");             // the same escape as one character
  CHECK(printable("\xE2\x80\xAE") == "\\xE2\\x80\\xAE");  // right to left from here
  CHECK(printable("\xFC\xC3") == "\\xFC\\xC3");
  int checked = 0;
  for (int byte = 0; byte < 256; ++byte) {
    for (const char shown : printable(std::string(1, static_cast<char>(byte)))) {
      CHECK((shown >= ' ' && shown <= '~'));
    }
    ++checked;
  }
  CHECK(checked == 256);
}

TEST_CASE("bytes that are no character become question marks where files hold characters alone") {
  CHECK(whole_characters("größe, 重み\n") == "größe, 重み\n");
  CHECK(whole_characters("gr\xFC\xDF \xC3") == "gr?? ?");
}

TEST_CASE("long texts are cut between characters") {
  CHECK(printable("12345", 5) == "12345");
  CHECK(printable("123456", 5) == "12345...");
  CHECK(printable("1234ö", 5) == "1234...");
  CHECK(printable("12\x01", 5) == "12...");
  CHECK(printable(std::string(65535, 'a')).size() == 83);
}

}  // namespace
